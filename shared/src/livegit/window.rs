//! Which changes become one commit (folders.md F51): those of one author for one target, until silence, a cap, or somebody else.

use std::time::Duration;

/// When a window ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// It ends so long after its last change.
    pub silence: Duration,
    /// It ends so long after its first change, however busy its author is.
    pub age: Duration,
    /// It ends when its changes hold so many bytes.
    pub bytes: usize,
}

impl Limits {
    /// The limits for a provider's `commit.window`: a busy author is seen after six of them.
    pub fn new(silence: Duration, bytes: usize) -> Self {
        Self { silence, age: silence * 6, bytes }
    }
}

/// A closed window: the changes of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch<A, T, C> {
    /// Who made them.
    pub author: A,
    /// Where they belong.
    pub target: T,
    /// In their order; never empty.
    pub changes: Vec<C>,
}

#[derive(Debug)]
struct Open<A, T, C> {
    batch: Batch<A, T, C>,
    bytes: usize,
    first: Duration,
    last: Duration,
}

/// At most one open window. Time is counted from any fixed moment, and never runs back.
#[derive(Debug)]
pub struct Window<A, T, C> {
    limits: Limits,
    open: Option<Open<A, T, C>>,
}

impl<A: PartialEq, T: PartialEq, C> Window<A, T, C> {
    /// Nothing is open.
    pub fn new(limits: Limits) -> Self {
        Self { limits, open: None }
    }

    /// Other limits, from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Takes a change of `bytes`. Returns the windows that this ends, in order: one of another author or target, and the own one where
    /// it is full.
    pub fn offer(&mut self, now: Duration, author: A, target: T, change: C, bytes: usize) -> Vec<Batch<A, T, C>> {
        let mut ended = Vec::new();
        let is_same = self.open.as_ref().is_some_and(|open| open.batch.author == author && open.batch.target == target);
        if !is_same || self.is_due(now) {
            ended.extend(self.end());
        }
        match &mut self.open {
            Some(open) => {
                open.batch.changes.push(change);
                open.bytes += bytes;
                open.last = now;
            }
            None => {
                self.open =
                    Some(Open { batch: Batch { author, target, changes: vec![change] }, bytes, first: now, last: now });
            }
        }
        let is_full = self.open.as_ref().is_some_and(|open| open.bytes >= self.limits.bytes);
        if is_full || self.is_due(now) {
            ended.extend(self.end());
        }
        ended
    }

    /// The window, if it has been silent or open for long enough.
    pub fn due(&mut self, now: Duration) -> Option<Batch<A, T, C>> {
        if self.is_due(now) { self.end() } else { None }
    }

    /// When [`Self::due`] has something, if nothing else happens.
    pub fn deadline(&self) -> Option<Duration> {
        let open = self.open.as_ref()?;
        Some((open.last + self.limits.silence).min(open.first + self.limits.age))
    }

    /// The window, at once: on shutdown.
    pub fn end(&mut self) -> Option<Batch<A, T, C>> {
        self.open.take().map(|open| open.batch)
    }

    /// How many changes are in it.
    pub fn len(&self) -> usize {
        self.open.as_ref().map_or(0, |open| open.batch.changes.len())
    }

    /// Whether nothing is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_none()
    }

    /// Where the open window belongs.
    pub fn target(&self) -> Option<&T> {
        self.open.as_ref().map(|open| &open.batch.target)
    }

    fn is_due(&self, now: Duration) -> bool {
        self.deadline().is_some_and(|deadline| deadline <= now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMITS: Limits = Limits { silence: Duration::from_secs(5), age: Duration::from_secs(30), bytes: 100 };

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn f51_a_window_ends_on_another_author_another_target_silence_and_bytes() {
        let mut window = Window::new(LIMITS);
        assert!(window.offer(at(0), "ann", "t", 1, 10).is_empty());
        assert!(window.offer(at(4), "ann", "t", 2, 10).is_empty());
        let ended = window.offer(at(5), "bob", "t", 3, 10);
        assert_eq!(ended, [Batch { author: "ann", target: "t", changes: vec![1, 2] }]);
        assert_eq!(window.offer(at(6), "bob", "u", 4, 10)[0].changes, [3]);
        assert_eq!(window.due(at(10)), None);
        assert_eq!(window.due(at(11)).unwrap().changes, [4]);
        assert_eq!(window.offer(at(12), "bob", "u", 5, 100)[0].changes, [5]);
        assert!(window.is_empty() && window.deadline().is_none());
    }

    #[test]
    fn f51_a_busy_author_is_seen_before_falling_silent() {
        let mut window = Window::new(LIMITS);
        let ended: Vec<u64> =
            (0..60).filter(|second| !window.offer(at(*second), "ann", "t", *second, 0).is_empty()).collect();
        assert_eq!(ended, [30]);
    }

    #[test]
    fn f51_without_a_window_each_change_is_a_commit() {
        let mut window = Window::new(Limits::new(Duration::ZERO, 100));
        assert_eq!(window.offer(at(0), "ann", "t", 1, 10)[0].changes, [1]);
    }

    proptest! {
        #[test]
        fn f51_every_change_is_in_exactly_one_batch_in_order_and_with_its_author_and_target(
            steps in prop::collection::vec((0_u64..8, 0_u8..3, 0_u8..2, 0_usize..60), 0..60),
        ) {
            let mut window = Window::new(LIMITS);
            let (mut now, mut batches, mut given) = (Duration::ZERO, Vec::new(), Vec::new());
            for (index, (pause, author, target, bytes)) in steps.into_iter().enumerate() {
                now += at(pause);
                batches.extend(window.due(now));
                given.push((author, target, index));
                batches.extend(window.offer(now, author, target, index, bytes));
                prop_assert!(window.deadline().is_none_or(|deadline| deadline > now && deadline <= now + LIMITS.silence));
            }
            batches.extend(window.end());
            prop_assert!(batches.iter().all(|batch| !batch.changes.is_empty()));
            let taken = batches.iter().flat_map(|b| b.changes.iter().map(|index| (b.author, b.target, *index)));
            prop_assert_eq!(taken.collect::<Vec<_>>(), given);
        }
    }
}
