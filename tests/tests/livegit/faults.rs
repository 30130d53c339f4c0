//! Things that break in the middle.

use std::time::Duration;

use anyhow::{Result, ensure};
use kube::api::{Patch, PatchParams};
use nsclass_shared::api::GitProvider;
use nsclass_tests::git_server::Fault;
use nsclass_tests::{eventually, holds_for};
use serde_json::json;

use crate::stage::Stage;

#[tokio::test]
async fn f51_a_leader_that_is_killed_in_the_middle_of_a_window_loses_nothing_and_doubles_nothing() -> Result<()> {
    let stage = Stage::open("f51-killed").await?;
    let operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    // A window that nobody will see the end of.
    let providers: kube::Api<GitProvider> = stage.of("pay");
    let window = json!({ "spec": { "commit": { "window": "10m" } } });
    providers.patch("origin", &PatchParams::default(), &Patch::Merge(window)).await?;
    let before = stage.commits()?;
    stage.put("pay", "one", "debug").await?;
    holds_for(Duration::from_secs(3), "the change waits in its window", async || {
        ensure!(stage.commits()? == before, "it was committed before its window was over");
        Ok(())
    })
    .await?;
    operator.program().kill()?;
    let short = json!({ "spec": { "commit": { "window": "1s" } } });
    providers.patch("origin", &PatchParams::default(), &Patch::Merge(short)).await?;
    let _next = stage.operator().await?;
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    stage.ready().await?;
    ensure!(stage.commits()? == before + 1, "{:?}", stage.origin.log()?);
    Ok(())
}

#[tokio::test]
async fn f51_a_server_that_dies_in_the_middle_of_a_push_gets_each_change_once() -> Result<()> {
    let stage = Stage::open("f51-dies").await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    let before = stage.commits()?;
    stage.server.fault(Fault::DieAfterPush);
    stage.put("pay", "one", "debug").await?;
    eventually("the push was begun", async || {
        ensure!(stage.server.pushes() > 0, "not yet");
        Ok(())
    })
    .await?;
    stage.server.fault(Fault::None);
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    stage.ready().await?;
    ensure!(stage.commits()? == before + 1, "{:?}", stage.origin.log()?);
    Ok(())
}

#[tokio::test]
async fn f57_a_person_who_pushes_while_objects_change_loses_nothing() -> Result<()> {
    let stage = Stage::open("f57-person").await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    let person = stage.origin.person("jane")?;
    for round in 0..10 {
        stage.put("pay", "one", &format!("v{round}")).await?;
        person.write("README.md", &format!("Round {round}.\n"))?;
        person.push(&format!("Round {round}"))?;
    }
    stage.file_says("apps/settings.yaml", "level: v9 # or debug").await?;
    let log = stage.origin.log()?;
    ensure!(log.iter().filter(|commit| commit.subject.starts_with("Round ")).count() == 10, "{log:?}");
    ensure!(stage.origin.files()?["README.md"] == "Round 9.\n", "the person's last word is gone");
    Ok(())
}
