//! Clocks that are wrong, places that are missing, and tasks that panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use nsclass_controller::leader::WallClock;
use nsclass_shared::lease::Timing;
use nsclass_shared::runtime::Supervisor;
use nsclass_tests::install::ensure_namespace;
use nsclass_tests::{ControlPlane, eventually, holds_for};
use tokio_util::sync::CancellationToken;

use crate::candidates::{Running, Setup};

const TIMING: Timing = Timing {
    lease: Duration::from_secs(5),
    renew_deadline: Duration::from_secs(4),
    retry_period: Duration::from_millis(500),
    request_timeout: Duration::from_secs(2),
};

/// A wall clock that is wrong by so many hours.
fn off_by(hours: i64) -> WallClock {
    Arc::new(move || Timestamp::now() + SignedDuration::from_hours(hours))
}

fn leaders(candidates: &[Running]) -> Vec<usize> {
    (0..candidates.len()).filter(|&i| candidates[i].guard.may_write()).collect()
}

async fn one_leader(candidates: &[Running]) -> Result<usize> {
    eventually("somebody leads", async || leaders(candidates).first().copied().context("nobody")).await
}

#[tokio::test]
async fn fault05_replicas_whose_clocks_are_an_hour_apart_have_one_leader() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let setup = Setup { cp, namespace: "default", lease: "clocks", timing: TIMING };
    let leases: Api<Lease> = Api::namespaced(cp.admin(), "default");
    let candidates: Vec<Running> = [1, -1, 0]
        .iter()
        .map(|&hours| setup.run(&format!("off-by-{hours}"), Some(off_by(hours))))
        .collect::<Result<_>>()?;
    let mut left: Vec<usize> = (0..candidates.len()).collect();
    // Each in its turn leads, dies, and is followed by the next; whose clock is how wrong decides nothing.
    while left.len() > 1 {
        let leader = one_leader(&candidates).await?;
        holds_for(TIMING.lease + TIMING.retry_period, "exactly that one leads", async || {
            let leaders = leaders(&candidates);
            ensure!(leaders == [leader], "{leaders:?} lead");
            Ok(())
        })
        .await?;
        let lease = leases.get("clocks").await?.spec.context("no spec")?;
        let renewed = lease.renew_time.context("no time")?.0;
        // Its clock is as wrong as it was to be.
        let hours: i64 = lease.holder_identity.context("no holder")?.trim_start_matches("off-by-").parse()?;
        let off = renewed.duration_since(Timestamp::now()) - SignedDuration::from_hours(hours);
        ensure!(off.abs() < SignedDuration::from_mins(2), "{hours} h and {off}");
        // As a kill does: the task is gone and releases nothing.
        candidates[leader].task.abort();
        let died = Instant::now();
        left.retain(|&i| i != leader);
        eventually("another leads", async || {
            let leaders = leaders(&candidates);
            ensure!(leaders.iter().any(|i| left.contains(i)), "{leaders:?}");
            Ok(())
        })
        .await?;
        let took = died.elapsed();
        ensure!(took + TIMING.retry_period * 2 > TIMING.lease, "it was taken after {took:?}, before its time");
    }
    for candidate in candidates {
        candidate.shutdown.cancel();
        drop(candidate.task.await);
    }
    Ok(())
}

#[tokio::test]
async fn s40_without_the_operators_namespace_nobody_is_ready_and_it_is_said_what_to_do_and_it_is_taken_up_when_there()
-> Result<()> {
    let cp = ControlPlane::shared().await?;
    let candidate = Setup { cp, namespace: "not-yet", lease: "l", timing: TIMING }.run("early", None)?;
    eventually("it says what is missing", async || {
        let why = candidate.standing.ready().err().context("it is ready")?;
        ensure!(why.contains("namespace not-yet does not exist") && why.contains("create it"), "{why}");
        Ok(())
    })
    .await?;
    ensure!(!candidate.guard.may_write(), "it leads without a lease");
    ensure_namespace(&cp.admin(), "not-yet").await?;
    eventually("it is elected", async || {
        ensure!(candidate.guard.may_write() && candidate.standing.ready().is_ok(), "{:?}", candidate.standing.ready());
        Ok(())
    })
    .await?;
    candidate.shutdown.cancel();
    candidate.task.await?
}

#[tokio::test]
async fn s42_a_leader_that_is_asked_to_end_releases_the_lease_and_the_next_one_leads_at_once() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let timing = Timing { lease: Duration::from_secs(120), renew_deadline: Duration::from_secs(100), ..TIMING };
    let setup = Setup { cp, namespace: "default", lease: "released", timing };
    let first = setup.run("first", None)?;
    eventually("the first leads", async || first.guard.may_write().then_some(()).context("not yet")).await?;
    let second = setup.run("second", None)?;
    eventually("the second stands by", async || {
        ensure!(second.standing.note().contains("first"), "{}", second.standing.note());
        Ok(())
    })
    .await?;
    first.shutdown.cancel();
    first.task.await??;
    ensure!(!first.guard.may_write(), "it may still write");
    // Far less than the lease: only a release makes that possible.
    eventually("the second leads", async || second.guard.may_write().then_some(()).context("not yet")).await?;
    second.shutdown.cancel();
    second.task.await?
}

#[tokio::test]
async fn fault07_a_panic_in_the_lease_task_ends_the_process_and_lets_no_write_begin() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let setup = Setup { cp, namespace: "default", lease: "panics", timing: TIMING };
    // The clock is asked for every write: it works for the election and panics at a renewal.
    let asked = AtomicU32::new(0);
    let wall: WallClock = Arc::new(move || {
        assert!(asked.fetch_add(1, Ordering::SeqCst) < 2, "on purpose");
        Timestamp::now()
    });
    let candidate = setup.candidate("panics", Some(wall))?;
    let guard = candidate.guard.clone();
    let shutdown = CancellationToken::new();
    let mut tasks = Supervisor::new(shutdown.clone());
    tasks.spawn("lease", candidate.run(shutdown.clone()));
    let ended = tokio::spawn(tasks.run(Duration::from_secs(10)));
    guard.elected().await;
    let ended = ended.await?;
    ensure!(ended.as_ref().is_err_and(|why| why.to_string() == "task lease panicked"), "{ended:?}");
    ensure!(shutdown.is_cancelled() && !guard.may_write(), "it goes on");
    Ok(())
}
