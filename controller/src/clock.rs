//! The wall clock, which a test can hold.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

/// Longest sleep between two looks at the wall clock: a timer does not go on while a machine sleeps, and nobody tells it that the clock was
/// set.
const LONGEST: Duration = Duration::from_secs(15);

/// What time it is. Clones are the same clock.
#[derive(Clone, Debug)]
pub struct Clock(Arc<watch::Sender<SignedDuration>>);

impl Default for Clock {
    /// The system's.
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(SignedDuration::ZERO)))
    }
}

impl Clock {
    /// The time.
    pub fn now(&self) -> Timestamp {
        Timestamp::now() + *self.0.borrow()
    }

    /// Sets the clock forward, or back; whoever sleeps by it looks again.
    pub fn advance(&self, by: SignedDuration) {
        self.0.send_modify(|offset| *offset += by);
    }

    /// Sleeps until a time, however the clock gets there.
    pub async fn sleep_until(&self, time: Timestamp) {
        let mut set = self.0.subscribe();
        loop {
            let left = time.duration_since(self.now());
            if left <= SignedDuration::ZERO {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(left.unsigned_abs().min(LONGEST)) => {}
                // invariant: `self` holds the sender, so this never fails.
                _ = set.changed() => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_sleeps_is_woken_when_the_clock_is_set() {
        let clock = Clock::default();
        let sleeps = {
            let clock = clock.clone();
            tokio::spawn(async move { clock.sleep_until(Timestamp::now() + SignedDuration::from_hours(1)).await })
        };
        tokio::task::yield_now().await;
        clock.advance(SignedDuration::from_hours(2));
        sleeps.await.unwrap();
    }
}
