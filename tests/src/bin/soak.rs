//! `cargo soak`: random events, kills and restarts on a real control plane for as long as you like, against a model.
#![allow(clippy::print_stdout, reason = "it talks to the person at the terminal")]

use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use nsclass_tests::soak::Soak;

/// Plays random labels, switches, edits, deletions, kind removals, tenants' edits and kills of the controller on a control plane of its
/// own. Fails when the cluster does not become what the model says, with the seed.
#[derive(Parser)]
#[command(name = "soak")]
struct Args {
    /// How long events happen.
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// Namespaces at most.
    #[arg(long, default_value_t = 200)]
    namespaces: usize,
    /// Milliseconds between two events.
    #[arg(long, default_value_t = 50)]
    pause_millis: u64,
    /// How often the controller is killed, spread over the time.
    #[arg(long, default_value_t = 40)]
    kills: u32,
    /// Where the dice begin; a random one where none is given.
    #[arg(long)]
    seed: Option<u64>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let soak = Soak {
        span: Duration::from_secs(args.seconds),
        namespaces: args.namespaces,
        pause: Duration::from_millis(args.pause_millis),
        kills: args.kills,
        seed: args.seed.unwrap_or_else(|| fastrand::u64(..)),
    };
    let played = soak.run().await?;
    println!("soak: {played}");
    Ok(())
}
