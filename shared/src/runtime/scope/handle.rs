//! Where readers find the snapshot.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};

use crate::scope::{Snapshot, Verdict};

/// The snapshot of the moment, for any thread. Clones read the same one.
#[derive(Clone, Debug)]
pub struct ScopeHandle {
    snapshot: Arc<ArcSwap<Snapshot>>,
}

impl ScopeHandle {
    /// One that shows this snapshot until another is published.
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        Self { snapshot: Arc::new(ArcSwap::new(snapshot)) }
    }

    /// The snapshot. Whoever decides more than one thing loads it once (scope.md S06). Not to be held over an `await`: see
    /// [`Self::load_full`].
    pub fn load(&self) -> Guard<Arc<Snapshot>> {
        self.snapshot.load()
    }

    /// The snapshot, to be kept.
    pub fn load_full(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// [`Snapshot::verdict`] of the moment, for whoever decides one thing.
    pub fn verdict(&self, namespace: &str) -> Verdict {
        self.snapshot.load().verdict(namespace)
    }

    /// Shows another snapshot. Only the task that owns the index does that.
    pub fn publish(&self, snapshot: Arc<Snapshot>) {
        self.snapshot.store(snapshot);
    }
}
