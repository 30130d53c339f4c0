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

#[cfg(test)]
mod tests {
    use anyhow::ensure;

    use super::*;

    const SHORT: Duration = Duration::from_millis(200);

    #[tokio::test]
    async fn what_comes_true_is_returned() -> Result<()> {
        let mut looks = 0;
        let found = eventually("the third look", async || {
            looks += 1;
            ensure!(looks == 3, "look {looks}");
            Ok(looks)
        })
        .await?;
        ensure!(found == 3, "{found}");
        Ok(())
    }

    #[tokio::test]
    async fn what_never_comes_true_is_told_with_the_last_thing_seen() {
        let mut looks = 0;
        let probe = async || {
            looks += 1;
            Err::<(), _>(anyhow!("look {looks}").context("not yet"))
        };
        let message = eventually_within(SHORT, "the impossible", probe).await.unwrap_err().to_string();
        assert!(message.contains("the impossible"), "{message}");
        assert!(looks > 1 && message.ends_with(&format!("not yet: look {looks}")), "{message}");
    }

    #[tokio::test]
    async fn a_look_that_hangs_ends_at_the_deadline() {
        let hangs = async || std::future::pending::<Result<()>>().await;
        let message = eventually_within(SHORT, "an answer", hangs).await.unwrap_err().to_string();
        assert!(message.contains("has not come back"), "{message}");
    }

    #[tokio::test]
    async fn what_must_hold_fails_at_the_first_look_that_fails() -> Result<()> {
        holds_for(SHORT, "nothing happens", async || Ok(())).await?;
        let mut looks = 0;
        let probe = async || {
            looks += 1;
            ensure!(looks < 2, "look {looks}");
            Ok(())
        };
        let message = holds_for(SHORT, "nothing happens", probe).await.unwrap_err().to_string();
        ensure!(looks == 2 && message.ends_with("nothing happens; seen: look 2"), "{message}");
        Ok(())
    }
}
