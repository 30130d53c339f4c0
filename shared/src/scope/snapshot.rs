//! What readers hold: immutable, shared, and cheap to make from the one before.

use std::sync::Arc;

use rpds::HashTrieMapSync;

use super::{Digest, Entry, ScopeRule, Verdict};

/// The namespaces, in a map that shares all but a few nodes with the one that it was made from: a burst of changes is linear.
pub(super) type Entries = HashTrieMapSync<Arc<str>, Entry>;

/// The match state of one moment. Whoever decides loads it once and asks it as often as need be.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) rule: Arc<ScopeRule>,
    pub(super) entries: Entries,
    pub(super) in_scope: usize,
    pub(super) digest: Digest,
    pub(super) epoch: u64,
    pub(super) generation: u64,
    pub(super) seeded: bool,
}

impl Snapshot {
    /// Before anything was seen.
    pub fn empty(rule: Arc<ScopeRule>) -> Self {
        let entries = Entries::default();
        Self { rule, entries, in_scope: 0, digest: Digest::default(), epoch: 0, generation: 1, seeded: false }
    }

    /// Whether a namespace is managed. A pure memory read: no lock, no I/O, cannot fail (scope.md S06).
    pub fn verdict(&self, namespace: &str) -> Verdict {
        if self.rule.is_always_in_scope(namespace) {
            return Verdict::InScope;
        }
        match self.entries.get(namespace) {
            Some(entry) if entry.in_scope => Verdict::InScope,
            Some(_) => Verdict::OutOfScope,
            None => Verdict::Unknown,
        }
    }

    /// What is kept of a namespace; nothing of the operator's own.
    pub fn entry(&self, namespace: &str) -> Option<&Entry> {
        self.entries.get(namespace)
    }

    /// Every namespace that is kept, in no order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(name, entry)| (name.as_ref(), entry))
    }

    /// The managed namespaces that were seen, and the operator's own (S09), in no order.
    pub fn matching(&self) -> impl Iterator<Item = &str> {
        let own = Some(self.rule.operator_namespace()).filter(|own| !own.is_empty());
        own.into_iter().chain(self.entries().filter(|(_, entry)| entry.in_scope).map(|(name, _)| name))
    }

    /// How many namespaces that were seen have this verdict; the operator's own, which is never stored, is not among them.
    pub fn count(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::InScope => self.in_scope,
            Verdict::OutOfScope => self.entries.size() - self.in_scope,
            Verdict::Unknown => 0,
        }
    }

    /// Equal on replicas that agree on the rule, the namespaces and their verdicts (S51).
    pub fn digest(&self) -> Digest {
        self.digest.with(Digest::of_rule(&format!("{}\0{}", self.rule.operator_namespace(), self.rule)))
    }

    /// How many snapshots this process has published before it, and this one. Another process counts its own.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// How many rules this process has had: 1 until the first reload that changed the scope.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether the first full list is in it. Before that, nothing can be concluded from what is missing.
    pub fn is_seeded(&self) -> bool {
        self.seeded
    }

    /// The rule that it was made by.
    pub fn rule(&self) -> &Arc<ScopeRule> {
        &self.rule
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jiff::Timestamp;
    use kube::core::ObjectMeta;

    use super::*;
    use crate::scope::{Index, Observation, Pick};

    fn namespace(name: &str, version: u64) -> ObjectMeta {
        ObjectMeta {
            name: Some(name.into()),
            uid: Some(format!("uid-{name}")),
            resource_version: Some(version.to_string()),
            ..ObjectMeta::default()
        }
    }

    fn listed(rule: ScopeRule, names: &[&str]) -> Index {
        let mut index = Index::new(rule);
        index.relist_begins();
        for name in names {
            index.relist_holds(&Observation::of(&namespace(name, 1)));
        }
        index.relist_done();
        index.publish(Timestamp::UNIX_EPOCH);
        index
    }

    #[test]
    fn s06_a_look_up_takes_nothing_but_the_snapshot_that_a_request_has_loaded() {
        let pick = Pick::Named(["pay".to_owned()].into());
        let mut index = listed(ScopeRule::new("ops", pick), &["pay", "other"]);
        let loaded = index.snapshot();
        let answers =
            |snapshot: &Snapshot| ["pay", "other", "never-seen", "ops", ""].map(|name| snapshot.verdict(name));
        let expected = [Verdict::InScope, Verdict::OutOfScope, Verdict::Unknown, Verdict::InScope, Verdict::InScope];
        assert_eq!(answers(&loaded), expected);
        // The writer is in the middle of everything, and then publishes the opposite: whoever has loaded goes on with what it has, on
        // any thread.
        index.set_rule(ScopeRule::new("ops", Pick::Named(["other".to_owned()].into())));
        index.delete(&Observation::of(&namespace("pay", 2)));
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| answers(&loaded));
            index.publish(Timestamp::UNIX_EPOCH);
            assert_eq!(reader.join().unwrap(), expected);
        });
        assert_eq!(answers(&loaded), expected);
        assert_eq!(
            answers(&index.snapshot()),
            [Verdict::Unknown, Verdict::InScope, Verdict::Unknown, Verdict::InScope, Verdict::InScope]
        );
    }

    #[test]
    fn s09_matching_are_those_that_were_seen_and_the_operators_own_each_once_and_no_empty_name() {
        let names = |index: &Index| index.snapshot().matching().map(str::to_owned).collect::<Vec<_>>();
        let index = listed(ScopeRule::new("ops", Pick::Every), &["pay", "ops", "", "kube-system"]);
        let found = names(&index);
        assert_eq!(found.len(), 3, "each once: {found:?}");
        assert_eq!(BTreeSet::from_iter(found), BTreeSet::from(["pay", "ops", "kube-system"].map(str::to_owned)));
        let two = ScopeRule::new("ops", Pick::Named(["pay".to_owned(), "not-there".to_owned()].into()));
        assert_eq!(
            BTreeSet::from_iter(names(&listed(two, &["pay", "other"]))),
            BTreeSet::from(["pay", "ops"].map(str::to_owned))
        );
        assert_eq!(names(&listed(ScopeRule::new("", Pick::Every), &[])), Vec::<String>::new());
    }
}
