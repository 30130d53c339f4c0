//! `nsclass-controller`: see `--help`.

use clap::Parser;
use nsclass_controller::{
    args::Args,
    run::{Surroundings, run},
};
use nsclass_shared::runtime::run_process;
use tokio_util::sync::CancellationToken;

fn main() -> std::process::ExitCode {
    // One TLS provider for the whole process; an error means that there is one already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    run_process("nsclass-controller", Args::parse(), |args, settings| {
        run(args, settings, Surroundings::of_process(), CancellationToken::new())
    })
}
