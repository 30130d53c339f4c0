//! Whether we lead, at this very moment: an atomic deadline on the monotonic clock, which nobody has to clear.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use nsclass_shared::{lease::Moment, runtime::Latch};
use thiserror::Error;
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

/// A write was refused by our own guard; it has not been sent.
#[derive(Error, Clone, Copy, Debug, PartialEq, Eq)]
#[error("this replica does not lead (any more), so it writes nothing")]
pub struct NotLeading;

/// Asked before every write. Clones are the same guard.
///
/// It closes by itself when the renew deadline passes, also while no task of this process runs, and for good when the process stops or the
/// lease task ends.
#[derive(Clone, Debug)]
pub struct LeaderGuard(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    origin: Instant,
    /// Until when we lead, in nanoseconds since `origin`; 0 before we ever did.
    until: AtomicU64,
    /// The writes under way. Closed for good when no further one may begin.
    writes: TaskTracker,
    elected: Latch,
}

/// A write that is under way.
#[derive(Debug)]
pub struct Permit {
    guard: LeaderGuard,
    _counted: TaskTrackerToken,
}

/// Closes the guard when it is dropped.
#[derive(Debug)]
pub struct ClosesOnDrop(LeaderGuard);

impl Default for LeaderGuard {
    /// Of a process that does not lead.
    fn default() -> Self {
        Self(Arc::new(Inner {
            origin: Instant::now(),
            until: AtomicU64::new(0),
            writes: TaskTracker::new(),
            elected: Latch::default(),
        }))
    }
}

impl LeaderGuard {
    /// Whether a write may begin now. Between the answer and the write time passes; only [`Self::begin_write`] counts.
    pub fn may_write(&self) -> bool {
        !self.0.writes.is_closed() && self.is_in_time()
    }

    /// Begins a write, which `writes_ended` waits for.
    ///
    /// # Errors
    /// We do not lead.
    pub fn begin_write(&self) -> Result<Permit, NotLeading> {
        // Counted first: whoever closes the guard then either sees this write, or is seen here.
        let counted = self.0.writes.token();
        if self.may_write() { Ok(Permit { guard: self.clone(), _counted: counted }) } else { Err(NotLeading) }
    }

    /// Waits until we are elected, which happens once in the life of a process.
    pub async fn elected(&self) {
        self.0.elected.wait().await;
    }

    /// The moment on the clock that the guard's deadline is on.
    pub fn now(&self) -> Moment {
        Moment(self.0.origin.elapsed())
    }

    pub(super) async fn sleep_until(&self, moment: Moment) {
        tokio::time::sleep_until((self.0.origin + moment.0).into()).await;
    }

    /// We lead until then.
    pub(super) fn extend(&self, until: Moment) {
        self.0.until.store(nanos(until.0), Ordering::SeqCst);
        self.0.elected.set();
    }

    /// No further write begins, for good. Those under way go on until the deadline.
    pub(super) fn close(&self) {
        self.0.writes.close();
    }

    pub(super) fn closes_on_drop(&self) -> ClosesOnDrop {
        ClosesOnDrop(self.clone())
    }

    /// Waits until no write is under way; only after [`Self::close`].
    pub(super) async fn writes_ended(&self) {
        self.0.writes.wait().await;
    }

    /// Whether we led and the deadline has passed.
    pub(super) fn has_lapsed(&self) -> bool {
        self.0.until.load(Ordering::SeqCst) != 0 && !self.is_in_time()
    }

    fn is_in_time(&self) -> bool {
        nanos(self.now().0) < self.0.until.load(Ordering::SeqCst)
    }

    /// A guard that always lets through: for tests of what stands behind it.
    #[cfg(test)]
    pub(crate) fn leading() -> Self {
        let guard = Self::default();
        guard.extend(Moment(Duration::from_secs(86_400)));
        guard
    }
}

impl Permit {
    /// Whether the write may go on: the deadline has not passed since it began.
    pub(super) fn is_in_time(&self) -> bool {
        self.guard.is_in_time()
    }
}

impl Drop for ClosesOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn nanos(span: Duration) -> u64 {
    // 584 years fit.
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s42_nobody_writes_before_being_elected_nor_after_the_deadline() {
        let guard = LeaderGuard::default();
        assert!(guard.begin_write().is_err());
        guard.extend(guard.now() + Duration::from_secs(60));
        assert!(guard.begin_write().unwrap().is_in_time());
        guard.extend(guard.now());
        assert_eq!(guard.begin_write().unwrap_err(), NotLeading);
    }

    #[tokio::test]
    async fn s42_a_closed_guard_waits_for_the_writes_under_way_and_lets_none_begin() {
        let guard = LeaderGuard::leading();
        let permit = guard.begin_write().unwrap();
        guard.close();
        assert!(guard.begin_write().is_err() && permit.is_in_time());
        let ended = tokio::time::timeout(Duration::from_millis(50), guard.writes_ended()).await;
        assert!(ended.is_err(), "one is under way");
        drop(permit);
        guard.writes_ended().await;
    }

    #[tokio::test]
    async fn fault07_a_lease_task_that_panics_lets_no_write_begin() {
        let guard = LeaderGuard::leading();
        let holds = guard.clone();
        let task = tokio::spawn(async move {
            let _closed_at_the_end = holds.closes_on_drop();
            panic!("on purpose");
        });
        assert!(task.await.unwrap_err().is_panic());
        assert!(!guard.may_write());
    }
}
