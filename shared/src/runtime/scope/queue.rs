//! One subscriber's flips: the latest of each namespace, so that memory is bounded by namespaces and a slow subscriber delays nobody.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use crate::scope::Flip;

/// The pure part: which flip is next.
#[derive(Debug, Default)]
struct Latest {
    flips: HashMap<Arc<str>, Flip>,
    /// Namespaces whose flip can be taken, with the time since when it can.
    ready: VecDeque<(Instant, Arc<str>)>,
    /// Namespaces whose flip failed, with the time of the next try.
    later: BTreeSet<(Instant, Arc<str>)>,
}

impl Latest {
    /// A later flip of the same namespace takes the place of the earlier one; one that waits after a failure waits no longer.
    fn push(&mut self, flip: Flip, now: Instant) {
        let namespace = flip.namespace.clone();
        if self.flips.insert(namespace.clone(), flip).is_none() {
            self.ready.push_back((now, namespace));
        } else if let Some(waits) = self.later.iter().find(|(_, waiting)| *waiting == namespace).cloned() {
            self.later.remove(&waits);
            self.ready.push_back((now, namespace));
        }
    }

    /// A flip that failed comes again then, unless a later one of its namespace is there.
    fn again(&mut self, flip: Flip, at: Instant) {
        let namespace = flip.namespace.clone();
        if !self.flips.contains_key(&namespace) {
            self.flips.insert(namespace.clone(), flip);
            self.later.insert((at, namespace));
        }
    }

    fn take(&mut self, now: Instant) -> Option<Flip> {
        while let Some(due) = self.later.first().filter(|(at, _)| *at <= now).cloned() {
            self.later.remove(&due);
            self.ready.push_back(due);
        }
        let (_, namespace) = self.ready.pop_front()?;
        self.flips.remove(&namespace)
    }

    fn next_due(&self) -> Option<Instant> {
        self.later.first().map(|(at, _)| *at)
    }
}

/// The flips that one subscriber has not taken yet. Clones are the same queue.
#[derive(Clone, Debug)]
pub struct FlipQueue(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: &'static str,
    latest: Mutex<Latest>,
    changed: Notify,
}

impl FlipQueue {
    pub(super) fn new(name: &'static str) -> Self {
        Self(Arc::new(Inner { name, latest: Mutex::default(), changed: Notify::new() }))
    }

    /// Whose it is.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    pub(super) fn push(&self, flip: Flip) {
        self.latest().push(flip, Instant::now());
        self.0.changed.notify_one();
    }

    pub(super) fn again(&self, flip: Flip, pause: Duration) {
        self.latest().again(flip, Instant::now() + pause);
        self.0.changed.notify_one();
    }

    /// Waits for the next flip. Its snapshot, or a later one, is published already (S20).
    pub async fn next(&self) -> Flip {
        loop {
            let changed = self.0.changed.notified();
            let due = {
                let mut latest = self.latest();
                if let Some(flip) = latest.take(Instant::now()) {
                    return flip;
                }
                latest.next_due()
            };
            match due {
                Some(at) => {
                    tokio::select! {
                        () = changed => {}
                        () = sleep_until(at) => {}
                    }
                }
                None => changed.await,
            }
        }
    }

    /// How many flips wait.
    pub fn backlog(&self) -> usize {
        self.latest().flips.len()
    }

    /// How long the first one that could be taken has waited.
    pub(super) fn waits_for(&self) -> Option<Duration> {
        self.latest().ready.front().map(|(since, _)| since.elapsed())
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        // No method of `Latest` leaves it half-changed when it panics.
        self.0.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::Direction;

    fn flip(namespace: &str, epoch: u64) -> Flip {
        Flip { namespace: namespace.into(), direction: Direction::Entered, epoch }
    }

    #[test]
    fn s22_a_thousand_flips_of_one_label_are_at_most_two_for_who_is_slow() {
        let (mut latest, now) = (Latest::default(), Instant::now());
        latest.push(flip("pay", 0), now);
        assert_eq!(latest.take(now), Some(flip("pay", 0)));
        for epoch in 1..1000 {
            latest.push(flip("pay", epoch), now);
            latest.push(flip("shop", epoch), now);
        }
        assert_eq!((latest.flips.len(), latest.ready.len()), (2, 2));
        assert_eq!(latest.take(now), Some(flip("pay", 999)));
        assert_eq!(latest.take(now), Some(flip("shop", 999)));
        assert_eq!(latest.take(now), None);
    }

    #[test]
    fn s26_a_flip_that_failed_comes_again_after_its_pause_and_a_later_one_does_not_wait() {
        let (mut latest, now) = (Latest::default(), Instant::now());
        let later = now + Duration::from_secs(3);
        latest.again(flip("pay", 1), later);
        assert_eq!((latest.take(now), latest.next_due()), (None, Some(later)));
        assert_eq!(latest.take(later), Some(flip("pay", 1)));
        latest.again(flip("pay", 1), later);
        latest.push(flip("pay", 2), now);
        assert_eq!(latest.take(now), Some(flip("pay", 2)));
        latest.push(flip("pay", 4), now);
        latest.again(flip("pay", 3), now);
        assert_eq!(latest.take(now), Some(flip("pay", 4)));
        assert_eq!((latest.take(later), latest.next_due()), (None, None));
    }

    #[tokio::test]
    async fn s22_one_slow_subscriber_delays_nobody() {
        let (slow, quick) = (FlipQueue::new("slow"), FlipQueue::new("quick"));
        for epoch in 0..100 {
            slow.push(flip(&format!("n{epoch}"), epoch));
            quick.push(flip(&format!("n{epoch}"), epoch));
            assert_eq!(quick.next().await.epoch, epoch);
        }
        assert_eq!((slow.backlog(), quick.backlog()), (100, 0));
        assert!(slow.waits_for().is_some() && quick.waits_for().is_none());
    }
}
