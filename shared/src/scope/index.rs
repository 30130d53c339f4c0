//! The single writer's state: takes observations in any order, and publishes what they come to.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use jiff::Timestamp;

use super::{
    Digest, Direction, Entry, Flip, LastFlip, Observation, ScopeRule, Snapshot, Verdict, entry::Labels,
    snapshot::Entries, tombstones::Tombstones,
};

/// Everything that was seen of namespaces, and what was last published of it. Has one owner; readers hold [`Snapshot`]s.
#[derive(Clone, Debug)]
pub struct Index {
    rule: Arc<ScopeRule>,
    generation: u64,
    entries: Entries,
    tombstones: Tombstones,
    /// What the list that is under way has told so far. Nothing of it counts before its end.
    relist: Option<HashMap<Arc<str>, Entry>>,
    seeded: bool,
    /// Names that may be otherwise than published.
    touched: HashSet<Arc<str>>,
    published: Arc<Snapshot>,
}

/// What [`Index::publish`] gives: first the state, then whom to tell (scope.md S20).
#[derive(Clone, Debug)]
pub struct Published {
    /// The new state.
    pub snapshot: Arc<Snapshot>,
    /// What changed for somebody since the snapshot before, in no order.
    pub flips: Vec<Flip>,
}

impl Index {
    /// Nothing was seen yet.
    pub fn new(rule: ScopeRule) -> Self {
        let rule = Arc::new(rule);
        Self {
            rule: rule.clone(),
            generation: 1,
            entries: Entries::default(),
            tombstones: Tombstones::default(),
            relist: None,
            seeded: false,
            touched: HashSet::new(),
            published: Arc::new(Snapshot::empty(rule)),
        }
    }

    /// What was published last.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.published.clone()
    }

    /// A namespace was seen. An older observation, or one of an earlier namespace of that name, changes nothing (S07).
    pub fn apply(&mut self, seen: &Observation<'_>) {
        if !self.is_news(seen) {
            return;
        }
        let entry = self.entry_of(seen);
        if let Some(relist) = &mut self.relist {
            relist.insert(seen.name.into(), entry.clone());
        }
        self.keep(seen.name.into(), entry);
    }

    /// A namespace was seen for the last time. It is forgotten, and nobody is told (S08).
    pub fn delete(&mut self, gone: &Observation<'_>) {
        if self.rule.is_never_stored(gone.name) {
            return;
        }
        self.tombstones.bury(gone.name, gone.revision);
        let is_meant = |entry: &Entry| *entry.uid == *gone.uid || entry.revision <= gone.revision;
        if let Some(relist) = &mut self.relist
            && relist.get(gone.name).is_some_and(is_meant)
        {
            relist.remove(gone.name);
        }
        if self.entries.get(gone.name).is_some_and(is_meant) {
            self.entries.remove_mut(gone.name);
            self.touched.insert(gone.name.into());
        }
    }

    /// A complete list begins. What an earlier one that broke off had told is dropped.
    pub fn relist_begins(&mut self) {
        self.relist = Some(HashMap::new());
    }

    /// The list that is under way holds this namespace. Nothing is published of it yet.
    pub fn relist_holds(&mut self, seen: &Observation<'_>) {
        if self.rule.is_never_stored(seen.name) || self.tombstones.covers(seen.name, seen.revision) {
            return;
        }
        let entry = self.entry_of(seen);
        let relist = self.relist.get_or_insert_default();
        if relist.get(seen.name).is_none_or(|known| known.revision < seen.revision) {
            relist.insert(seen.name.into(), entry);
        }
    }

    /// The list is complete: what it does not hold is forgotten (S08), and everything else is as it says or newer.
    pub fn relist_done(&mut self) {
        let relist = self.relist.take().unwrap_or_default();
        let vanished: Vec<Arc<str>> = self.entries.keys().filter(|name| !relist.contains_key(*name)).cloned().collect();
        for name in vanished {
            self.entries.remove_mut(&name);
            self.touched.insert(name);
        }
        for (name, mut entry) in relist {
            if self.entries.get(&name).is_none_or(|known| known.revision < entry.revision) {
                // The rule may have changed while the list was under way.
                entry.in_scope = self.rule.picks_entry(&name, &entry.labels);
                self.keep(name, entry);
            }
        }
        self.seeded = true;
    }

    /// Another rule is in force; returns whether it is another one (S10).
    pub fn set_rule(&mut self, rule: ScopeRule) -> bool {
        if *self.rule == rule {
            return false;
        }
        self.rule = Arc::new(rule);
        self.generation += 1;
        let names: Vec<Arc<str>> = self.entries.keys().cloned().collect();
        for name in names {
            let Some(entry) = self.entries.get(&name) else { continue };
            let in_scope = self.rule.picks_entry(&name, &entry.labels);
            if in_scope != entry.in_scope {
                let entry = Entry { in_scope, ..entry.clone() };
                self.entries.insert_mut(name.clone(), entry);
            }
            // Also where the entry is the same: the rule before may have decided without looking.
            self.touched.insert(name);
        }
        true
    }

    /// Makes a snapshot of what was seen, if it differs from the one before for anybody who asks. Flips are the difference.
    pub fn publish(&mut self, now: Timestamp) -> Option<Published> {
        let before = self.published.clone();
        let epoch = before.epoch + 1;
        let mut changed = self.generation != before.generation || self.seeded != before.seeded;
        let (mut in_scope, mut digest, mut flips) = (before.in_scope, before.digest, Vec::new());
        for namespace in std::mem::take(&mut self.touched) {
            let (old, new) = (before.entries.get(&namespace), self.entries.get(&namespace));
            changed |= old.map(visible) != new.map(visible);
            let direction = Direction::between(verdict_before(&before, &namespace, new), self.verdict(&namespace, new));
            if let Some(old) = old {
                digest = digest.without(Digest::of_namespace(&namespace, &old.uid, old.in_scope));
                in_scope -= usize::from(old.in_scope);
            }
            if let Some(new) = new {
                digest = digest.with(Digest::of_namespace(&namespace, &new.uid, new.in_scope));
                in_scope += usize::from(new.in_scope);
            }
            if let (Some(direction), Some(new)) = (direction, new) {
                let entry = Entry { last_flip: Some(LastFlip { direction, at: now }), ..new.clone() };
                self.entries.insert_mut(namespace.clone(), entry);
                flips.push(Flip { namespace, direction, epoch });
            }
        }
        if !changed {
            return None;
        }
        let (rule, entries) = (self.rule.clone(), self.entries.clone());
        let (generation, seeded) = (self.generation, self.seeded);
        self.published = Arc::new(Snapshot { rule, entries, in_scope, digest, epoch, generation, seeded });
        Some(Published { snapshot: self.published.clone(), flips })
    }

    fn is_news(&self, seen: &Observation<'_>) -> bool {
        !self.rule.is_never_stored(seen.name)
            && !self.tombstones.covers(seen.name, seen.revision)
            && self.entries.get(seen.name).is_none_or(|known| known.revision < seen.revision)
    }

    fn entry_of(&self, seen: &Observation<'_>) -> Entry {
        let labels = Labels::from(seen.labels);
        let in_scope = self.rule.picks_entry(seen.name, &labels);
        Entry { uid: seen.uid.into(), revision: seen.revision, labels, in_scope, last_flip: None }
    }

    /// Stores an entry that is newer than the one that is there.
    fn keep(&mut self, name: Arc<str>, mut entry: Entry) {
        entry.last_flip = self.entries.get(&name).filter(|old| old.uid == entry.uid).and_then(|old| old.last_flip);
        self.entries.insert_mut(name.clone(), entry);
        self.touched.insert(name);
    }

    fn verdict(&self, namespace: &str, entry: Option<&Entry>) -> Verdict {
        if self.rule.is_always_in_scope(namespace) { Verdict::InScope } else { verdict_of(entry) }
    }
}

/// What a reader can see of an entry.
fn visible(entry: &Entry) -> (&str, bool) {
    (&entry.uid, entry.in_scope)
}

fn verdict_of(entry: Option<&Entry>) -> Verdict {
    match entry {
        Some(entry) if entry.in_scope => Verdict::InScope,
        Some(_) => Verdict::OutOfScope,
        None => Verdict::Unknown,
    }
}

/// What the namespace that is there now was before. One that was deleted and made again is another one: it was unknown.
fn verdict_before(before: &Snapshot, namespace: &str, now: Option<&Entry>) -> Verdict {
    if before.rule.is_always_in_scope(namespace) {
        return Verdict::InScope;
    }
    verdict_of(before.entries.get(namespace).filter(|old| now.is_none_or(|now| now.uid == old.uid)))
}
