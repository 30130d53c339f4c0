//! What this process remembers of each namespace between passes. Losing it costs requests, never correctness.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    hash::{BuildHasher, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use nsclass_shared::{identity::ObjectIdentity, plan::Refused};
use tokio::time::Instant;

/// First pause after a failure.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause between two attempts.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// How long to wait after `failures` in a row: doubling from half a second up to five minutes, stretched or shrunk by up to a quarter.
pub fn pause(failures: u32, random: u64) -> Duration {
    let base = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1).min(16))).min(LONGEST_PAUSE);
    stretched(base, 25, random)
}

/// `base` changed by at most `percent` of it, up or down.
pub fn stretched(base: Duration, percent: u32, random: u64) -> Duration {
    // invariant: the remainder is at most 2 * percent, which fits.
    let share = u32::try_from(random % u64::from(2 * percent + 1)).unwrap_or(percent);
    base.saturating_mul(100 - percent + share) / 100
}

/// A number nobody can predict; not for secrets.
pub fn random() -> u64 {
    RandomState::new().hash_one(0)
}

/// What is remembered of one namespace.
#[derive(Debug)]
struct Entry {
    /// Passes in a row that were not as desired.
    failures: u32,
    /// When its live objects are next compared with the inventory.
    look_at: Instant,
    /// Renderings that the API server refused for good.
    refused: BTreeMap<ObjectIdentity, Refused>,
    /// The binding was lost, so that objects of ours are looked for.
    search: bool,
    /// API groups that items wait for.
    waits_for: BTreeSet<String>,
}

/// All namespaces.
#[derive(Debug)]
pub struct Memory {
    period: Duration,
    entries: Mutex<HashMap<String, Entry>>,
}

impl Memory {
    /// Empty; live objects are looked at every `period`.
    pub fn new(period: Duration) -> Self {
        Self { period, entries: Mutex::new(HashMap::new()) }
    }

    /// Whether the periodic pass is due, which it then is again one period later. The first one of each namespace is somewhere in the
    /// second half of its first period: what was just filled needs no look, and a restart does not look at everything at once.
    pub fn is_look_due(&self, namespace: &str, now: Instant) -> bool {
        let next = now + stretched(self.period, 10, random());
        let mut entries = self.entries();
        let Some(entry) = entries.get_mut(namespace) else {
            let half = self.period / 2;
            let millis = u64::try_from(half.as_millis()).unwrap_or(u64::MAX).max(1);
            let look_at = now + half + Duration::from_millis(random() % millis);
            entries.insert(namespace.to_owned(), Entry::new(look_at));
            return false;
        };
        let due = entry.look_at <= now;
        if due {
            entry.look_at = next;
        }
        due
    }

    /// Makes the periodic pass due.
    pub fn look_now(&self, namespace: &str) {
        let now = Instant::now();
        self.entries().entry(namespace.to_owned()).or_insert_with(|| Entry::new(now)).look_at = now;
    }

    /// When the periodic pass is due.
    pub fn look_at(&self, namespace: &str) -> Option<Instant> {
        self.entries().get(namespace).map(|entry| entry.look_at)
    }

    /// Renderings that are not worth asking for again.
    pub fn refused(&self, namespace: &str) -> BTreeMap<ObjectIdentity, Refused> {
        self.entries().get(namespace).map(|entry| entry.refused.clone()).unwrap_or_default()
    }

    /// Notes the end of a pass; returns how many in a row were not as desired.
    pub fn ended(&self, namespace: &str, refused: BTreeMap<ObjectIdentity, Refused>, retry: bool) -> u32 {
        let mut entries = self.entries();
        let entry = entries.entry(namespace.to_owned()).or_insert_with(|| Entry::new(Instant::now() + self.period));
        entry.failures = if retry { entry.failures.saturating_add(1) } else { 0 };
        entry.refused = refused;
        entry.failures
    }

    /// Has objects of ours looked for in the next pass.
    pub fn search(&self, namespace: &str) {
        if let Some(entry) = self.entries().get_mut(namespace) {
            entry.search = true;
        }
    }

    /// Whether that is due; it then is so no longer.
    pub fn is_search_due(&self, namespace: &str) -> bool {
        self.entries().get_mut(namespace).is_some_and(|entry| std::mem::take(&mut entry.search))
    }

    /// Notes the API groups that items of a namespace wait for.
    pub fn waits_for(&self, namespace: &str, groups: BTreeSet<String>) {
        if let Some(entry) = self.entries().get_mut(namespace) {
            entry.waits_for = groups;
        }
    }

    /// Namespaces that wait for a kind of this group; their next failure counts as the first again.
    pub fn waiting_for(&self, group: &str) -> Vec<String> {
        let mut entries = self.entries();
        let waiting = entries.iter_mut().filter(|(_, entry)| entry.waits_for.contains(group));
        waiting
            .map(|(name, entry)| {
                entry.failures = 0;
                name.clone()
            })
            .collect()
    }

    /// The namespace is gone.
    pub fn forget(&self, namespace: &str) {
        self.entries().remove(namespace);
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn new(look_at: Instant) -> Self {
        Self { failures: 0, look_at, refused: BTreeMap::new(), waits_for: BTreeSet::new(), search: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c36_pauses_double_up_to_a_bound_and_differ() {
        let middle = |n| pause(n, 25);
        assert_eq!(middle(1), Duration::from_millis(500));
        assert_eq!(middle(2), Duration::from_secs(1));
        assert_eq!(middle(40), LONGEST_PAUSE);
        assert_eq!(pause(2, 0), Duration::from_millis(750));
        assert_eq!(pause(2, 50), Duration::from_millis(1250));
        for n in 1..40 {
            assert!(pause(n, random()) <= LONGEST_PAUSE * 5 / 4);
        }
    }

    #[test]
    fn a_restart_does_not_look_at_everything_at_once() {
        let (memory, now) = (Memory::new(Duration::from_secs(600)), Instant::now());
        let mut times = BTreeSet::new();
        for i in 0..200 {
            let name = format!("namespace-{i}");
            assert!(!memory.is_look_due(&name, now));
            times.insert(memory.look_at(&name).unwrap().duration_since(now).as_secs() / 60);
        }
        assert_eq!(times, (5..10).collect());
        let later = now + Duration::from_secs(601);
        assert!(memory.is_look_due("namespace-1", later) && !memory.is_look_due("namespace-1", later));
    }
}
