//! Namespaces labelled one after the other: how long each waits, and whether there is rest afterwards.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, pin_mut};
use kube::runtime::{WatchStreamExt, watcher};
use nsclass_shared::{api::get_condition, names::CLASS_LABEL};
use nsclass_tests::{Audit, World};

use crate::{figure, fleet::Fleet};

/// While a definition is younger than two seconds, the API server lets every creation of its kind wait for two seconds, in case another
/// API server has not heard of it yet. That is no time of ours.
const DEFINITIONS_SETTLE: Duration = Duration::from_secs(3);

pub(crate) async fn measure(fleet: &mut Fleet, namespaces: usize, rest_seconds: u64) -> Result<()> {
    fleet.start().await?;
    if namespaces == 0 {
        return Ok(());
    }
    fleet.cp.apply_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/examples/baseline.yaml")).await?;
    let world = World::new(&fleet.cp, "alone");
    tokio::time::sleep(DEFINITIONS_SETTLE).await;
    let mut millis = Vec::new();
    for i in 0..namespaces {
        let short = format!("n{i}");
        world.namespace(&short).label("var.nsclass.io/team", "blue").create().await?;
        millis.push(label_to_ready(&world, &short, "baseline").await?.as_secs_f64() * 1000.0);
    }
    millis.sort_by(f64::total_cmp);
    let (median, worst) = (millis[millis.len() / 2], millis[millis.len() - 1]);
    eprintln!(
        "label to ready, {namespaces} namespaces one after the other: median {median:.0} ms, worst {worst:.0} ms"
    );
    figure("label_to_ready_ms", format!("{median:.0}"), "ms");

    // Class status is written at most every five seconds; after that there is nothing left to say.
    tokio::time::sleep(Duration::from_secs(6)).await;
    let rest = writes_during(&fleet.cp.audit(), Duration::from_secs(rest_seconds)).await?;
    eprintln!("writes of the controller in {rest_seconds} s of rest: {rest}");
    figure("rest_writes", rest, "writes");
    Ok(())
}

/// From the request that labels the namespace `short` with a class to the watch event that says Ready.
pub(crate) async fn label_to_ready(world: &World, short: &str, class: &str) -> Result<Duration> {
    let name = world.name(short);
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    let events = watcher(world.bindings(), config).applied_objects();
    pin_mut!(events);
    let start = Instant::now();
    let ready = async {
        while let Some(binding) = events.next().await {
            let conditions = binding?.status.unwrap_or_default().conditions;
            if get_condition(&conditions, "Ready").is_some_and(|c| c.status == "True") {
                return Ok(start.elapsed());
            }
        }
        anyhow::bail!("the watch ended")
    };
    let (labelled, ready) = tokio::join!(
        world.label(short, CLASS_LABEL, Some(class)),
        tokio::time::timeout(Duration::from_secs(120), ready)
    );
    labelled?;
    ready.with_context(|| format!("{name} did not get ready"))?
}

/// Writes of the controller during a time, but for its lease.
pub(crate) async fn writes_during(audit: &Audit, span: Duration) -> Result<usize> {
    let mark = audit.mark().await?;
    tokio::time::sleep(span).await;
    let requests = audit.since(mark).await?;
    ensure!(!requests.is_empty(), "the audit log stands still");
    let writes = requests.by_agent("nsclass-controller").writes();
    Ok(writes.filter(|r| !r.resource.starts_with("leases.")).len())
}
