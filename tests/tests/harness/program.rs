//! Programs of the workspace.

use anyhow::{Context, Result, anyhow, bail, ensure};
use nsclass_tests::{GENEROUS, Program, eventually};

use crate::ps;

#[tokio::test]
async fn a_program_runs_and_what_it_said_is_kept_apart() -> Result<()> {
    let program = Program::named("control-plane").arg("--help").start().await?;
    let status = program.wait(GENEROUS).await?;
    ensure!(status.success() && program.stdout()?.contains("Usage: control-plane"), "{status}: {program:?}");
    ensure!(program.stderr()?.is_empty(), "{}", program.stderr()?);
    Ok(())
}

#[tokio::test]
async fn a_program_that_ended_is_told_with_the_end_of_its_log() -> Result<()> {
    let program = Program::named("control-plane").arg("--no-such-flag").start().await?;
    program.wait(GENEROUS).await?;
    let Err(error) = program.ensure_running() else { bail!("it runs") };
    let message = error.to_string();
    let waited = program.eventually("what it will not do any more", async || Err::<(), _>(anyhow!("not yet"))).await;
    ensure!(waited.is_err_and(|error| error.to_string() == message), "it was waited for, and not for {message}");
    ensure!(
        message.starts_with("control-plane ended (exit status: 2)") && message.contains("--no-such-flag"),
        "{message}"
    );
    Ok(())
}

#[tokio::test]
async fn an_unknown_program_is_told_with_those_that_there_are() -> Result<()> {
    let Err(error) = Program::named("controll-plane").start().await else { bail!("it started") };
    let message = format!("{error:#}");
    ensure!(
        message.contains("no binary \"controll-plane\"; it has: ") && message.contains(" control-plane"),
        "{message}"
    );
    Ok(())
}

#[tokio::test]
async fn a_program_can_be_paused_and_goes_on() -> Result<()> {
    let program = Program::named("control-plane").start().await?;
    let state = || -> Result<char> {
        let all = ps::running()?;
        Ok(all.iter().find(|entry| entry.pid == program.pid()).context("it ended")?.state)
    };
    program.pause()?;
    eventually("it stands still", async || {
        let state = state()?;
        ensure!(state == 'T', "{state}");
        Ok(())
    })
    .await?;
    program.resume()?;
    eventually("it goes on, to the end of its start", async || {
        ensure!(program.stdout()?.contains("export KUBECONFIG="), "state {}", state()?);
        Ok(())
    })
    .await?;
    ensure!(program.terminate().await?.success(), "{program:?}");
    Ok(())
}
