//! What is written, and what is not.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_shared::api::GitTarget;
use nsclass_tests::{eventually, holds_for};
use serde_json::json;

use crate::stage::{SETTINGS, Stage};

#[tokio::test]
async fn f51_a_live_change_is_committed_in_place_with_its_comments_within_the_window_and_little_more() -> Result<()> {
    let stage = Stage::open("f51-place").await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    let status = stage.ready().await?;
    ensure!(stage.commits()? == 1, "what is equal makes no commit: {:?}", stage.origin.log()?);
    ensure!(status["rules"] == 1 && status["documents"] == 2, "{status:#}");

    let changed = Instant::now();
    stage.put("pay", "one", "debug").await?;
    let text = stage.file_says("apps/settings.yaml", "level: debug").await?;
    let took = changed.elapsed();
    ensure!(text == SETTINGS.replacen("level: info # or", "level: debug # or", 1), "{text}");
    let log = stage.origin.log()?;
    ensure!(log.len() == 2, "{log:?}");
    ensure!(log[0].subject == format!("[UPDATE] v1/configmaps {}/one", stage.name("pay")), "{:?}", log[0]);
    ensure!(log[0].committer == "Operator", "{:?}", log[0]);
    ensure!(took < Duration::from_secs(20), "it took {took:?}");
    stage.until("WatchRule", "pay", "maps", "Ready", "True", "Streaming").await?;
    stage.until("GitProvider", "pay", "origin", "Ready", "True", "").await?;
    Ok(())
}

#[tokio::test]
async fn f21_a_folder_with_an_unsupported_key_is_refused_in_words_until_a_commit_mends_it_and_then_catches_up()
-> Result<()> {
    let stage = Stage::open("f21-mend").await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    let admin = stage.origin.person("admin")?;
    let sound = admin.read("apps/kustomization.yaml")?;
    admin.write("apps/kustomization.yaml", &format!("{sound}namePrefix: x-\n"))?;
    admin.push("A prefix")?;
    let status = stage.until("GitTarget", "pay", "apps", "RepositoryValid", "False", "").await?;
    let said = status["conditions"].to_string();
    ensure!(said.contains("namePrefix") && said.contains("kustomization.yaml"), "{said}");
    stage.until("GitTarget", "pay", "apps", "Stalled", "True", "").await?;
    let before = stage.commits()?;
    stage.put("pay", "one", "debug").await?;
    holds_for(Duration::from_secs(3), "nothing is written to a folder that is not valid", async || {
        ensure!(stage.commits()? == before, "{:?}", stage.origin.log()?);
        Ok(())
    })
    .await?;
    admin.write("apps/kustomization.yaml", &sound)?;
    admin.push("No prefix")?;
    stage.file_says("apps/settings.yaml", "level: debug").await?;
    stage.ready().await?;
    Ok(())
}

#[tokio::test]
async fn f50_orphans_go_only_under_prune_always_and_deletions_on_event_only_when_seen() -> Result<()> {
    let stage = Stage::open("f50-orphans").await?;
    // A document without a live object, from before anybody watched.
    stage.maps("pay").delete("two", &DeleteParams::default()).await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    ensure!(stage.origin.files()?["apps/settings.yaml"] == SETTINGS, "OnEvent swept what nobody saw deleted");
    stage.maps("pay").delete("one", &DeleteParams::default()).await?;
    eventually("the document of the deleted object is gone", async || {
        let files = stage.origin.files()?;
        ensure!(!files["apps/settings.yaml"].contains("name: one"), "{}", files["apps/settings.yaml"]);
        ensure!(files["apps/settings.yaml"].contains("name: two"), "{}", files["apps/settings.yaml"]);
        Ok(())
    })
    .await?;
    let always = json!({ "spec": { "prune": "Always" } });
    let targets: kube::Api<GitTarget> = stage.of("pay");
    targets.patch("apps", &PatchParams::default(), &Patch::Merge(always)).await?;
    // Another kind is watched too, so that everything is listed again; what is in the folder of a kind that nobody watches stays.
    eventually("the orphan is swept, and with the last document its file", async || {
        let files = stage.origin.files()?;
        ensure!(!files.contains_key("apps/settings.yaml"), "{files:?}");
        ensure!(files.contains_key("apps/kustomization.yaml") && files.contains_key("README.md"), "{files:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn f39_a_secret_is_refused_and_counted_and_the_rest_is_written() -> Result<()> {
    let stage = Stage::open("f39-secret").await?;
    let _operator = stage.operator().await?;
    stage.provider("pay", json!({})).await?;
    stage.target("pay", "apps", json!({})).await?;
    stage.rule("pay", "both", &["configmaps", "secrets"], json!({ "name": "apps" })).await?;
    stage.put("pay", "one", "debug").await?;
    stage.file_says("apps/settings.yaml", "level: debug").await?;
    eventually("the Secret is counted as refused", async || {
        let targets: kube::Api<GitTarget> = stage.of("pay");
        let status = targets.get("apps").await?.status.unwrap_or_default();
        ensure!(status.refused >= 1, "{status:?}");
        Ok(())
    })
    .await?;
    let all = stage.origin.git(["log", "-p", "--all"])?;
    ensure!(!all.contains("opens-sesame") && !all.contains("b3BlbnMtc2VzYW1l"), "a Secret went to Git");
    Ok(())
}

#[tokio::test]
async fn f60_deleting_a_target_stops_its_writes_and_leaves_the_folder_as_it_is() -> Result<()> {
    let stage = Stage::open("f60-gone").await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    let targets: kube::Api<GitTarget> = stage.of("pay");
    targets.delete("apps", &DeleteParams::default()).await?;
    stage.until("WatchRule", "pay", "maps", "Ready", "False", "Pending").await?;
    let (commits, files) = (stage.commits()?, stage.origin.files()?);
    stage.put("pay", "one", "debug").await?;
    stage.maps("pay").delete("two", &DeleteParams::default()).await?;
    holds_for(Duration::from_secs(4), "the folder is as it was", async || {
        ensure!(stage.commits()? == commits && stage.origin.files()? == files, "{:?}", stage.origin.log()?);
        Ok(())
    })
    .await
}
