//! The authority: made once, by whoever comes first, and never replaced for being damaged (admission.md A23); what is told of it (A25).

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use k8s_openapi::api::events::v1::Event;
use kube::Api;
use kube::api::ListParams;
use nsclass_tests::{eventually, holds_for};

use crate::stage::{Stage, harmless, metric};

#[tokio::test]
async fn a23_two_controllers_that_both_lead_make_one_authority_and_one_pair() -> Result<()> {
    let stage = Stage::open("a23").await?;
    let mark = stage.cp.audit().mark().await?;
    // Two instances: each leads, as two leaders would that do not know of each other.
    let operators = (stage.operator("a23-one", "").await?, stage.operator("a23-two", "").await?);
    stage.template(&harmless("a23")).await?;
    let trusted = stage.in_order("a23").await?;
    holds_for(Duration::from_secs(4), "nobody makes another one", async || {
        ensure!(stage.in_order("a23").await? == trusted, "another authority");
        Ok(())
    })
    .await?;
    let asked = stage.cp.audit().since(mark).await?.writes().in_namespace(&stage.name).on("secrets").accepted();
    for name in ["nsclass-webhook-ca", "nsclass-webhook-tls"] {
        let made = asked.named(name);
        ensure!(made.len() == 1, "{name} was written more than once:\n{made}");
    }
    for operator in [&operators.0, &operators.1] {
        metric(operator, "nsclass_ca_bundle_in_step", |value| value > 0.5).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a23_a_damaged_authority_stops_the_rotation_is_reported_and_stays_as_it_is() -> Result<()> {
    let stage = Stage::open("a23b").await?;
    let operator = stage.operator("a23b", "").await?;
    stage.template(&harmless("a23b")).await?;
    stage.in_order("a23b").await?;
    let (bundle, pair) = (stage.bundle("a23b").await?, stage.file("nsclass-webhook-tls", "tls.crt").await?);
    let damaged = [("current.crt", "-----BEGIN CERTIFICATE-----\nhalf"), ("current.key", "nothing")];
    stage.put("nsclass-webhook-ca", &damaged).await?;
    eventually("it is in /readyz", async || {
        let (status, ready) = operator.get("/readyz?verbose").await?;
        ensure!(status == 200, "not ready: {ready}");
        let parts = ["[!] certificates: Secret nsclass-webhook-ca, current.crt: ", "nothing is rotated", "Restore"];
        ensure!(parts.iter().all(|part| ready.contains(part)), "{ready}");
        Ok(())
    })
    .await?;
    metric(&operator, "nsclass_certificate_failures_total{reason=\"authority\"}", |value| value > 0.0).await?;
    let events: Api<Event> = Api::namespaced(stage.cp.admin(), &stage.name);
    eventually("there is an event on the Secret", async || {
        let found = events.list(&ListParams::default()).await?;
        let event = found.iter().find(|it| it.reason.as_deref() == Some("CertificateAuthorityUnreadable"));
        let regarding = event.and_then(|event| event.regarding.clone()).context("no event")?;
        ensure!(regarding.name.as_deref() == Some("nsclass-webhook-ca"), "{regarding:?}");
        Ok(())
    })
    .await?;
    holds_for(Duration::from_secs(4), "nothing is touched", async || {
        ensure!(stage.file("nsclass-webhook-ca", "current.key").await? == b"nothing", "the authority is replaced");
        ensure!(stage.bundle("a23b").await? == bundle, "the bundle is another");
        ensure!(stage.file("nsclass-webhook-tls", "tls.crt").await? == pair, "the pair is another");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a25_when_certificates_run_out_is_a_metric_by_role() -> Result<()> {
    let stage = Stage::open("a25").await?;
    let operator = stage.operator("a25", "certificates: { authoritySeconds: 90000, servingSeconds: 9000 }").await?;
    eventually("/readyz says what is missing", async || {
        let (status, ready) = operator.get("/readyz?verbose").await?;
        let note = "[!] certificates: there is no ConfigMap ops-a25/nsclass-webhook-configuration";
        ensure!(status == 200 && ready.contains(note), "{ready}");
        Ok(())
    })
    .await?;
    stage.template(&harmless("a25")).await?;
    stage.in_order("a25").await?;
    #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 fit")]
    let now = Timestamp::now().as_second() as f64;
    let near = |seconds: f64| move |value: f64| (value - now - seconds).abs() < 300.0;
    metric(&operator, "nsclass_certificate_not_after_seconds{role=\"authority\"}", near(90_000.0)).await?;
    metric(&operator, "nsclass_certificate_not_after_seconds{role=\"serving\"}", near(9_000.0)).await?;
    metric(&operator, "nsclass_ca_bundle_in_step", |value| value > 0.5).await?;
    let absent = operator.metric("nsclass_certificate_not_after_seconds{role=\"next_authority\"}").await;
    ensure!(absent.is_err(), "a role that is empty has a value");
    let (_, ready) = operator.get("/readyz?verbose").await?;
    ensure!(!ready.contains("certificates:"), "{ready}");
    Ok(())
}
