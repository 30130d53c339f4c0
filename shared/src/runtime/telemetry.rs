//! Logs: one line an event on standard error, as text for people or JSON for machines.

use std::io::IsTerminal;

use tracing_subscriber::{EnvFilter, filter::ParseError, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    #[default]
    Json,
}

/// Starts logging for the whole process; a second call changes nothing.
///
/// # Errors
/// When `filter` is no filter, such as `info` or `info,nsclass_controller=debug`.
pub fn init_logs(format: LogFormat, filter: &str) -> Result<(), ParseError> {
    let filter = filter.parse::<EnvFilter>()?;
    let registry = tracing_subscriber::registry().with(filter);
    let to = std::io::stderr;
    let colours = std::io::stderr().is_terminal();
    // Fails only where a subscriber is there already.
    let _ = match format {
        LogFormat::Text => registry.with(fmt::layer().with_writer(to).with_target(false).with_ansi(colours)).try_init(),
        LogFormat::Json => registry.with(fmt::layer().json().flatten_event(true).with_writer(to)).try_init(),
    };
    Ok(())
}
