//! How long nobody acts when a leader goes (scope.md S40), on the real control plane.
//!
//! `cargo bench --bench takeover -- [--runs N]`: a leader and a standby with the configuration's defaults. At the moment of the signal a
//! namespace is labelled; a takeover is over when the other replica leads and that namespace is Ready. The control is the same label with
//! nobody going. The worst run counts.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to the person at the terminal")]

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use nsclass_shared::config::LeaderElectionConfig;
use nsclass_tests::{ControlPlane, Options, Replica, World};
use serde_json::json;
use tokio::time::sleep;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(5);
/// Far beyond any takeover.
const DEADLINE: Duration = Duration::from_secs(60);

#[derive(Parser)]
struct Args {
    /// Runs of each kind.
    #[arg(long, default_value_t = 10)]
    runs: usize,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Term,
    Kill,
}

/// The stage: who leads, and a class for namespaces that come one after the other.
struct Bench<'a> {
    cp: &'a ControlPlane,
    world: World,
    leader: Replica,
    count: usize,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    ensure!(args.runs > 0, "--runs: at least 1");
    let cp = ControlPlane::start(Options::default()).await?;
    let leader = Replica::start(&cp, "takeover-0", "").await?;
    leader.until_it_leads().await?;
    let world = World::new(&cp, "takeover");
    let item = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "about" } });
    world.class("std", json!({ "resources": [item] })).await?;
    let mut bench = Bench { cp: &cp, world, leader, count: 0 };

    // The class gets its finalizer with its first namespace, which none of the others waits for.
    let first = bench.namespace().await?;
    bench.world.join(&first, "std").await?;
    bench.until_ready(&first).await?;
    let mut control = Vec::new();
    for _ in 0..args.runs {
        let name = bench.namespace().await?;
        let start = Instant::now();
        bench.world.join(&name, "std").await?;
        bench.until_ready(&name).await?;
        control.push(start.elapsed());
    }
    let mut term = Vec::new();
    for _ in 0..args.runs {
        term.push(bench.takeover(End::Term).await?);
    }
    let mut kill = Vec::new();
    for _ in 0..args.runs {
        kill.push(bench.takeover(End::Kill).await?);
    }
    let lease = LeaderElectionConfig::default().timing().lease;
    eprintln!("seconds, {} runs each         median    worst", args.runs);
    row("control: label to Ready", &mut control);
    row("SIGTERM: label to Ready", &mut term);
    row("SIGKILL: label to Ready", &mut kill);
    let worst = |times: &[Duration]| times.last().map_or(0.0, Duration::as_secs_f64);
    println!("figure takeover.control_s {:.3} s", worst(&control));
    println!("figure takeover.term_s {:.3} s", worst(&term));
    println!("figure takeover.kill_past_lease_s {:.3} s", worst(&kill) - lease.as_secs_f64());
    Ok(())
}

impl Bench<'_> {
    /// A namespace without a class.
    async fn namespace(&mut self) -> Result<String> {
        self.count += 1;
        let name = format!("n{}", self.count);
        self.world.namespace(&name).create().await?;
        Ok(name)
    }

    async fn until_ready(&self, name: &str) -> Result<()> {
        let end = Instant::now() + DEADLINE;
        while Instant::now() < end {
            let binding = self.world.binding(name).await?;
            let conditions = binding.and_then(|binding| binding.status).unwrap_or_default().conditions;
            if conditions.iter().any(|it| it.type_ == "Ready" && it.status == "True") {
                return Ok(());
            }
            sleep(LOOK).await;
        }
        anyhow::bail!("{name} has not become Ready within {DEADLINE:?}")
    }

    /// Ends the leader; how long it takes until the other one has done what was asked for at that moment.
    async fn takeover(&mut self, how: End) -> Result<Duration> {
        let next = Replica::start(self.cp, &format!("takeover-{}", self.count + 1), "").await?;
        let name = self.namespace().await?;
        // Where in its renewals the leader is, is as it comes.
        sleep(Duration::from_millis(u64::try_from(self.count * 377 % 2000)?)).await;
        let start = Instant::now();
        let took = match how {
            End::Term => {
                let ended = self.leader.program().terminate();
                let took = async {
                    // After the signal, which is sent when this is first waited for.
                    tokio::task::yield_now().await;
                    self.world.join(&name, "std").await?;
                    self.until_taken_over(&next, &name).await?;
                    anyhow::Ok(start.elapsed())
                };
                let (ended, took) = tokio::join!(ended, took);
                ensure!(ended?.success(), "the leader did not stop in order");
                took?
            }
            End::Kill => {
                self.leader.program().kill()?;
                self.world.join(&name, "std").await?;
                self.until_taken_over(&next, &name).await?;
                start.elapsed()
            }
        };
        self.leader = next;
        Ok(took)
    }

    async fn until_taken_over(&self, next: &Replica, name: &str) -> Result<()> {
        let end = Instant::now() + DEADLINE;
        while !next.leads().await? {
            ensure!(Instant::now() < end, "nobody has taken over within {DEADLINE:?}");
            sleep(LOOK).await;
        }
        self.until_ready(name).await.context("after the takeover")
    }
}

/// Sorts and prints.
fn row(what: &str, times: &mut [Duration]) {
    times.sort();
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    eprintln!("{what:<28} {:>8.3} {:>8.3}", median.as_secs_f64(), worst.as_secs_f64());
}
