//! `cargo demo`: the main job on a real control plane, each step checked against the API server.

mod admission;
mod args;
mod cleanup;
mod cluster;
mod contents;
mod demo;
mod examples;
mod farewell;
mod pair;
mod preflight;
mod processes;
mod settings;
mod stage;
mod steps;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use nsclass_tests::{Interrupts, Screen};

use args::Args;
use cluster::Cluster;
use demo::Demo;
use examples::Examples;
use stage::Stage;

/// How the play ended.
enum End {
    Done,
    Failed,
    Interrupted,
}

#[tokio::main]
async fn main() -> ExitCode {
    // Fails when a provider is there already, and any is right.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match run(&Args::parse()).await {
        Ok(End::Done) => ExitCode::SUCCESS,
        Ok(End::Failed) => ExitCode::FAILURE,
        Ok(End::Interrupted) => ExitCode::from(130),
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

async fn run(args: &Args) -> Result<End> {
    let mut interrupts = Interrupts::new()?;
    let screen = Screen::default();
    screen.title("Namespace Class, on a real control plane. What has a ✓ was checked: the API server was asked, or the process itself.");
    let set = async {
        match &args.kubeconfig {
            None => Stage::own(&screen).await,
            Some(file) => Stage::guest(&screen, file, args).await,
        }
    };
    let stage = tokio::select! {
        stage = set => stage?,
        () = interrupts.next() => return Ok(End::Interrupted),
    };
    let examples = if stage.guest_of.is_some() { Examples::prefixed() } else { Examples::plain() };
    let cluster = Cluster::new(stage.client.clone());
    let demo = Demo { screen: &screen, cluster, examples, patience: args.patience() };

    let end = tokio::select! {
        played = play(args, &demo, &stage) => ended(played, &stage),
        why = stage.process_ended() => ended(Err(why), &stage),
        () = interrupts.next() => End::Interrupted,
    };
    if args.keep && !matches!(end, End::Interrupted) {
        if matches!(end, End::Done) {
            farewell::summary(&demo);
        }
        farewell::kept(&demo, &stage);
        interrupts.next().await;
    }
    if let Some(before) = &stage.guest_of {
        let cleaned = tokio::select! {
            cleaned = cleanup::clean_up(&stage, before, &screen) => cleaned,
            () = interrupts.next() => Err(anyhow::anyhow!("interrupted again while cleaning up: something may be left")),
        };
        cleaned?;
    }
    if matches!(end, End::Done) && !args.keep {
        farewell::summary(&demo);
        farewell::next(&demo);
    }
    Ok(end)
}

/// The story that was asked for.
async fn play(args: &Args, demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    match () {
        () if args.licence => steps::licence::play(demo, stage).await,
        () if args.git => steps::play_git(demo, stage).await,
        () => steps::play(demo, stage).await,
    }
}

/// Says what went wrong, before anything is cleaned up.
fn ended(played: Result<()>, stage: &Stage) -> End {
    let Err(why) = played else { return End::Done };
    let log = farewell::log_of_controller(stage).map(|log| format!("\n{log}")).unwrap_or_default();
    complain(&format!("{why:#}{log}"));
    End::Failed
}

fn complain(what: &str) {
    // A closed standard error must not keep the demo from cleaning up.
    let _ = writeln!(io::stderr(), "cargo demo: {what}");
}
