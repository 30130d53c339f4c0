//! The loop of every worker: one key after the other, and a panic of one costs only that one.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use prometheus::IntCounter;
use tokio_util::sync::CancellationToken;

use crate::queue::WorkQueue;

/// Takes keys from `queue` until shutdown; work that has begun is carried to its end. A panic of `handle` is counted, said to
/// `panicked`, and ends nothing else: what it held is behind locks that are entered again although they are poisoned.
pub async fn work<R: Future<Output = ()>>(
    queue: &WorkQueue,
    panics: &IntCounter,
    shutdown: &CancellationToken,
    handle: impl Fn(String) -> R,
    panicked: impl Fn(&str),
) {
    loop {
        let key = tokio::select! {
            biased;
            () = shutdown.cancelled() => return,
            key = queue.next() => key,
        };
        if AssertUnwindSafe(handle(key.clone())).catch_unwind().await.is_err() {
            // The panic hook has said where.
            panics.inc();
            tracing::error!(key, "a reconcile panicked; it is tried again later, and all others go on");
            panicked(&key);
        }
        queue.done(&key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tokio::time::Instant;

    use super::*;

    #[tokio::test]
    async fn fault07_a_reconcile_that_panics_is_counted_and_tried_again_and_the_others_go_on() {
        let (queue, shutdown) = (Arc::new(WorkQueue::default()), CancellationToken::new());
        queue.open();
        let panics = IntCounter::new("panics", "in this test").unwrap();
        let handled = Arc::new(Mutex::new(Vec::new()));
        for key in ["good", "bad", "better"] {
            queue.add(key);
        }
        let handle = |key: String| {
            let (handled, shutdown) = (handled.clone(), shutdown.clone());
            async move {
                let tries = {
                    let mut handled = handled.lock().unwrap();
                    handled.push(key.clone());
                    handled.iter().filter(|k| **k == key).count()
                };
                assert!(key != "bad" || tries > 1, "the first try panics on purpose");
                if key == "bad" {
                    shutdown.cancel();
                }
            }
        };
        work(&queue, &panics, &shutdown, handle, |key| queue.add_at(key, Instant::now())).await;
        assert_eq!(*handled.lock().unwrap(), ["good", "bad", "better", "bad"]);
        assert_eq!(panics.get(), 1);
    }
}
