//! `cargo smoke`: the operator as a cluster admin meets it: its image, its chart, real pods, and what may go wrong with them.

mod args;
mod brief;
mod components;
mod helm;
mod inside;
mod load;
mod outside;
mod stage;
mod steps;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::Args;

#[tokio::main]
async fn main() -> ExitCode {
    // Fails when a provider is there already, and any is right.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let args = Args::parse();
    let played = match &args.inside {
        None => outside::run(&args).await,
        Some(dir) => inside::run(dir, &args).await,
    };
    played.unwrap_or_else(|error| {
        complain(&format!("{error:#}"));
        ExitCode::FAILURE
    })
}

fn complain(what: &str) {
    // A closed standard error is no reason to end otherwise.
    let _ = writeln!(io::stderr(), "cargo smoke: {what}");
}
