//! The webhook configuration: made, kept, put back, and in step with the scope (admission.md A16, A24; fault 17).

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::events::v1::Event;
use kube::Api;
use kube::api::{DeleteParams, ListParams, PostParams};
use nsclass_tests::{eventually, eventually_within, holds_for};
use serde_json::{Value, json};

use crate::stage::{Stage, harmless, metric};

const REPAIRED: &str = "nsclass_webhook_configuration_writes_total{reason=\"repaired\"}";
/// "Within seconds", on a machine that has a lot else to do.
const SECONDS: Duration = Duration::from_secs(20);

#[tokio::test]
async fn fault17_a_configuration_that_is_edited_or_deleted_is_put_back_within_seconds() -> Result<()> {
    let stage = Stage::open("fault17").await?;
    let operator = stage.operator("fault17", "").await?;
    stage.template(&harmless("fault17")).await?;
    stage.in_order("fault17").await?;
    let api = stage.configurations();
    let settled = eventually("nothing is written any more", async || {
        let found = api.get("fault17").await?;
        ensure!(operator.metric("nsclass_ca_bundle_in_step").await? > 0.5, "not in step");
        Ok(found)
    })
    .await?;
    let good = settled.data["webhooks"].clone();
    ensure!(
        good[0]["namespaceSelector"]["matchExpressions"][0]["values"] == json!(["kube-system", stage.name]),
        "{good}"
    );

    let mut other = good[0].clone();
    other["name"] = json!("other.nsclass.io");
    let edit = |path: &str, value: Value| {
        let mut webhooks = good.clone();
        let (parent, key) = path.rsplit_once('/').unwrap_or_default();
        if let Some(parent) = webhooks.pointer_mut(parent) {
            parent[key] = value;
        }
        webhooks
    };
    let edits = [
        ("caBundle", edit("/0/clientConfig/caBundle", json!("Z29uZQ=="))),
        ("namespaceSelector", edit("/0/namespaceSelector", json!({}))),
        ("objectSelector", edit("/0/objectSelector", json!({ "matchLabels": { "a": "b" } }))),
        ("another entry", json!([good[0], other])),
    ];
    let mut repaired = 0.0;
    for (what, webhooks) in edits {
        ensure!(webhooks != good, "{what}: nothing is edited");
        let mut edited = api.get("fault17").await?;
        edited.data["webhooks"] = webhooks;
        api.replace("fault17", &PostParams::default(), &edited).await?;
        eventually_within(SECONDS, format!("{what} is put back"), async || {
            let webhooks = api.get("fault17").await?.data["webhooks"].clone();
            ensure!(webhooks == good, "{webhooks}");
            Ok(())
        })
        .await?;
        repaired += 1.0;
        metric(&operator, REPAIRED, move |value| value >= repaired).await?;
    }
    api.delete("fault17", &DeleteParams::default()).await?;
    eventually_within(SECONDS, "it is made again", async || {
        ensure!(api.get("fault17").await?.data["webhooks"] == good, "another one");
        Ok(())
    })
    .await?;
    let events: Api<Event> = Api::namespaced(stage.cp.admin(), "default");
    eventually("there is an event", async || {
        let found = events.list(&ListParams::default()).await?;
        let about = |event: &&Event| event.regarding.as_ref().is_some_and(|it| it.name.as_deref() == Some("fault17"));
        let event = found.iter().find(about).context("none")?;
        ensure!(event.reason.as_deref() == Some("WebhookConfigurationRepaired"), "{event:?}");
        Ok(())
    })
    .await?;
    let version = api.get("fault17").await?.metadata.resource_version;
    holds_for(Duration::from_secs(3), "at rest it is not written", async || {
        ensure!(api.get("fault17").await?.metadata.resource_version == version, "written");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a24_a_bad_template_changes_nothing_and_a_good_one_is_taken_up() -> Result<()> {
    let stage = Stage::open("a24").await?;
    let operator = stage.operator("a24", "").await?;
    let mut template = harmless("a24");
    stage.template(&template).await?;
    stage.in_order("a24").await?;
    let good = stage.configurations().get("a24").await?.data["webhooks"].clone();
    template["webhooks"][0]["rules"][0]["operations"] = json!(["CREATE", "DELETE"]);
    stage.template(&template).await?;
    eventually("the template is refused", async || {
        let (_, ready) = operator.get("/readyz?verbose").await?;
        ensure!(ready.contains("webhooks[0].rules[0].operations: must not have DELETE"), "{ready}");
        Ok(())
    })
    .await?;
    ensure!(stage.configurations().get("a24").await?.data["webhooks"] == good, "it is in force");
    template["webhooks"][0]["rules"][0]["operations"] = json!(["CREATE"]);
    stage.template(&template).await?;
    eventually("the new template is in force", async || {
        let rules = stage.configurations().get("a24").await?.data["webhooks"][0]["rules"].clone();
        ensure!(rules[0]["operations"] == json!(["CREATE"]), "{rules}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a16_a_change_of_scope_is_widened_first_and_narrowed_after() -> Result<()> {
    let stage = Stage::open("a16").await?;
    let scope = |names: &str| format!("scope: {{ namespaces: [{names}] }}\ncertificates: {{ settleSeconds: 5 }}");
    let operator = stage.operator("a16", &scope("a, b")).await?;
    stage.template(&harmless("a16")).await?;
    stage.in_order("a16").await?;
    let reaches = async |names: &[&str]| {
        let selector = stage.configurations().get("a16").await?.data["webhooks"][0]["namespaceSelector"].clone();
        ensure!(selector["matchExpressions"][0]["values"] == json!(names), "{selector}");
        Ok(())
    };
    reaches(&["a", "b"]).await?;
    operator.reconfigure(&stage.config("a16", &scope("b, c")))?;
    eventually("both scopes are reached", async || reaches(&["a", "b", "c"]).await).await?;
    eventually("the new one alone is reached", async || reaches(&["b", "c"]).await).await
}

#[tokio::test]
async fn a21_other_sources_put_the_bundle_there_and_nothing_is_issued() -> Result<()> {
    let stage = Stage::open("a21").await?;
    let made = nsclass_certs::authority::Authority::make(jiff::Timestamp::now(), jiff::SignedDuration::from_hours(1))?;
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("ca.crt");
    std::fs::write(&file, &made.certificate)?;
    stage.template(&harmless("a21")).await?;
    let files = |settle| {
        format!("certificates: {{ source: Files, bundleFile: '{}', settleSeconds: {settle} }}", file.display())
    };
    let operator = stage.operator("a21", &files(10)).await?;
    eventually("the file's authority is trusted", async || {
        ensure!(stage.bundle("a21").await? == made.certificate.as_bytes(), "another one");
        Ok(())
    })
    .await?;
    // A bad file keeps the last good one.
    std::fs::write(&file, &made.certificate[..200])?;
    operator.reconfigure(&stage.config("a21", &files(11)))?;
    metric(&operator, "nsclass_certificate_failures_total{reason=\"bundle\"}", |value| value > 0.0).await?;
    ensure!(stage.bundle("a21").await? == made.certificate.as_bytes(), "half a bundle is published");
    // cert-manager puts it there itself, and it stays.
    operator.reconfigure(&stage.config("a21", "certificates: { source: CertManager, certificate: hook }"))?;
    eventually("cert-manager is asked", async || {
        let annotations = stage.configurations().get("a21").await?.metadata.annotations.unwrap_or_default();
        ensure!(
            annotations.get("cert-manager.io/inject-ca-from") == Some(&"ops-a21/hook".to_owned()),
            "{annotations:?}"
        );
        Ok(())
    })
    .await?;
    let mut live = stage.configurations().get("a21").await?;
    live.data["webhooks"][0]["clientConfig"]["caBundle"] = json!("aW5qZWN0ZWQ=");
    stage.configurations().replace("a21", &PostParams::default(), &live).await?;
    holds_for(Duration::from_secs(4), "what cert-manager injected stays", async || {
        ensure!(stage.bundle("a21").await? == b"injected", "gone");
        Ok(())
    })
    .await?;
    ensure!(stage.secrets().list(&ListParams::default()).await?.items.is_empty(), "something was issued");
    ensure!(stage.config_maps().get_opt("nsclass-webhook-configuration").await?.is_some(), "the template is gone");
    Ok(())
}
