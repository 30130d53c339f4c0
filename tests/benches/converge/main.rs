//! How fast and how quietly classes become objects, on the real control plane.
//!
//! `cargo bench --bench converge -- [--namespaces N] …`; 1,000 namespaces of five objects are the quick size and the default, 10,000 the
//! headline. The controller is built the way this benchmark is, so optimised. What it asked for and when is read off the API server's
//! audit log; every rate has its control beside it in the same run: a bare loop that server-side-applies the same objects.
//!
//! 1. [`alone`]: namespaces labelled one after the other, and rest.
//! 2. [`rates`]: a part of the namespaces, the bare loop, the bare loop, another part, and so on; then edits of the class between two
//!    runs of the bare loop, and one that changes no object. What each cost the programs in processor time is said beside it.
//! 3. [`amid`]: one label change while all namespaces follow an edit.
//! 4. [`restart`]: a restart at rest; and what the leader's memory came to.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to the person at the terminal")]

mod alone;
mod amid;
mod bare;
mod class;
mod cost;
mod fleet;
mod leader;
mod rates;
mod restart;
mod window;

use anyhow::Result;
use clap::Parser;

use fleet::Fleet;

/// Sizes.
#[derive(Parser)]
struct Args {
    /// Namespaces that have the class, each with five objects.
    #[arg(long, default_value_t = 1000)]
    namespaces: usize,
    /// Namespaces of the bare loop in each of its four turns; by default as many as the controller has in one, and at most 1,250: what it
    /// applies in a second or two costs the API server no collection of garbage and etcd no growth, both of which the controller pays.
    #[arg(long)]
    bare_namespaces: Option<usize>,
    /// How many requests the bare loop has under way; by default the best of several is found first.
    #[arg(long)]
    bare_concurrency: Option<usize>,
    /// `controller.workers`; the product's default where none is given.
    #[arg(long)]
    workers: Option<u16>,
    /// Namespaces labelled one after the other.
    #[arg(long, default_value_t = 30)]
    alone: usize,
    /// How long rest is watched, before and after a restart of the controller.
    #[arg(long, default_value_t = 20)]
    rest_seconds: u64,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let mut fleet = Fleet::begin(args.workers).await?;
    alone::measure(&mut fleet, args.alone, args.rest_seconds).await?;
    rates::measure(&mut fleet, &args).await?;
    amid::measure(&mut fleet).await?;
    restart::measure(&mut fleet, args.rest_seconds).await?;
    fleet.memory_figures();
    Ok(())
}

/// One line that programs can read.
fn figure(name: &str, value: impl std::fmt::Display, unit: &str) {
    println!("figure converge.{name} {value} {unit}");
}
