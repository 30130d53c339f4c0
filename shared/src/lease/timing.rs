//! How long things take, and moments of a clock.

use std::{ops::Add, time::Duration};

/// The longest lease that a configuration may ask for. A record that claims more was written by no elector and is believed this far.
pub const LONGEST_LEASE: Duration = Duration::from_secs(300);

/// The four times; `request_timeout < renew_deadline < lease`, which the configuration checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// How long others leave a lease alone that does not change.
    pub lease: Duration,
    /// How long a leader goes on after it sent its last successful write.
    pub renew_deadline: Duration,
    /// Pause between two renewals, and between a standby's attempts after a failure.
    pub retry_period: Duration,
    /// How long one request may take.
    pub request_timeout: Duration,
}

/// A moment of one process's monotonic clock, counted from any fixed point of that process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub Duration);

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }
}
