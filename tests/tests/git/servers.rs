//! Servers that reject, hang, die and answer nonsense.

use std::time::Duration;

use anyhow::{Result, ensure};
use nsclass_tests::git_server::{Fault, Https, Origin};

use crate::stage::{FILES, Live, Stage, Wanted, https};

async fn begun(wanted: Wanted) -> Result<(Origin, Https, Stage)> {
    let origin = Origin::with(FILES)?;
    let server = Https::start(&origin).await?;
    let live = Live::with(&[("one", "info"), ("two", "info")]);
    let stage = Stage::start(https(&server)?, &live, wanted).await?;
    stage.report("pushed", |report| report.synced.reason.as_str() == "Pushed").await?;
    Ok((origin, server, stage))
}

/// The one change has arrived, once.
fn arrived_once(origin: &Origin) -> Result<()> {
    let log = origin.log()?;
    ensure!(log.len() == 2 && log[0].subject == "[UPDATE] v1/configmaps team-a/one", "{log:?}");
    Ok(())
}

#[tokio::test]
async fn fault_a_server_that_refuses_a_push_is_told_in_its_words_and_gets_it_when_it_takes_it() -> Result<()> {
    let (origin, _server, stage) = begun(Wanted::default()).await?;
    origin.refuse_pushes(Some("only on weekdays"))?;
    stage.set("one", "debug").await?;
    let report = stage.report("the refusal is told", |report| report.synced.reason.as_str() == "PushRefused").await?;
    ensure!(report.synced.message.contains("only on weekdays") && report.pending == 1, "{report:?}");
    ensure!(report.repository_valid.status == Some(true), "{report:?}");
    origin.refuse_pushes(None)?;
    stage.arrived(&origin).await?;
    arrived_once(&origin)?;
    stage.stop().await
}

#[tokio::test]
async fn fault_a_push_that_hangs_is_ended_and_made_again() -> Result<()> {
    let (origin, server, stage) = begun(Wanted { transfer: Duration::from_secs(8), ..Wanted::default() }).await?;
    server.fault(Fault::HangOnPush);
    stage.set("one", "debug").await?;
    let report = stage.report("it is told", |report| report.synced.reason.as_str() == "TimedOut").await?;
    ensure!(report.pending == 1, "{report:?}");
    server.fault(Fault::None);
    stage.arrived(&origin).await?;
    arrived_once(&origin)?;
    stage.stop().await
}

#[tokio::test]
async fn fault_a_server_that_dies_in_a_push_gets_each_commit_once_whether_it_had_taken_it_or_not() -> Result<()> {
    for fault in [Fault::DieBeforePush, Fault::DieAfterPush] {
        let (origin, server, stage) = begun(Wanted::default()).await?;
        server.fault(fault.clone());
        stage.set("one", "debug").await?;
        stage.report("it is told", |report| report.synced.reason.as_str() == "ServerUnreachable").await?;
        server.fault(Fault::None);
        stage.report("and over", |report| report.synced.reason.as_str() == "Pushed" && report.pending == 0).await?;
        stage.arrived(&origin).await?;
        arrived_once(&origin)?;
        stage.stop().await?;
    }
    Ok(())
}

#[tokio::test]
async fn fault_a_server_that_is_broken_for_a_while_flips_no_verdict() -> Result<()> {
    let (origin, server, stage) = begun(Wanted::default()).await?;
    server.fault(Fault::Broken);
    let report = stage.report("it is told", |report| report.synced.status == Some(false)).await?;
    ensure!(
        report.repository_valid.status == Some(true) && report.synced.reason.as_str() == "ServerUnreachable",
        "{report:?}"
    );
    stage.set("one", "debug").await?;
    server.fault(Fault::None);
    stage.arrived(&origin).await?;
    arrived_once(&origin)?;
    stage.stop().await
}

#[tokio::test]
async fn f55_a_redirect_is_not_followed_and_no_credential_reaches_the_other_host() -> Result<()> {
    let (origin, server, stage) = begun(Wanted::default()).await?;
    let other = Https::start(&origin).await?;
    let to = other.url();
    server.fault(Fault::Redirect(to.trim_end_matches("/apps.git").to_owned()));
    stage.set("one", "debug").await?;
    let report = stage.report("it is told", |report| report.synced.reason.as_str() == "Redirected").await?;
    ensure!(report.synced.message.contains("not followed"), "{report:?}");
    ensure!(other.requests() == 0 && other.shown().is_empty(), "the other server was asked {} times", other.requests());
    ensure!(!server.shown().is_empty(), "the first one is shown the credentials");
    server.fault(Fault::None);
    stage.arrived(&origin).await?;
    stage.stop().await
}
