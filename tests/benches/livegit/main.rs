//! How fast, how soon and how fat live objects get into a folder of 10,000 documents behind smart HTTP.
//!
//! `cargo bench --bench livegit -- [--documents N] [--changes N] [--group N] [--rounds N]`. The control writes the same bytes into a
//! checkout of the same repository and commits them in the same groups, with the git program alone, and pushes once.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to the person at the terminal")]

mod control;
#[allow(dead_code, unreachable_pub, reason = "it is the suite's, and a benchmark needs part of it")]
#[path = "../../tests/git/stage.rs"]
mod stage;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use nsclass_tests::git_server::{Https, Origin};
use nsclass_tests::{eventually_within, holds_for};

use stage::{Live, Stage, Wanted, https};

/// Documents in one file.
const PER_FILE: usize = 5;
/// The window of the last measurement, as providers have it by default.
const WINDOW: Duration = Duration::from_secs(5);
/// What the worker counts for one of these changes, in bytes.
const WEIGHT: usize = 794;
/// For anything here.
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Parser)]
struct Args {
    /// Documents in the folder.
    #[arg(long, default_value_t = 10_000)]
    documents: usize,
    /// Objects that change.
    #[arg(long, default_value_t = 1000)]
    changes: usize,
    /// Changes in one commit.
    #[arg(long, default_value_t = 20)]
    group: usize,
    /// How often workers and control are timed, in turns; the fastest counts, since everything else is the machine.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let names: Vec<String> = (0..args.documents).map(|number| format!("c{number:05}")).collect();
    let files = folder(&names);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let origin = Origin::with(&files)?;
    let server = Https::start(&origin).await?;
    let live = Live::with(&names.iter().map(|name| (name.as_str(), "info")).collect::<Vec<_>>());
    let directory = tempfile::tempdir()?;
    let wanted = |window| Wanted {
        window,
        poll: Duration::from_secs(3600),
        // As many changes as are one group.
        window_bytes: args.group * WEIGHT,
        directory: Some(directory.path().to_owned()),
        ..Wanted::default()
    };

    let (mut ours, mut bare) = (f64::MAX, f64::MAX);
    let stage = Stage::start(https(&server)?, &live, wanted(Duration::from_secs(2))).await?;
    synced(&stage).await?;
    for round in 0..args.rounds {
        let level = format!("round-{round}");
        let before = origin.tip()?;
        let took = changes(&stage, &origin, &names[..args.changes], &level).await?;
        let groups = control::groups(&origin, &before)?;
        ensure!(groups.len() >= args.changes / args.group, "{} commits", groups.len());
        let control = control::measure(&server, &before, &groups)?;
        eprintln!(
            "round {round}: {} changes in {} commits: {took:.2} s, control {control:.2} s",
            args.changes,
            groups.len()
        );
        ours = ours.min(took);
        bare = bare.min(control);
    }
    stage.stop().await?;
    let resident = resident_megabytes()?;

    let commits = origin.log()?.len();
    let (fetches, pushes) = (server.fetches(), server.pushes());
    let stage = Stage::start(https(&server)?, &live, Wanted { window_bytes: 8 << 20, ..wanted(WINDOW) }).await?;
    synced(&stage).await?;
    holds_for(Duration::from_secs(3), "a restart at rest writes nothing", async || {
        ensure!(origin.log()?.len() == commits && server.pushes() == pushes);
        Ok(())
    })
    .await?;
    let since = server.fetches() - fetches;
    ensure!(since <= 1, "a restart at rest fetched {since} times");

    let begin = Instant::now();
    stage.set(&names[0], "seen").await?;
    arrived(&origin, &path(0), "seen").await?;
    let seen = begin.elapsed().as_secs_f64();
    stage.stop().await?;

    println!("figure livegit.changes_per_s {:.0} 1/s", to_f64(args.changes) / ours);
    println!("figure livegit.changes_ratio {:.2} ratio", bare / ours);
    println!("figure livegit.seen_s {seen:.2} s");
    println!("figure livegit.rss_mb {resident:.0} MB");
    println!("figure livegit.restart_fetches {since} fetches");
    Ok(())
}

/// Waits until the folder was read and every object compared.
async fn synced(stage: &Stage) -> Result<()> {
    eventually_within(PATIENCE, "everything is compared", async || {
        let last = stage.heard.last().context("no report yet")?;
        ensure!(last.synced.reason.as_str() == "Pushed" && last.pending == 0 && stage.worker.is_idle(), "{last:?}");
        Ok(())
    })
    .await
}

/// Changes that many objects; the seconds from the first change to the last commit on the server.
async fn changes(stage: &Stage, origin: &Origin, names: &[String], level: &str) -> Result<f64> {
    let begin = Instant::now();
    for name in names {
        stage.set(name, level).await?;
    }
    arrived(origin, &path(names.len() - 1), level).await?;
    Ok(begin.elapsed().as_secs_f64())
}

/// Waits until a file on the server holds that level in its last document.
async fn arrived(origin: &Origin, path: &str, level: &str) -> Result<()> {
    let begin = Instant::now();
    let object = format!("main:{path}");
    loop {
        if origin.git(["show", &object])?.contains(&format!("level: {level} #")) {
            return Ok(());
        }
        ensure!(begin.elapsed() < PATIENCE, "{path} does not hold {level}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The file of an object.
fn path(number: usize) -> String {
    format!("apps/f{}.yaml", number / PER_FILE)
}

fn folder(names: &[String]) -> Vec<(String, String)> {
    let mut kustomization = String::from("namespace: team-a\nresources:\n");
    let mut files = Vec::new();
    for (number, chunk) in names.chunks(PER_FILE).enumerate() {
        // invariant: writing to a String cannot fail.
        let _ = writeln!(kustomization, "- f{number}.yaml");
        let documents = chunk.iter().map(|name| {
            format!("# Settings of {name}.\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  level: info # or debug\n")
        });
        files.push((format!("apps/f{number}.yaml"), documents.collect::<Vec<_>>().join("---\n")));
    }
    files.push(("apps/kustomization.yaml".to_owned(), kustomization));
    files
}

/// Most memory that this process ever had resident, servers and objects of the benchmark included.
fn resident_megabytes() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").trim().parse()?;
    Ok(kilobytes / 1024.0)
}

#[allow(clippy::cast_precision_loss, reason = "thousands")]
fn to_f64(number: usize) -> f64 {
    number as f64
}
