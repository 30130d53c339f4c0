//! What audit events told of authors, for every worker.

mod receive;

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use nsclass_shared::livegit::author::{Answer, AuditEvent, AuditEvents, Claims};
use tokio::sync::{Notify, futures::Notified};

pub use receive::{Receiver, serve};

/// Claims that are kept: at a thousand writes a second, those of the last minute and a half.
const MOST_CLAIMS: usize = 100_000;

/// Claims, and how long one waits for them.
#[derive(Debug)]
pub struct Audit {
    claims: Mutex<Claims>,
    news: Notify,
    wait: Duration,
}

impl Audit {
    /// A change waits so long until it is clear who made it. It should be more than the API server's
    /// `--audit-webhook-batch-max-wait`.
    pub fn new(wait: Duration) -> Self {
        Self { claims: Mutex::new(Claims::new(MOST_CLAIMS)), news: Notify::new(), wait }
    }

    /// Takes a batch of events.
    pub fn take(&self, events: &AuditEvents) {
        {
            let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
            events.items.iter().filter_map(AuditEvent::claim).for_each(|claim| claims.add(claim));
        }
        self.news.notify_waiters();
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub(super) fn author(&self, uid: &str, version: &str) -> Answer {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner).author(uid, version)
    }

    pub(super) fn deleter(&self, uid: &str) -> Answer {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner).deleter(uid)
    }

    pub(super) fn wait(&self) -> Duration {
        self.wait
    }

    /// The next batch of events, counted from this call on.
    pub(super) fn news(&self) -> Notified<'_> {
        self.news.notified()
    }
}
