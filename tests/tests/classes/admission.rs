//! Quotas, policies and webhooks say no (class.md C37, fault 14).

use anyhow::{Result, ensure};
use k8s_openapi::ByteString;
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams};
use kube::{Api, ResourceExt};
use nsclass_tests::{eventually, until_it_bites};
use serde_json::{Value, json};

use crate::denier::Denier;
use crate::stage::{Stage, config_map, ensure_maps, follows, items, maps, objects, says};

const ADMISSION: &str = "admissionregistration.k8s.io";

/// Applies an object of the cluster and returns its API.
async fn cluster_object(
    world: &Stage,
    group: &str,
    kind: &str,
    name: &str,
    mut object: Value,
) -> Result<Api<DynamicObject>> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, "v1", kind));
    let api = Api::all_with(world.client(), &resource);
    object["apiVersion"] = json!(format!("{group}/v1"));
    object["kind"] = json!(kind);
    object["metadata"]["name"] = json!(name);
    api.patch(name, &PatchParams::apply("test-admin").force(), &Patch::Apply(object)).await?;
    Ok(api)
}

/// The namespace `pay` of the world, and config maps that are made there.
fn new_config_maps(world: &Stage) -> Value {
    json!({
        "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": world.name("pay") } },
        "resourceRules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"] }],
    })
}

/// Waits until a config map of that name cannot be made in `pay`.
async fn until_denied(world: &Stage, rule: &str, name: &str) -> Result<()> {
    let dry = PatchParams { dry_run: true, ..PatchParams::apply("test-admin") };
    let map = Patch::Apply(config_map(name, &json!({})));
    until_it_bites(rule, async || maps(world, "pay").patch(name, &dry, &map).await).await.map(drop)
}

#[tokio::test]
async fn c37_an_exhausted_quota_is_named_and_free_room_is_used_at_the_next_attempt() -> Result<()> {
    let world = Stage::open("c37-quota").await?;
    world.namespace("pay").create().await?;
    let quotas = objects(&world, "pay", "v1", "ResourceQuota", "resourcequotas");
    let quota = |services: &str| {
        Patch::Apply(
            json!({ "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "few" }, "spec": { "hard": { "count/services": services } } }),
        )
    };
    let params = PatchParams::apply("test-admin").force();
    quotas.patch("few", &params, &quota("0")).await?;
    eventually("the quota is counted", async || {
        let used = quotas.get("few").await?.data["status"]["used"].clone();
        ensure!(used.is_object(), "{used}");
        Ok(())
    })
    .await?;
    let service = json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "web" }, "spec": { "ports": [{ "port": 80 }] } });
    world.class("std", items(&[service, config_map("a", &json!({}))])).await?;
    world.join("pay", "std").await?;
    says(&world.not_ready("pay", "QuotaExceeded").await?, &["Service web", "exceeded quota: few", "raise the quota"])?;
    ensure_maps(&world, "pay", &["a"]).await?;
    quotas.patch("few", &params, &quota("1")).await?;
    world.ready("pay", "std").await?;
    Ok(())
}

#[tokio::test]
async fn c37_a_policy_that_denies_is_named_and_its_end_is_noticed() -> Result<()> {
    let world = Stage::open("c37-policy").await?;
    let name = world.name("policy");
    world.namespace("pay").create().await?;
    let validation = json!({ "expression": "object.metadata.name != 'denied'", "message": "no such config map here" });
    let spec = json!({ "spec": { "matchConstraints": new_config_maps(&world), "validations": [validation] } });
    cluster_object(&world, ADMISSION, "ValidatingAdmissionPolicy", &name, spec).await?;
    let binding = json!({ "spec": { "policyName": name, "validationActions": ["Deny"] } });
    let bindings = cluster_object(&world, ADMISSION, "ValidatingAdmissionPolicyBinding", &name, binding).await?;
    until_denied(&world, "no such config map here", "denied").await?;
    world.class("std", items(&[config_map("denied", &json!({})), config_map("other", &json!({}))])).await?;
    world.join("pay", "std").await?;
    let message = world.not_ready("pay", "AdmissionDenied").await?;
    says(&message, &["ConfigMap denied", &name, "no such config map here", "satisfy the webhook or policy"])?;
    ensure_maps(&world, "pay", &["other"]).await?;
    bindings.delete(&name, &DeleteParams::default()).await?;
    world.ready("pay", "std").await?;
    ensure_maps(&world, "pay", &["denied", "other"]).await
}

#[tokio::test]
async fn fault14_a_webhook_that_denies_one_of_five_applies_stops_that_one_alone() -> Result<()> {
    let world = Stage::open("fault14").await?;
    let name = world.name("webhook");
    let denier = Denier::start()?;
    world.namespace("pay").create().await?;
    let rules = new_config_maps(&world);
    let hook = json!({
        "name": "denier.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail",
        "clientConfig": { "url": format!("https://127.0.0.1:{}/message", denier.port), "caBundle": ByteString(denier.ca.into_bytes()) },
        "namespaceSelector": rules["namespaceSelector"], "rules": rules["resourceRules"],
        "matchConditions": [{ "name": "three", "expression": "object.metadata.name == 'm3'" }],
    });
    let hooks =
        cluster_object(&world, ADMISSION, "ValidatingWebhookConfiguration", &name, json!({ "webhooks": [hook] }))
            .await?;
    until_denied(&world, "denier.example.com", "m3").await?;
    let five: Vec<Value> = (1..=5).map(|i| config_map(&format!("m{i}"), &json!({}))).collect();
    let class = world.class("std", items(&five)).await?;
    world.join("pay", "std").await?;
    let message = world.not_ready("pay", "AdmissionDenied").await?;
    says(
        &message,
        &["ConfigMap m3", "admission webhook \"denier.example.com\" denied it", "every ConfigMap needs an owner"],
    )?;
    ensure!(!message.contains("m2") && !message.contains("m4"), "{message}");
    ensure_maps(&world, "pay", &["m1", "m2", "m4", "m5"]).await?;
    let before: Vec<_> =
        maps(&world, "pay").list(&ListParams::default()).await?.iter().map(ResourceExt::resource_version).collect();
    hooks.delete(&name, &DeleteParams::default()).await?;
    follows(&world, "pay", &class).await?;
    let after = maps(&world, "pay").list(&ListParams::default()).await?;
    let unchanged = after.iter().filter(|m| before.contains(&m.resource_version())).count();
    ensure!(unchanged == before.len(), "the others were written again");
    Ok(())
}
