//! How fast and how quietly classes become objects, on the real control plane.
//!
//! `cargo bench --bench converge -- [--namespaces N] [--rest-seconds S]`: the baseline example, namespaces labelled one after the other,
//! then rest, then rest over a restart of the controller. Writes are counted in the API server's audit log.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to the person at the terminal")]

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use futures::{StreamExt, pin_mut};
use kube::runtime::{WatchStreamExt, watcher};
use nsclass_shared::api::get_condition;
use nsclass_shared::names::CLASS_LABEL;
use nsclass_tests::{Audit, ControlPlane, Operator, OperatorOptions, Options, World};

#[derive(Parser)]
struct Args {
    /// Namespaces labelled one after the other.
    #[arg(long, default_value_t = 50)]
    namespaces: usize,
    /// How long rest is watched, before and after a restart of the controller.
    #[arg(long, default_value_t = 30)]
    rest_seconds: u64,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let cp = ControlPlane::start(Options::default()).await?;
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    cp.apply_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/examples/baseline.yaml")).await?;
    let world = World::new(&cp, "bench");

    let mut millis = Vec::new();
    for i in 0..args.namespaces {
        millis.push(label_to_ready(&world, &format!("n{i}")).await?);
    }
    millis.sort_by(f64::total_cmp);
    let (median, worst) = (millis[millis.len() / 2], millis[millis.len() - 1]);
    eprintln!(
        "label to ready, {} namespaces one after the other: median {median:.0} ms, worst {worst:.0} ms",
        args.namespaces
    );
    println!("figure converge.label_to_ready_ms {median:.0} ms");

    // Class status is written at most every five seconds; after that there is nothing left to say.
    tokio::time::sleep(Duration::from_secs(6)).await;
    let audit = cp.audit();
    let rest = writes_during(&audit, Duration::from_secs(args.rest_seconds)).await?;
    eprintln!("writes of the controller in {} s of rest: {rest}", args.rest_seconds);
    println!("figure converge.rest_writes {rest} writes");

    let mark = audit.mark().await?;
    operator.program().terminate().await?;
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    tokio::time::sleep(Duration::from_secs(args.rest_seconds)).await;
    operator.program().ensure_running()?;
    let requests = audit.since(mark).await?.by_agent("nsclass-controller");
    let lists = requests.verb("list");
    eprintln!("over a restart: {} requests, writes:\n{}lists:\n{lists}", requests.len(), requests.writes());
    println!("figure converge.restart_writes {} writes", requests.writes().len());
    Ok(())
}

/// Milliseconds from the request that labels a namespace to the watch event that says Ready.
async fn label_to_ready(world: &World, short: &str) -> Result<f64> {
    world.namespace(short).label("var.nsclass.io/team", "blue").create().await?;
    let name = world.name(short);
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    let events = watcher(world.bindings(), config).applied_objects();
    pin_mut!(events);
    let start = Instant::now();
    let ready = async {
        while let Some(binding) = events.next().await {
            let conditions = binding?.status.unwrap_or_default().conditions;
            if get_condition(&conditions, "Ready").is_some_and(|c| c.status == "True") {
                return Ok(start.elapsed().as_secs_f64() * 1000.0);
            }
        }
        anyhow::bail!("the watch ended")
    };
    let (labelled, ready) = tokio::join!(
        world.label(short, CLASS_LABEL, Some("baseline")),
        tokio::time::timeout(Duration::from_secs(60), ready)
    );
    labelled?;
    ready.with_context(|| format!("{name} did not get ready"))?
}

async fn writes_during(audit: &Audit, span: Duration) -> Result<usize> {
    let mark = audit.mark().await?;
    tokio::time::sleep(span).await;
    let requests = audit.since(mark).await?;
    ensure!(!requests.is_empty(), "the audit log stands still");
    Ok(requests.by_agent("nsclass-controller").writes().len())
}
