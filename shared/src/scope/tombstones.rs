//! Who was deleted in which revision, so that an old observation does not bring a namespace back (scope.md S07).

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

/// Most that are kept. What an observation older than this many deletions says cannot be told from news; watches deliver none.
const MOST: usize = 4096;

/// The last deletions.
#[derive(Clone, Debug, Default)]
pub(super) struct Tombstones {
    revisions: HashMap<Arc<str>, u64>,
    oldest_first: VecDeque<Arc<str>>,
}

impl Tombstones {
    /// The namespace of that name was deleted in that revision, or before.
    pub(super) fn bury(&mut self, name: &str, revision: u64) {
        if let Some(known) = self.revisions.get_mut(name) {
            *known = revision.max(*known);
            return;
        }
        let name: Arc<str> = name.into();
        self.oldest_first.push_back(name.clone());
        self.revisions.insert(name, revision);
        if self.oldest_first.len() > MOST
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.revisions.remove(&oldest);
        }
    }

    /// Whether an observation in that revision is of a namespace that was deleted since.
    pub(super) fn covers(&self, name: &str, revision: u64) -> bool {
        self.revisions.get(name).is_some_and(|buried| revision <= *buried)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_deletions_are_kept() {
        let mut tombstones = Tombstones::default();
        for i in 0..=MOST {
            tombstones.bury(&format!("n{i}"), 7);
            tombstones.bury(&format!("n{i}"), 5);
        }
        assert!(!tombstones.covers("n0", 7) && tombstones.covers("n1", 7) && !tombstones.covers("n1", 8));
        assert_eq!((tombstones.revisions.len(), tombstones.oldest_first.len()), (MOST, MOST));
    }
}
