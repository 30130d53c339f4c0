//! Waiting for a state, and for nothing to change, with a message that shows what was there instead.

use std::fmt::Display;
use std::time::Duration;

use anyhow::{Result, anyhow};
use tokio::time::{Instant, sleep, timeout_at};

/// The deadline of [`eventually`]. Far above what any step takes, so that a loaded machine never fails a test.
pub const GENEROUS: Duration = Duration::from_secs(60);

/// Pauses between two looks: short at first, because most states are nearly there, never longer than half a second.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Looks until `probe` succeeds, for at most [`GENEROUS`], and returns what it found.
///
/// A probe that fails is "not yet", whatever the reason, so API errors may go out with `?`; its error says what it saw:
/// `ensure!(found == 3, "{found} of 3 objects")`.
///
/// # Errors
/// When the deadline passes: what was awaited, for how long, and the last thing seen.
pub async fn eventually<T, F>(what: impl Display, probe: F) -> Result<T>
where
    F: AsyncFnMut() -> Result<T>,
{
    eventually_within(GENEROUS, what, probe).await
}

/// [`eventually`] with a deadline of its own, for what must be fast, or is known to be slow.
///
/// # Errors
/// As [`eventually`].
pub async fn eventually_within<T, F>(deadline: Duration, what: impl Display, mut probe: F) -> Result<T>
where
    F: AsyncFnMut() -> Result<T>,
{
    let end = Instant::now() + deadline;
    let mut pause = FIRST_PAUSE;
    let mut last = None;
    loop {
        // A look that hangs (a paused server) must not outlast the deadline either.
        match timeout_at(end, probe()).await {
            Ok(Ok(found)) => return Ok(found),
            Ok(Err(seen)) => last = Some(seen),
            Err(_) => break,
        }
        if Instant::now() + pause >= end {
            break;
        }
        sleep(pause).await;
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
    let seen = last.map_or_else(|| "nothing: the first look has not come back".to_owned(), |seen| format!("{seen:#}"));
    Err(anyhow!("waited {deadline:?} for this, in vain: {what}; last seen: {seen}"))
}

/// Looks again and again for the whole `span` and fails at the first look that fails: for what must stay as it is.
///
/// # Errors
/// What should have held, when it broke, and what was seen then.
pub async fn holds_for<F>(span: Duration, what: impl Display, mut probe: F) -> Result<()>
where
    F: AsyncFnMut() -> Result<()>,
{
    let start = Instant::now();
    loop {
        if let Err(seen) = probe().await {
            return Err(anyhow!("held only {:?} of {span:?}: {what}; seen: {seen:#}", start.elapsed()));
        }
        if start.elapsed() >= span {
            return Ok(());
        }
        sleep(Duration::from_millis(100).min(span)).await;
    }
}
