//! From a flip to what must be looked at (scope.md S25, S26).

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fmt::Display,
    future::Future,
    hash::Hash,
    sync::Arc,
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use super::FlipQueue;
use crate::scope::Flip;

/// First pause after a mapper failed; it doubles with each failure in a row of one namespace.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Says which objects a namespace that crossed the edge concerns, wherever they live. [`super::InNamespace`] is the plain one: the objects
/// of a kind in that namespace. One that follows references takes [`reachable`].
pub trait FlipMapper: Send + Sync + 'static {
    /// What is enqueued.
    type Object: Send;
    /// Why it could not be told; tried again.
    type Error: Display + Send;

    /// The objects that this flip concerns. It must read state that is not filtered by the scope, or what came before its namespace was
    /// known is lost (S24).
    fn objects(&self, flip: &Flip) -> impl Future<Output = Result<Vec<Self::Object>, Self::Error>> + Send;
}

/// Maps every flip of the queue and enqueues what it concerns, until shutdown. A flip whose mapping fails is tried again, with growing
/// pauses, unless a later one of that namespace comes first; others go on meanwhile.
///
/// # Errors
/// None; the signature is that of a supervised task.
pub async fn follow_flips<M: FlipMapper>(
    flips: FlipQueue,
    mapper: M,
    enqueue: impl Fn(M::Object) + Send,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let mut failures: HashMap<Arc<str>, u32> = HashMap::new();
    loop {
        let flip = tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            flip = flips.next() => flip,
        };
        match mapper.objects(&flip).await {
            Ok(objects) => {
                failures.remove(&flip.namespace);
                objects.into_iter().for_each(&enqueue);
            }
            Err(error) => {
                let count = failures.entry(flip.namespace.clone()).or_default();
                let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(*count)).min(LONGEST_PAUSE);
                *count = count.saturating_add(1);
                let (subscriber, namespace) = (flips.name(), &flip.namespace);
                tracing::warn!(subscriber, %namespace, %error, ?pause, "a flip of the scope could not be mapped; tried again");
                flips.again(flip, pause);
            }
        }
    }
}

/// Everything that `start` leads to, itself included, each once: `refer` names what refers to an object. Cycles end.
pub fn reachable<T: Clone + Eq + Hash>(start: impl IntoIterator<Item = T>, refer: impl Fn(&T) -> Vec<T>) -> Vec<T> {
    let (mut seen, mut found, mut open) = (HashSet::new(), Vec::new(), VecDeque::new());
    open.extend(start);
    while let Some(object) = open.pop_front() {
        if seen.insert(object.clone()) {
            open.extend(refer(&object));
            found.push(object);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::scope::Direction;

    fn flip(namespace: &str) -> Flip {
        Flip { namespace: namespace.into(), direction: Direction::Entered, epoch: 1 }
    }

    /// Fails so many times.
    struct Failing(Mutex<u32>);

    impl FlipMapper for Failing {
        type Object = String;
        type Error = &'static str;

        async fn objects(&self, flip: &Flip) -> Result<Vec<String>, &'static str> {
            let mut left = self.0.lock().unwrap();
            if &*flip.namespace == "pay" && *left > 0 {
                *left -= 1;
                return Err("on purpose");
            }
            Ok(vec![format!("{}/one", flip.namespace), format!("{}/two", flip.namespace)])
        }
    }

    #[tokio::test]
    async fn s26_a_mapper_that_fails_is_tried_again_and_others_go_on_meanwhile() {
        let (queue, shutdown) = (FlipQueue::new("test"), CancellationToken::new());
        queue.push(flip("pay"));
        queue.push(flip("shop"));
        let enqueued = Arc::new(Mutex::new(Vec::new()));
        let (into, stop) = (enqueued.clone(), shutdown.clone());
        let enqueue = move |object: String| {
            let mut enqueued = into.lock().unwrap();
            enqueued.push(object);
            if enqueued.len() == 4 {
                stop.cancel();
            }
        };
        follow_flips(queue, Failing(Mutex::new(3)), enqueue, shutdown).await.unwrap();
        assert_eq!(*enqueued.lock().unwrap(), ["shop/one", "shop/two", "pay/one", "pay/two"]);
    }

    #[test]
    fn s25_what_refers_to_what_refers_is_found_once_and_cycles_end() {
        let refer = |object: &&str| match *object {
            "target" => vec!["rule", "other"],
            "rule" => vec!["chained", "target"],
            "chained" => vec!["rule"],
            _ => vec![],
        };
        assert_eq!(reachable(["target"], refer), ["target", "rule", "other", "chained"]);
    }
}
