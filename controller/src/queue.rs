//! A work queue with the rules of client-go's: a key is worked on by one worker at a time, a key added while it is worked on comes
//! again, and a key added twice comes once.
//!
//! A queue is closed at first, and what is added to it is dropped: a replica that stands by queues nothing, or it would keep the name of
//! every namespace there ever was. Who opens it queues everything once.
//!
//! It is fair (class.md C36): what happened to one namespace is urgent, and what concerns many waits in the flow of its cause; see
//! [`Keys`], the pure part. [`WorkQueue`] lets workers wait on it.

mod keys;

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

pub use keys::Keys;

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

    /// See [`Keys::add_to`].
    pub fn add_to(&self, flow: &str, key: &str) {
        self.keys().add_to(flow, key);
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
    use super::*;

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
