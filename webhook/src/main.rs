//! `nsclass-webhook`: see `--help`.

use clap::Parser;
use nsclass_shared::runtime::run_process;
use nsclass_webhook::{args::Args, run::run};
use tokio_util::sync::CancellationToken;

fn main() -> std::process::ExitCode {
    // One TLS provider for the whole process; an error means that there is one already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    run_process("nsclass-webhook", Args::parse(), |args, settings| run(args, settings, CancellationToken::new()))
}
