//! In and out of the scope.

use std::time::Duration;

use anyhow::{Result, ensure};
use kube::api::{Patch, PatchParams};
use nsclass_shared::api::GitProvider;
use nsclass_tests::{eventually, holds_for};
use serde_json::json;

use crate::stage::Stage;

#[tokio::test]
async fn f54_a_target_that_leaves_the_scope_makes_its_rules_pending_and_its_return_restores_them_at_once() -> Result<()>
{
    let stage = Stage::open("f54-target").await?;
    stage.managed_namespace("git").await?;
    let _operator = stage.operator().await?;
    stage.provider("git", json!({})).await?;
    stage.target("git", "apps", json!({ "allowedNamespaces": [stage.name("pay")] })).await?;
    let target = json!({ "name": "apps", "namespace": stage.name("git") });
    stage.rule("pay", "maps", &["configmaps"], target).await?;
    stage.until("WatchRule", "pay", "maps", "Ready", "True", "Streaming").await?;
    stage.until("GitTarget", "git", "apps", "Ready", "True", "").await?;

    stage.manage("git", false).await?;
    let status = stage.until("WatchRule", "pay", "maps", "Ready", "False", "Pending").await?;
    ensure!(status["conditions"].to_string().contains("is not managed by this operator now"), "{status:#}");
    let commits = stage.commits()?;
    stage.put("pay", "one", "debug").await?;
    holds_for(Duration::from_secs(3), "nothing is written for a target that is not managed", async || {
        ensure!(stage.commits()? == commits, "{:?}", stage.origin.log()?);
        Ok(())
    })
    .await?;

    stage.manage("git", true).await?;
    stage.until("WatchRule", "pay", "maps", "Ready", "True", "Streaming").await?;
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    Ok(())
}

#[tokio::test]
async fn f54_a_rule_whose_own_namespace_is_away_is_not_touched_and_changes_meanwhile_are_caught_up() -> Result<()> {
    let stage = Stage::open("f54-rule").await?;
    let operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    stage.manage("pay", false).await?;
    eventually("the controller knows that it is out of scope", async || {
        ensure!(operator.metric("nsclass_scope_namespaces{verdict=\"InScope\"}").await? == 0.0, "not yet");
        Ok(())
    })
    .await?;
    let mark = stage.cp.audit().mark().await?;
    let commits = stage.commits()?;
    stage.put("pay", "one", "debug").await?;
    holds_for(Duration::from_secs(3), "nothing is written", async || {
        ensure!(stage.commits()? == commits, "{:?}", stage.origin.log()?);
        Ok(())
    })
    .await?;
    let namespace = stage.name("pay");
    let requests = stage.cp.audit().since(mark).await?.filter(|request| request.namespace == namespace);
    let ours = requests.by_agent("nsclass-controller").writes();
    ensure!(ours.is_empty(), "out of scope, and yet:\n{ours}");
    stage.manage("pay", true).await?;
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    stage.ready().await?;
    Ok(())
}

#[tokio::test]
async fn f54_a_target_that_leaves_with_changes_pending_writes_none_of_them_and_all_when_it_is_back() -> Result<()> {
    let stage = Stage::open("f54-pending").await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    // Longer than the stay in the scope: the change waits in its window when the namespace leaves.
    let providers: kube::Api<GitProvider> = stage.of("pay");
    let window = |window: &str| Patch::Merge(json!({ "spec": { "commit": { "window": window } } }));
    providers.patch("origin", &PatchParams::default(), &window("10m")).await?;
    let commits = stage.commits()?;
    stage.put("pay", "one", "debug").await?;
    holds_for(Duration::from_secs(2), "the change waits", async || {
        ensure!(stage.commits()? == commits, "{:?}", stage.origin.log()?);
        Ok(())
    })
    .await?;
    stage.manage("pay", false).await?;
    holds_for(Duration::from_secs(4), "nothing is written for a target that is not managed", async || {
        ensure!(stage.commits()? == commits, "{:?}", stage.origin.log()?);
        Ok(())
    })
    .await?;
    providers.patch("origin", &PatchParams::default(), &window("1s")).await?;
    stage.manage("pay", true).await?;
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    stage.ready().await?;
    ensure!(stage.commits()? == commits + 1, "{:?}", stage.origin.log()?);
    Ok(())
}
