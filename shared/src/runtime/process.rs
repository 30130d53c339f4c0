//! The frame of every process: read the configuration, begin logs, run.

use std::{future::Future, process::ExitCode};

use anyhow::Context as _;

use super::{ConfigSource, init_logs};
use crate::config::Settings;

/// Runs `run` to its end on a runtime of its own; an error goes to the person at the terminal.
pub fn run_process<S, R>(name: &str, source: S, run: impl FnOnce(S, Settings) -> R) -> ExitCode
where
    S: ConfigSource,
    R: Future<Output = anyhow::Result<()>>,
{
    match run_to_end(source, run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[allow(clippy::print_stderr, reason = "logs may not have begun, and this is for a person")]
            {
                eprintln!("{name}: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run_to_end<S, R>(source: S, run: impl FnOnce(S, Settings) -> R) -> anyhow::Result<()>
where
    S: ConfigSource,
    R: Future<Output = anyhow::Result<()>>,
{
    let settings = source.check(source.load()?)?;
    let common = source.common();
    if common.print_config {
        #[allow(clippy::print_stdout, reason = "it was asked for")]
        {
            print!("{}", settings.config);
        }
        return Ok(());
    }
    init_logs(common.log_format.into(), &common.log).with_context(|| format!("--log {:?}", common.log))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(source, settings))
}
