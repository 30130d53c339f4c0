//! Who hears of flips, and whether anybody does: telling is the leader's (scope.md S23).

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use prometheus::{IntCounter, IntCounterVec, Opts, Registry};

use super::{FlipQueue, Leads};
use crate::scope::{Direction, Flip, Snapshot};

/// How long a flip waits before the log says so.
const SLOW: Duration = Duration::from_secs(5);

/// The subscribers of a process.
pub(super) struct Telling {
    leads: Option<Leads>,
    subscribers: Mutex<Vec<FlipQueue>>,
    flips: IntCounterVec,
    dropped: IntCounter,
}

impl Telling {
    pub(super) fn new(leads: Option<Leads>, registry: &Registry) -> prometheus::Result<Self> {
        let flips = IntCounterVec::new(
            Opts::new("nsclass_scope_flips_total", "Namespaces that crossed the edge of the scope, by direction."),
            &["direction"],
        )?;
        for direction in Direction::ALL {
            flips.with_label_values(&[direction.as_str()]);
        }
        let dropped = IntCounter::new(
            "nsclass_scope_flips_dropped_total",
            "Flips that a replica did not act on because it does not lead.",
        )?;
        registry.register(Box::new(flips.clone()))?;
        registry.register(Box::new(dropped.clone()))?;
        Ok(Self { leads, subscribers: Mutex::default(), flips, dropped })
    }

    /// Whether this process leads; none where there is no leader.
    pub(super) fn leads(&self) -> Option<bool> {
        self.leads.as_ref().map(|leads| leads())
    }

    pub(super) fn subscribe(&self, name: &'static str) -> FlipQueue {
        let queue = FlipQueue::new(name);
        self.subscribers().push(queue.clone());
        queue
    }

    /// Hands the flips on, or drops them. Their snapshot is published already.
    pub(super) fn tell(&self, flips: &[Flip]) {
        for flip in flips {
            self.flips.with_label_values(&[flip.direction.as_str()]).inc();
        }
        if self.leads() == Some(false) {
            self.dropped.inc_by(u64::try_from(flips.len()).unwrap_or(u64::MAX));
            return;
        }
        self.push(flips);
    }

    /// Tells of every namespace as it is, after an election: flips that were dropped before are among them. One that is dropped after this
    /// process began to lead cannot be, since whoever drops asks first whether it leads, and publishes before it asks.
    pub(super) fn tell_everything(&self, snapshot: &Snapshot) {
        let flips: Vec<Flip> = snapshot
            .entries()
            .map(|(namespace, entry)| Flip {
                namespace: namespace.into(),
                direction: if entry.is_in_scope() { Direction::Entered } else { Direction::Left },
                epoch: snapshot.epoch(),
            })
            .collect();
        self.push(&flips);
    }

    fn push(&self, flips: &[Flip]) {
        let subscribers = self.subscribers().clone();
        for subscriber in &subscribers {
            for flip in flips {
                subscriber.push(flip.clone());
            }
        }
    }

    /// A line in the log for each subscriber that lags; to be called every few seconds.
    pub(super) fn nag(&self) {
        for subscriber in self.subscribers().iter() {
            if let Some(waiting) = subscriber.waits_for().filter(|waiting| *waiting >= SLOW) {
                let (subscriber, backlog) = (subscriber.name(), subscriber.backlog());
                tracing::warn!(subscriber, backlog, ?waiting, "flips of the scope wait for a slow subscriber");
            }
        }
    }

    /// Each subscriber's backlog.
    pub(super) fn backlogs(&self) -> Vec<(&'static str, usize)> {
        self.subscribers().iter().map(|queue| (queue.name(), queue.backlog())).collect()
    }

    fn subscribers(&self) -> MutexGuard<'_, Vec<FlipQueue>> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shared, since the task tells and the election does.
pub(super) type SharedTelling = Arc<Telling>;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::scope::{Index, Observation, Pick, ScopeRule};

    #[test]
    fn s23_a_standby_drops_and_counts_and_after_its_election_everything_is_told_once() {
        let leads = Arc::new(AtomicBool::new(false));
        let asks = leads.clone();
        let telling = Telling::new(Some(Arc::new(move || asks.load(Ordering::Relaxed))), &Registry::new()).unwrap();
        let (one, two) = (telling.subscribe("one"), telling.subscribe("two"));
        let mut index = Index::new(ScopeRule::new("own", Pick::Named(["blue".to_owned()].into())));
        let labels = std::collections::BTreeMap::new();
        for (name, revision) in [("blue", 1), ("red", 2)] {
            index.apply(&Observation { name, uid: name, revision, labels: &labels });
        }
        let published = index.publish(jiff::Timestamp::UNIX_EPOCH).unwrap();
        telling.tell(&published.flips);
        assert_eq!((one.backlog(), telling.dropped.get()), (0, 1));
        leads.store(true, Ordering::Relaxed);
        telling.tell_everything(&published.snapshot);
        assert_eq!((one.backlog(), two.backlog(), telling.dropped.get()), (2, 2, 1));
        telling.tell(&published.flips);
        assert_eq!((one.backlog(), two.backlog()), (2, 2), "the latest of each namespace");
    }
}
