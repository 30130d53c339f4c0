//! Folders that are not valid, not there, or gone.

use anyhow::{Result, ensure};
use nsclass_tests::eventually;
use nsclass_tests::git_server::Origin;

use crate::stage::{FILES, KUSTOMIZATION, Live, Stage, Wanted, local};

#[tokio::test]
async fn f21_a_folder_that_becomes_invalid_gets_nothing_until_it_is_valid_again_and_then_catches_up() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let stage = Stage::start(local(&origin)?, &live, Wanted::default()).await?;
    stage.report("valid", |report| report.synced.reason.as_str() == "Pushed").await?;
    let ann = origin.person("ann")?;
    ann.write("apps/kustomization.yaml", &format!("{KUSTOMIZATION}namePrefix: x-\n"))?;
    ann.push("Prefix")?;
    // It is judged again before the write, whenever the last look was.
    stage.set("one", "debug").await?;
    stage.delete("two").await?;
    let report = stage.report("refused", |report| report.repository_valid.status == Some(false)).await?;
    ensure!(report.repository_valid.reason.as_str() == "UnsupportedKustomization", "{report:?}");
    ensure!(report.repository_valid.message.starts_with("kustomization.yaml: "), "{report:?}");
    ensure!(report.repository_valid.message.contains("namePrefix"), "{report:?}");
    ensure!(report.synced.reason.as_str() == "FolderNotValid", "{report:?}");
    ensure!(origin.log()?.len() == 2, "{:?}", origin.log()?);

    ann.write("apps/kustomization.yaml", KUSTOMIZATION)?;
    ann.push("No prefix")?;
    stage.arrived(&origin).await?;
    let report =
        stage.report("caught up", |report| report.synced.reason.as_str() == "Pushed" && report.pending == 0).await?;
    ensure!(report.repository_valid.status == Some(true) && report.documents == 1, "{report:?}");
    ensure!(!origin.files()?["apps/settings.yaml"].contains("two"), "the deletion was kept too");
    stage.stop().await
}

#[tokio::test]
async fn fault_a_path_deleted_from_the_branch_is_told_and_the_live_objects_are_written_anew() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let stage = Stage::start(local(&origin)?, &live, Wanted::default()).await?;
    stage.report("valid", |report| report.synced.reason.as_str() == "Pushed").await?;
    let ann = origin.person("ann")?;
    ann.remove("apps")?;
    ann.push("Clean up")?;
    stage.arrived(&origin).await?;
    let files = origin.files()?;
    ensure!(files.contains_key("apps/team-a/core/configmaps/one.yaml") && files.len() == 3, "{:?}", files.keys());
    ensure!(stage.heard.notices().iter().any(|notice| notice.reason == "FolderGone"), "{:?}", stage.heard.notices());
    ensure!(origin.log()?[0].subject == "reconciled 2 objects of team-a/prod", "{:?}", origin.log()?);
    stage.stop().await
}

#[tokio::test]
async fn f56_an_empty_repository_works() -> Result<()> {
    let origin = Origin::empty()?;
    let live = Live::with(&[("one", "info")]);
    let stage = Stage::start(local(&origin)?, &live, Wanted::default()).await?;
    eventually("the first commit is there", async || origin.tip()).await?;
    stage.arrived(&origin).await?;
    stage.set("one", "debug").await?;
    stage.arrived(&origin).await?;
    ensure!(origin.log()?.len() == 2 && origin.files()?.len() == 1, "{:?}", origin.log()?);
    stage.stop().await
}

#[tokio::test]
async fn bad20_an_unknown_branch_is_refused_in_words_unless_the_provider_allows_to_make_it() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "debug")]);
    let wanted = |creates_branches| Wanted { branch: "live", creates_branches, ..Wanted::default() };
    let stage = Stage::start(local(&origin)?, &live, wanted(false)).await?;
    let report = stage.report("refused", |report| report.repository_valid.status == Some(false)).await?;
    ensure!(report.repository_valid.reason.as_str() == "BranchNotFound", "{report:?}");
    ensure!(report.repository_valid.message.contains("createBranches"), "{report:?}");
    ensure!(origin.git(["branch", "--list"])?.trim() == "* main");
    stage.stop().await?;

    let stage = Stage::start(local(&origin)?, &live, wanted(true)).await?;
    eventually("the branch is made, from the default branch", async || {
        let files = origin.files_of("live")?;
        ensure!(files["apps/settings.yaml"].contains("level: debug # or debug"), "{files:?}");
        ensure!(files.len() == 3, "{files:?}");
        Ok(())
    })
    .await?;
    ensure!(origin.log()?.len() == 1, "main is as it was");
    stage.stop().await
}

#[tokio::test]
async fn bad20_a_path_that_is_a_file_is_refused_in_words() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let live = Live::with(&[("one", "debug")]);
    let stage = Stage::start(local(&origin)?, &live, Wanted { path: "README.md", ..Wanted::default() }).await?;
    let report = stage.report("refused", |report| report.repository_valid.status == Some(false)).await?;
    ensure!(report.repository_valid.reason.as_str() == "NoDirectory", "{report:?}");
    ensure!(origin.log()?.len() == 1);
    stage.stop().await
}
