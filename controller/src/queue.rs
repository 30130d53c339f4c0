//! A work queue with the rules of client-go's: a key is worked on by one worker at a time, a key added while it is worked on comes
//! again, and a key added twice comes once.
//!
//! A queue is closed at first, and what is added to it is dropped: a replica that stands by queues nothing, or it would keep the name of
//! every namespace there ever was. Who opens it queues everything once.
//!
//! [`Keys`] is the pure part; [`WorkQueue`] lets workers wait on it.

use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// The keys that wait, are worked on, or are due later.
#[derive(Debug, Default)]
pub struct Keys {
    open: bool,
    ready: VecDeque<String>,
    queued: HashSet<String>,
    working: HashSet<String>,
    /// Added while being worked on.
    again: HashSet<String>,
    due: HashMap<String, Instant>,
    by_time: BTreeSet<(Instant, String)>,
}

impl Keys {
    /// From now on keys are taken.
    pub fn open(&mut self) {
        self.open = true;
    }

    /// Adds a key that is due now. It no longer waits for a later time.
    pub fn add(&mut self, key: &str) {
        if !self.open {
            return;
        }
        self.forget_due(key);
        if self.working.contains(key) {
            self.again.insert(key.to_owned());
        } else if self.queued.insert(key.to_owned()) {
            self.ready.push_back(key.to_owned());
        }
    }

    /// Adds a key for later. Of two times the earlier one counts; a key that is queued already needs none.
    pub fn add_at(&mut self, key: &str, at: Instant) {
        if !self.open
            || self.queued.contains(key)
            || self.again.contains(key)
            || self.due.get(key).is_some_and(|due| *due <= at)
        {
            return;
        }
        self.forget_due(key);
        self.due.insert(key.to_owned(), at);
        self.by_time.insert((at, key.to_owned()));
    }

    /// The next key to work on; it is being worked on until [`Self::done`].
    pub fn take(&mut self, now: Instant) -> Option<String> {
        while self.by_time.first().is_some_and(|(at, _)| *at <= now) {
            if let Some((_, key)) = self.by_time.pop_first() {
                self.add(&key);
            }
        }
        let key = self.ready.pop_front()?;
        self.queued.remove(&key);
        self.working.insert(key.clone());
        Some(key)
    }

    /// The work on a key is over.
    pub fn done(&mut self, key: &str) {
        self.working.remove(key);
        if self.again.remove(key) {
            self.add(key);
        }
    }

    /// When the next key of later is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// Keys that could be worked on now.
    pub fn depth(&self) -> usize {
        self.ready.len() + self.again.len()
    }

    fn forget_due(&mut self, key: &str) {
        if let Some(at) = self.due.remove(key) {
            self.by_time.remove(&(at, key.to_owned()));
        }
    }
}

/// [`Keys`] that workers wait on.
#[derive(Debug, Default)]
pub struct WorkQueue {
    keys: Mutex<Keys>,
    changed: Notify,
}

impl WorkQueue {
    /// See [`Keys::open`].
    pub fn open(&self) {
        self.keys().open();
    }

    /// See [`Keys::add`].
    pub fn add(&self, key: &str) {
        self.keys().add(key);
        self.changed.notify_one();
    }

    /// See [`Keys::add_at`].
    pub fn add_at(&self, key: &str, at: Instant) {
        self.keys().add_at(key, at);
        self.changed.notify_one();
    }

    /// Waits for the next key.
    pub async fn next(&self) -> String {
        loop {
            let changed = self.changed.notified();
            let due = {
                let mut keys = self.keys();
                if let Some(key) = keys.take(Instant::now()) {
                    // One notification may stand for many keys: the next worker looks for itself.
                    if keys.depth() > 0 {
                        self.changed.notify_one();
                    }
                    return key;
                }
                keys.next_due()
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

    /// See [`Keys::done`].
    pub fn done(&self, key: &str) {
        self.keys().done(key);
        self.changed.notify_one();
    }

    /// See [`Keys::depth`].
    pub fn depth(&self) -> usize {
        self.keys().depth()
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        // No method of `Keys` leaves it half-changed when it panics.
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn open_keys() -> Keys {
        let mut keys = Keys::default();
        keys.open();
        keys
    }

    #[test]
    fn s23_what_is_added_to_a_closed_queue_is_dropped() {
        let (mut keys, now) = (Keys::default(), Instant::now());
        keys.add("a");
        keys.add_at("b", now);
        keys.open();
        assert_eq!((keys.take(now), keys.next_due()), (None, None));
        keys.add("a");
        assert_eq!(keys.take(now).as_deref(), Some("a"));
    }

    #[test]
    fn a_key_is_worked_on_once_at_a_time_and_comes_again_if_it_was_added_meanwhile() {
        let (mut keys, now) = (open_keys(), Instant::now());
        keys.add("a");
        keys.add("a");
        keys.add("b");
        assert_eq!(keys.take(now).as_deref(), Some("a"));
        keys.add("a");
        assert_eq!(keys.take(now).as_deref(), Some("b"));
        assert_eq!(keys.take(now), None);
        keys.done("a");
        assert_eq!(keys.take(now).as_deref(), Some("a"));
        keys.done("a");
        assert_eq!(keys.take(now), None);
    }

    #[test]
    fn of_two_times_the_earlier_counts_and_now_beats_both() {
        let (mut keys, now) = (open_keys(), Instant::now());
        let (soon, late) = (now + Duration::from_secs(1), now + Duration::from_secs(9));
        keys.add_at("a", late);
        keys.add_at("a", soon);
        keys.add_at("a", late);
        assert_eq!(keys.next_due(), Some(soon));
        assert_eq!(keys.take(now), None);
        assert_eq!(keys.take(soon).as_deref(), Some("a"));
        keys.done("a");
        assert_eq!(keys.take(late), None);
        keys.add_at("a", late);
        keys.add("a");
        assert_eq!(keys.take(now).as_deref(), Some("a"));
        keys.done("a");
        assert_eq!((keys.take(late), keys.next_due()), (None, None));
    }

    #[tokio::test]
    async fn every_key_reaches_a_worker() {
        let queue = std::sync::Arc::new(WorkQueue::default());
        queue.open();
        let workers: Vec<_> = (0..4)
            .map(|_| {
                let queue = queue.clone();
                tokio::spawn(async move {
                    let mut count = 0;
                    loop {
                        let key = queue.next().await;
                        queue.done(&key);
                        if key.starts_with("stop") {
                            return count;
                        }
                        count += 1;
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        (0..100).for_each(|i| queue.add(&format!("key-{i}")));
        while queue.depth() > 0 {
            tokio::task::yield_now().await;
        }
        (0..4).for_each(|i| queue.add(&format!("stop-{i}")));
        let mut total = 0;
        for worker in workers {
            total += worker.await.unwrap();
        }
        assert_eq!(total, 100);
    }
}
