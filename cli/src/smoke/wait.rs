//! Waiting for something to come true.

use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::time::sleep;

/// Pause between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// What a look found: what was wanted, or what there was instead.
pub(super) type Look<T> = Result<T, String>;

/// Looks until what is wanted is there, for at most `timeout`; then what was there at the last look.
///
/// # Errors
/// The first error of a look: what cannot be asked is not waited for.
pub(super) async fn until<T>(timeout: Duration, mut look: impl AsyncFnMut() -> Result<Look<T>>) -> Result<Look<T>> {
    let begin = Instant::now();
    loop {
        let seen = look().await?;
        if seen.is_ok() || begin.elapsed() > timeout {
            return Ok(seen);
        }
        sleep(LOOK_EVERY).await;
    }
}
