//! What the snapshot of namespaces costs: to build, to ask, to publish, to keep; and how soon it shows what the API server knows.
//!
//! `cargo bench --bench snapshot -- [--small N] [--large N] [--seconds S]`. Each cost stands beside a control: a plain map that is asked
//! without anybody publishing, and one that is cloned for each publication.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to the person at the terminal")]

#[path = "snapshot/cost.rs"]
mod cost;
#[path = "snapshot/seen.rs"]
mod seen;

use anyhow::Result;
use clap::Parser;

#[derive(Parser)]
struct Args {
    /// Namespaces in the smaller snapshot.
    #[arg(long, default_value_t = 10_000)]
    small: usize,
    /// Namespaces in the larger one.
    #[arg(long, default_value_t = 100_000)]
    large: usize,
    /// How long labels change on the real API server, a hundred times a second; 0 leaves it out.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let small = cost::measure(args.small);
    let large = cost::measure(args.large);
    // Ten times the changes in the same cluster. Across sizes, memory beyond the processor's caches shows, as it does in a plain map.
    let growth = large.burst.as_secs_f64() / large.burst_tenth.as_secs_f64();
    let across = large.burst.as_secs_f64() / small.burst.as_secs_f64();
    eprintln!(
        "ten times the changes take {growth:.1} times as long; every namespace of the larger cluster, {across:.1} times those of the smaller one"
    );
    let seen = if args.seconds > 0 { Some(seen::measure(args.seconds).await?) } else { None };
    small.figures(&format!("{}k", args.small / 1000));
    large.figures(&format!("{}k", args.large / 1000));
    println!("figure snapshot.lookup_ns {:.0} ns", small.lookup_ns.max(large.lookup_ns));
    println!("figure snapshot.burst_growth {growth:.1} ratio");
    println!("figure snapshot.burst_growth_across {across:.1} ratio");
    if let Some(seen) = seen {
        println!("figure snapshot.seen_p50_ms {:.1} ms", seen.p50);
        println!("figure snapshot.seen_p99_ms {:.1} ms", seen.p99);
    }
    Ok(())
}
