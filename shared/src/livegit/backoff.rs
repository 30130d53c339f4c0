//! How long to wait before the next try, and until the next look.

use std::time::Duration;

/// Waits that double from `first` to `longest`, so that many workers do not come back at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    failures: u32,
}

impl Backoff {
    /// No failure yet.
    pub fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, failures: 0 }
    }

    /// It went well.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    /// It failed: how long to wait now. `dice` is any number; equal numbers give equal waits.
    pub fn failed(&mut self, dice: u64) -> Duration {
        let doubled = self.first.saturating_mul(1_u32.checked_shl(self.failures.min(20)).unwrap_or(u32::MAX));
        self.failures = self.failures.saturating_add(1);
        jittered(doubled.min(self.longest), dice)
    }
}

/// `span`, give or take a fifth.
pub fn jittered(span: Duration, dice: u64) -> Duration {
    // invariant: 800 to 1200, which fits.
    let thousandths = u32::try_from(800 + dice % 401).unwrap_or(1000);
    span.saturating_mul(thousandths) / 1000
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn waits_grow_to_the_longest_stay_near_it_and_begin_anew_after_success(dice in prop::collection::vec(any::<u64>(), 1..40)) {
            let (first, longest) = (Duration::from_millis(200), Duration::from_secs(60));
            let mut backoff = Backoff::new(first, longest);
            let mut expected = first;
            for dice in dice {
                let wait = backoff.failed(dice);
                prop_assert!(wait >= expected * 4 / 5 && wait <= expected * 6 / 5, "{wait:?} for {expected:?}");
                expected = (expected * 2).min(longest);
            }
            backoff.reset();
            prop_assert!(backoff.failed(0) <= first);
        }
    }
}
