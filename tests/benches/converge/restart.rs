//! A restart of the controller at rest: what it asks for, and how soon it is ready.

use std::time::Duration;

use anyhow::{Result, ensure};
use nsclass_tests::OPERATOR_NAMESPACE;

use crate::{figure, fleet::Fleet};

pub(crate) async fn measure(fleet: &mut Fleet, rest_seconds: u64) -> Result<()> {
    // Class status is written at most every five seconds.
    tokio::time::sleep(Duration::from_secs(7)).await;
    let mark = fleet.cp.audit().mark().await?;
    fleet.stop().await?;
    let ready = fleet.start().await?;
    let pid = fleet.pid()?;
    fleet.rest().await?;
    let cpu = crate::leader::cpu_seconds(pid)?;
    tokio::time::sleep(Duration::from_secs(rest_seconds)).await;
    let cpu_at_rest = crate::leader::cpu_seconds(pid)? - cpu;
    fleet.operator()?.program().ensure_running()?;
    let requests = fleet.cp.audit().since(mark).await?.by_agent("nsclass-controller");
    let writes = requests.writes().filter(|r| !r.resource.starts_with("leases."));
    // What is listed of our own namespace is certificates' (there may be one kind in both).
    let lists = requests.verb("list").filter(|r| r.namespace != OPERATOR_NAMESPACE);
    // Lists come in pages; the first of each says which kind.
    let kinds = lists.filter(|r| !r.uri.contains("continue=")).count_by(|r| r.resource.clone());
    eprintln!(
        "over a restart: ready after {:.1} s, all passes took {cpu:.1} s of processor time; {} writes, lists by kind: {kinds:?}",
        ready.as_secs_f64(),
        writes.len()
    );
    eprintln!("processor time in {rest_seconds} s of rest: {cpu_at_rest:.2} s");
    ensure!(kinds.values().all(|lists| *lists == 1), "a kind is listed more than once: {kinds:?}");
    figure("restart_writes", writes.len(), "writes");
    figure("restart_ready_s", format!("{:.1}", ready.as_secs_f64()), "s");
    figure(
        "rest_cpu_percent",
        format!("{:.1}", cpu_at_rest * 100.0 / f64::from(u32::try_from(rest_seconds.max(1))?)),
        "percent",
    );
    fleet.note_memory()
}
