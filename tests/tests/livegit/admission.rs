//! Bad input where no webhook was asked: one sentence, the right condition, and the rest goes on.

use anyhow::{Result, ensure};
use nsclass_shared::api::WatchRule;
use serde_json::json;

use crate::stage::{Stage, definition};

#[tokio::test]
async fn bad20_a_rule_for_noise_our_own_kinds_or_a_thousand_kinds_stalls_alone() -> Result<()> {
    let stage = Stage::open("bad20-rules").await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    let author = json!({ "user": "test-admin", "groups": ["system:masters"] });
    let many: Vec<String> = (0..64).map(|i| format!("r{i}")).collect();
    for (name, groups, resources, reason) in [
        ("events", json!([""]), json!(["events"]), "KindRefused"),
        ("leases", json!(["coordination.k8s.io"]), json!(["leases"]), "KindRefused"),
        ("own", json!(["nsclass.io"]), json!(["gittargets"]), "KindRefused"),
        ("many", json!(["a.io", "b.io", "c.io"]), json!(many), "TooManyKinds"),
    ] {
        let spec = json!({
            "targetRef": { "name": "apps" }, "author": author, "rules": [{ "apiGroups": groups, "resources": resources }],
        });
        stage.make::<WatchRule>("pay", name, spec).await?;
        stage.until("WatchRule", "pay", name, "Stalled", "True", reason).await?;
    }
    stage.put("pay", "one", "debug").await?;
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    Ok(())
}

#[tokio::test]
async fn bad20_a_kind_that_does_not_exist_yet_waits_and_is_watched_when_it_comes() -> Result<()> {
    let stage = Stage::open("bad20-kind").await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    let group = stage.group();
    let spec = json!({
        "targetRef": { "name": "apps" }, "author": { "user": "test-admin", "groups": ["system:masters"] },
        "rules": [{ "apiGroups": [group], "resources": ["widgets"] }],
    });
    stage.make::<WatchRule>("pay", "widgets", spec).await?;
    let status = stage.until("WatchRule", "pay", "widgets", "Reconciling", "True", "KindNotFound").await?;
    ensure!(status["kinds"] == 1 && status["streaming"] == 0, "{status:#}");
    stage.put("pay", "one", "debug").await?;
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    stage.cp.apply_yaml(&definition(&group).to_string()).await?;
    stage.until("WatchRule", "pay", "widgets", "Ready", "True", "Streaming").await?;
    Ok(())
}

#[tokio::test]
async fn bad20_a_branch_that_is_not_allowed_a_secret_that_is_missing_and_a_folder_that_is_taken_are_said_in_words()
-> Result<()> {
    let stage = Stage::open("bad20-target").await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    stage.target("pay", "next", json!({ "branch": "next" })).await?;
    stage.until("GitTarget", "pay", "next", "Validated", "False", "BranchNotAllowed").await?;
    stage.target("pay", "apps/web", json!({})).await?;
    let status = stage.until("GitTarget", "pay", "apps-web", "Validated", "False", "TargetConflict").await?;
    ensure!(status["conditions"].to_string().contains("/apps has folder apps"), "{status:#}");
    stage.managed_namespace("bare").await?;
    let spec = json!({ "url": stage.server.url(), "secretRef": { "name": "nowhere" } });
    stage.make::<nsclass_shared::api::GitProvider>("bare", "origin", spec).await?;
    stage.until("GitProvider", "bare", "origin", "Validated", "False", "SecretInvalid").await?;
    stage.ready().await?;
    Ok(())
}
