//! The worker ends in the middle, or its disk is full.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nsclass_tests::eventually;
use nsclass_tests::git_server::{Fault, Https, Origin};

use crate::stage::{FILES, Leads, Live, Stage, Wanted, https, local};

/// Says that this process has a mount namespace of its own.
const CONTAINED: &str = "NSCLASS_GIT_SUITE_CONTAINED";

#[tokio::test]
async fn fault_a_worker_killed_before_its_commit_in_its_push_or_after_it_loses_and_doubles_nothing() -> Result<()> {
    enum When {
        InWindow,
        InPush,
        AfterPush,
    }
    for when in [When::InWindow, When::InPush, When::AfterPush] {
        let origin = Origin::with(FILES)?;
        let server = Https::start(&origin).await?;
        let directory = tempfile::tempdir()?;
        let live = Live::with(&[("one", "info"), ("two", "info")]);
        let wanted = |window| Wanted { window, directory: Some(directory.path().to_owned()), ..Wanted::default() };
        let window = if matches!(when, When::InWindow) { Duration::from_secs(600) } else { Duration::ZERO };
        let stage = Stage::start(https(&server)?, &live, wanted(window)).await?;
        stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
        match when {
            When::InWindow => {
                stage.set("one", "debug").await?;
                eventually("it was taken", async || {
                    ensure!(stage.worker.is_idle());
                    Ok(())
                })
                .await?;
            }
            When::InPush => {
                server.fault(Fault::HangOnPush);
                stage.set("one", "debug").await?;
                eventually("the push has begun", async || {
                    ensure!(server.pushes() > 0);
                    Ok(())
                })
                .await?;
            }
            When::AfterPush => {
                stage.set("one", "debug").await?;
                stage.arrived(&origin).await?;
            }
        }
        stage.kill().await;
        server.fault(Fault::None);
        let stage = Stage::start(https(&server)?, &live, wanted(Duration::ZERO)).await?;
        stage.arrived(&origin).await?;
        stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed" && report.pending == 0).await?;
        ensure!(origin.log()?.len() == 2, "{:?}", origin.log()?);
        stage.stop().await?;
    }
    Ok(())
}

#[tokio::test]
async fn fault_a_leader_replaced_in_the_middle_of_a_window_pushes_nothing_more_and_the_next_one_does() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let server = Https::start(&origin).await?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let leads = Arc::new(Leads(AtomicBool::new(true)));
    let wanted = Wanted { leads: leads.clone(), window: Duration::from_secs(1), ..Wanted::default() };
    let old = Stage::start(https(&server)?, &live, wanted).await?;
    old.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    old.set("one", "debug").await?;
    leads.0.store(false, Ordering::SeqCst);
    let report = old.report("the change waits", |report| report.pending == 1).await?;
    ensure!(report.synced.reason.as_str() == "Pending" && server.pushes() == 0, "{report:?}");
    let new = Stage::start(https(&server)?, &live, Wanted::default()).await?;
    new.arrived(&origin).await?;
    let log = origin.log()?;
    ensure!(log.len() == 2 && log[0].subject == "reconciled 1 objects of team-a/prod", "{log:?}");
    // Elected again, the old one finds its change done.
    leads.0.store(true, Ordering::SeqCst);
    old.report("nothing waits", |report| report.pending == 0).await?;
    ensure!(origin.log()? == log, "{:?}", origin.log()?);
    old.stop().await?;
    new.stop().await
}

#[tokio::test]
async fn fault_a_copy_that_a_killed_program_left_locked_or_broken_is_mended() -> Result<()> {
    let origin = Origin::with(FILES)?;
    let directory = tempfile::tempdir()?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let wanted = || Wanted { directory: Some(directory.path().to_owned()), ..Wanted::default() };
    let stage = Stage::start(local(&origin)?, &live, wanted()).await?;
    stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    stage.stop().await?;
    let copy = directory.path().read_dir()?.next().context("a copy")??.path().join("repository.git");
    std::fs::write(copy.join("shallow.lock"), "")?;
    std::fs::create_dir_all(copy.join("refs/nsclass"))?;
    std::fs::write(copy.join("refs/nsclass/tip.lock"), "")?;
    live.set("one", "debug");
    let stage = Stage::start(local(&origin)?, &live, wanted()).await?;
    stage.arrived(&origin).await?;
    stage.stop().await?;
    // And every object lost.
    std::fs::remove_dir_all(copy.join("objects"))?;
    std::fs::create_dir_all(copy.join("objects"))?;
    live.set("one", "trace");
    let stage = Stage::start(local(&origin)?, &live, wanted()).await?;
    stage.arrived(&origin).await?;
    ensure!(origin.log()?.len() == 3, "{:?}", origin.log()?);
    stage.stop().await
}

#[tokio::test]
async fn fault_a_full_disk_is_told_and_over_when_there_is_room() -> Result<()> {
    if std::env::var_os(CONTAINED).is_none() {
        return contained("crashes::fault_a_full_disk_is_told_and_over_when_there_is_room").await;
    }
    let disk = tempfile::tempdir()?;
    let mount = |options: &str| -> Result<()> {
        let status = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(disk.path()).status()?;
        ensure!(status.success(), "mount {options}: {status}");
        Ok(())
    };
    mount("size=2m")?;
    let mut noise = String::new();
    noise.extend((0..60_000_u64).map(|n| format!("{:x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
    let origin = Origin::with(&[FILES, &[("noise.txt", &noise[..])]].concat())?;
    let fill = disk.path().join("fill");
    std::fs::write(&fill, vec![7_u8; 1_800_000])?;
    let live = Live::with(&[("one", "debug"), ("two", "info")]);
    let wanted = Wanted { directory: Some(disk.path().join("copies")), ..Wanted::default() };
    let stage = Stage::start(local(&origin)?, &live, wanted).await?;
    let report = stage.report("it is told", |report| report.synced.reason.as_str() == "DiskFull").await?;
    ensure!(report.synced.message.contains("git.directory"), "{report:?}");
    std::fs::remove_file(&fill)?;
    stage.arrived(&origin).await?;
    stage.stop().await?;
    ensure!(Command::new("umount").arg(disk.path()).status()?.success());
    Ok(())
}

/// Runs one test of this binary where it may mount: as root in a mount namespace, else in a user namespace.
async fn contained(test: &str) -> Result<()> {
    let (test, binary) = (test.to_owned(), std::env::current_exe()?);
    let output = tokio::task::spawn_blocking(move || {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "--"]).arg(binary).args([
            "--exact",
            &test,
            "--nocapture",
        ]);
        command.env(CONTAINED, "1").output()
    })
    .await??;
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    ensure!(output.status.success() && said.contains("1 passed"), "{said}");
    Ok(())
}
