//! An installation that has everything.

use std::fs;

use anyhow::{Result, ensure};
use nsclass_tests::policies::policy;
use nsclass_tests::webhook::{ServingFiles, Webhook, template_at};
use nsclass_tests::{
    ControlPlane, Identity, OPERATOR_NAMESPACE, Operator, OperatorOptions, Options, World, eventually,
};
use serde_json::json;

use crate::stage::{ensure_clean, ensure_says, smoke};

#[tokio::test]
async fn where_everything_is_installed_everything_is_tried_and_nothing_is_left() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let files = ServingFiles::new()?;
    let webhook = Webhook::start(&cp, &files, "").await?;
    let dir = tempfile::tempdir()?;
    let bundle = dir.path().join("ca.crt");
    fs::write(&bundle, files.ca())?;
    let config = json!({ "certificates": { "source": "Files", "bundleFile": bundle } }).to_string();
    // The webhook is not asked about the operator's own writes, and so not about the admin's if they were one.
    let identity = Some(Identity::user("operator", &["system:masters"]));
    let operator = Operator::start(&cp, OperatorOptions { config, identity, ..OperatorOptions::default() }).await?;
    let map = json!({ "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "nsclass-webhook-configuration", "namespace": OPERATOR_NAMESPACE },
        "data": { "webhook-configuration.yaml": template_at(webhook.address())?.to_string() } });
    cp.apply_yaml(&map.to_string()).await?;
    cp.install_policies().await?;
    eventually("the configuration is the leader's", async || {
        let value = operator.metric("nsclass_ca_bundle_in_step").await?;
        ensure!(value > 0.0, "it is not in step");
        Ok(())
    })
    .await?;

    let (code, said) = smoke(&cp, &[]).await?;
    ensure!(code == 0 && said.contains("everything is as it should be"), "{code}: {said}");
    let lines = |word: &str| said.lines().filter(|line| line.starts_with(word)).count();
    ensure!(lines("ok") == 10 && lines("skipped") == 0 && lines("FAILED") == 0, "{said}");
    ensure_clean(&cp).await?;

    // With the lock on managed objects, too: cluster admins hold the verb that it asks for.
    cp.apply_yaml(&policy("lock")?).await?;
    let (code, said) = smoke(&cp, &[]).await?;
    ensure!(code == 0, "{code}: {said}");

    // What is there already is nobody's to take.
    cp.apply_yaml("{ apiVersion: v1, kind: Namespace, metadata: { name: theirs } }").await?;
    let result = smoke(&cp, &["--name", "theirs"]).await?;
    ensure_says(&result, 1, &["Namespace theirs", "already exists", "everything that this made is gone"])?;
    let world = World::new(&cp, "theirs");
    let theirs = world.namespaces().get("theirs").await?;
    ensure!(theirs.metadata.deletion_timestamp.is_none(), "it deletes what it did not make");
    ensure!(world.classes().get_opt("theirs").await?.is_none(), "it leaves what it made");

    // The webhook goes: nobody can write a class, and that is what is said.
    webhook.program().terminate().await?;
    let result = smoke(&cp, &["--timeout", "3"]).await?;
    ensure_says(&result, 1, &["failed calling webhook", "Remedy: ", "component=webhook"])?;
    ensure_clean(&cp).await?;
    operator.program().ensure_running()
}
