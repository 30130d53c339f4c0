//! Whatever happens in the middle, nothing is left.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kube::ResourceExt;
use kube::api::ListParams;
use nsclass_shared::names::FINALIZER;
use nsclass_tests::{ControlPlane, GENEROUS, Operator, OperatorOptions, Options, World, eventually};
use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{end, ensure_clean, ensure_says, made, start};

#[tokio::test]
async fn ctrl_c_and_sigterm_end_it_with_everything_taken_away() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    // Out of the scope of this operator, so that it waits.
    let config = "scope: { namespaces: [elsewhere] }".to_owned();
    let operator = Operator::start(&cp, OperatorOptions { config, ..OperatorOptions::default() }).await?;
    for signal in [Signal::INT, Signal::TERM] {
        let program = start(&cp, &[]).await?;
        eventually("class and namespace are made", async || {
            program.ensure_running()?;
            let made = made(&cp).await?;
            ensure!(made.len() == 2, "{made:?}");
            Ok(())
        })
        .await?;
        let pid = Pid::from_raw(i32::try_from(program.pid())?).context("no process")?;
        kill_process(pid, signal)?;
        let result = end(&program).await?;
        ensure_says(&result, 130, &["interrupted", "everything that this made is gone"])?;
        ensure_clean(&cp).await?;
    }
    operator.program().ensure_running()
}

#[tokio::test]
async fn an_operator_that_dies_in_the_middle_holds_nothing_up() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    let world = World::new(&cp, "dies");
    let program = start(&cp, &["--timeout", "5"]).await?;
    // Looked for without pauses: the run takes a second or two, and the controller is to be dead before its end.
    let protected = async {
        loop {
            let classes = world.classes().list_metadata(&ListParams::default()).await?;
            if classes.iter().any(|class| class.finalizers().iter().any(|it| it == FINALIZER)) {
                return anyhow::Ok(());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(GENEROUS, protected).await.context("the class is never bound")??;
    operator.program().kill()?;
    let result = end(&program).await?;
    ensure_says(&result, 1, &["FAILED", "Remedy: ", "everything that this made is gone"])?;
    ensure_clean(&cp).await
}
