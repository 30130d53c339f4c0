//! What an admission costs: the real webhook, with many namespaces in its snapshot, against a bare rustls and axum sink that reads the
//! same body and decides nothing; beside it what the sink takes where it parses the body as most webhooks do.
//!
//! `cargo bench --bench webhook -- [--namespaces N] [--seconds S] [--rounds R]`. Server and client have a core each, from before the
//! server starts; the control plane stands still meanwhile. Requests per core are requests over the processor time that the server took
//! for them under full load, so that other work on the machine does not count; the rounds of both take turns, and the median counts.
//! Latencies are measured at half of those requests per core, from when a request was due: evenly spaced, and at random, where waiting for
//! others is most of the tail of any one server (3.6 times the median in theory, where each request takes the same). Those of the sink
//! beside them tell what the machine adds. Requests of a moment when one of the two cores was away are left out, and their share is said.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to the person at the terminal")]
#![allow(clippy::cast_precision_loss, reason = "counts of requests are far below 2^52")]

mod away;
mod client;
mod cpu;
mod load;
mod review;
mod sink;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use futures::{StreamExt, TryStreamExt, stream};
use nsclass_tests::webhook::{ServingFiles, Webhook};
use nsclass_tests::{ControlPlane, Options, World};
use rustix::process::{Pid, Signal, kill_process};

use away::{Away, Witness};
use load::{Arrivals, Load, Paced, Sample};
use review::review;

/// The core that each has.
const SERVER: usize = 0;
const CLIENT: usize = 1;

#[derive(Parser)]
struct Args {
    /// Namespaces in the snapshot.
    #[arg(long, default_value_t = 10_000)]
    namespaces: usize,
    /// How long each round lasts.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Rounds of each server.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Is the sink, with the pair of this directory.
    #[arg(long, hide = true)]
    sink: Option<PathBuf>,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    match &args.sink {
        Some(dir) => runtime.block_on(sink::serve(dir)),
        None => runtime.block_on(measure(&args)),
    }
}

async fn measure(args: &Args) -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let world = World::new(&cp, "bench");
    eprintln!("making {} namespaces", args.namespaces);
    stream::iter(0..args.namespaces)
        .map(|i| {
            let world = world.clone();
            async move { world.namespace(&format!("n{i}")).label("team", "blue").label("tier", "gold").create().await }
        })
        .buffer_unordered(16)
        .try_for_each(async |_| Ok(()))
        .await?;
    let outside = world.namespace("outside").label("tier", "lead").create().await?;
    let files = ServingFiles::new()?;
    // What the author may do is asked of the API server (admission.md A01), whose time is not ours.
    let config = "{ scope: { namespaceSelector: { matchLabels: { tier: gold } } }, webhook: { authorChecks: false } }";
    // What is started from here on stays there, and makes as many threads as there are cores for it.
    cpu::favour(std::process::id())?;
    cpu::pin(std::process::id(), SERVER)?;
    let webhook = Webhook::start(&cp, &files, config).await?;
    let (mut sink, sink_address) = start_sink(&files)?;
    cpu::pin(std::process::id(), CLIENT)?;
    let _still = Still::hold(&cp)?;
    eprintln!("{} namespaces, {} rounds of {} s for each review", args.namespaces, args.rounds, args.seconds);
    let (ours, bare) = (
        Server { address: webhook.address(), pid: webhook.program().pid() },
        Server { address: sink_address, pid: sink.id() },
    );
    let outsider = outside.metadata.name.unwrap_or_default();
    for (what, figure, review) in [
        ("a class is judged whole", "webhook", review("", "CREATE")),
        ("a class is written, its spec as it was", "webhook.unchanged", review("", "UPDATE")),
        ("the snapshot decides (namespace out of scope)", "webhook.gate", review(&outsider, "CREATE")),
    ] {
        let load = Load::new(files.ca(), load::PATH, &review)?;
        eprintln!("{what}, {} bytes", load.len());
        let bare_rate = compare(args, figure, &load, &ours, &bare)?;
        let parsed = Load::new(files.ca(), sink::PARSED, &review)?;
        let span = Duration::from_secs(args.seconds);
        let mut rates = (0..args.rounds).map(|_| per_core(&parsed, &bare, span)).collect::<Result<Vec<_>>>()?;
        println!("figure {figure}.parse_alone_rps_ratio {:.2} ratio", median(&mut rates) / bare_rate);
    }
    println!("figure webhook.rss_mb {:.1} MB", cpu::resident(ours.pid)?);
    sink.kill()?;
    sink.wait()?;
    Ok(())
}

/// Something that answers reviews.
struct Server {
    address: SocketAddr,
    pid: u32,
}

/// The control plane, which does nothing for as long as this lives: its ticks would be on the client's core.
struct Still(Vec<Pid>);

impl Still {
    fn hold(cp: &ControlPlane) -> Result<Self> {
        let pids = cp.pids().into_iter().filter_map(|pid| Pid::from_raw(pid.cast_signed())).collect();
        let still = Self(pids);
        for pid in &still.0 {
            kill_process(*pid, Signal::STOP)?;
        }
        Ok(still)
    }
}

impl Drop for Still {
    fn drop(&mut self) {
        for pid in &self.0 {
            // One that has ended needs it no more.
            let _ = kill_process(*pid, Signal::CONT);
        }
    }
}

/// Both servers in turns, first under full load, then at half; what the bare one took a second under full load.
fn compare(args: &Args, figure: &str, load: &Load, ours: &Server, bare: &Server) -> Result<f64> {
    let span = Duration::from_secs(args.seconds);
    let (mut our_rates, mut bare_rates) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        bare_rates.push(per_core(load, bare, span)?);
        our_rates.push(per_core(load, ours, span)?);
    }
    let (our_rate, bare_rate) = (median(&mut our_rates), median(&mut bare_rates));
    let ratio = our_rate / bare_rate;
    eprintln!("  requests per core and second: sink {bare_rate:.0}, webhook {our_rate:.0}, ratio {ratio:.2}");
    println!("figure {figure}.rps_ratio {ratio:.2} ratio");
    for (arrivals, name) in [(Arrivals::Even, ""), (Arrivals::Random, "random_")] {
        for (server, rate, whose, prefix) in [(bare, bare_rate, "sink", "sink_"), (ours, our_rate, "webhook", "")] {
            let mut ratios = Vec::new();
            let mut line = String::new();
            for _ in 0..args.rounds {
                let mut clients = load.connect(server.address)?;
                let witness = Witness::of(SERVER)?;
                let Paced { samples, mut away } = load.paced(&mut clients, rate / 2.0, arrivals, span)?;
                let watched = witness.is_some();
                away.extend(witness.map_or(Ok(vec![]), Witness::end)?);
                let latencies = felt(&samples, &away);
                ensure!(latencies.len() * 2 > samples.len(), "the cores were away too often to tell anything");
                let at = |part: usize| latencies[(latencies.len() - 1) * part / 100].as_secs_f64() * 1e6;
                let (p50, p99) = (at(50), at(99));
                ratios.push(p99 / p50);
                let left_out = 100.0 * (1.0 - latencies.len() as f64 / samples.len() as f64);
                let unwatched = if watched { "" } else { " (the server's core not watched: not allowed)" };
                line = format!(
                    "p50 {p50:.0} µs, p99 {p99:.0} µs over {} requests, {left_out:.1} % left out{unwatched}",
                    samples.len()
                );
            }
            let ratio = median(&mut ratios);
            eprintln!("  {whose} at half load, {arrivals}: {line} in the last round, ratio {ratio:.2}");
            println!("figure {figure}.{prefix}{name}p99_over_p50 {ratio:.2} ratio");
        }
    }
    Ok(bare_rate)
}

/// How long requests took while both cores were there, in order of length.
fn felt(samples: &[Sample], away: &[Away]) -> Vec<Duration> {
    let there = |sample: &&Sample| !away.iter().any(|away| away.touches(sample.due, sample.done));
    let mut took: Vec<_> = samples.iter().filter(there).map(|sample| sample.done.duration_since(sample.due)).collect();
    took.sort_unstable();
    took
}

/// Requests per second of the server's processor time, under full load.
fn per_core(load: &Load, server: &Server, span: Duration) -> Result<f64> {
    let mut clients = load.connect(server.address)?;
    let before = cpu::time(server.pid)?;
    let requests = load.full(&mut clients, span)?;
    let took = cpu::time(server.pid)?.saturating_sub(before);
    ensure!(took > Duration::ZERO, "the server did nothing");
    Ok(requests as f64 / took.as_secs_f64())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn start_sink(files: &ServingFiles) -> Result<(Child, SocketAddr)> {
    use std::io::{BufRead, BufReader};
    let mut sink = Command::new(std::env::current_exe()?)
        .arg("--sink")
        .arg(files.dir())
        .stdout(Stdio::piped())
        .spawn()
        .context("the sink does not start")?;
    let mut line = String::new();
    BufReader::new(sink.stdout.take().context("no output")?).read_line(&mut line)?;
    Ok((sink, line.trim().parse()?))
}
