//! From an intent to the objects that are applied and pruned for it.

use std::collections::BTreeSet;

use super::{Failure, Intent, Observed, apply::ApplyTask, intent::Convergence, prune::PruneTask};
use crate::{
    api::{InventoryEntry, MAX_INVENTORY, OnDelete},
    identity::ObjectIdentity,
    reason::Reason,
};

/// The stages of a pass, in their order (class.md C30).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// The mass-delete guard is asked, where objects would go.
    Ask,
    /// The inventory is written ahead.
    Reserve,
    /// The namespace gets our finalizer, where cluster-scoped objects are owed.
    Hold,
    Apply,
    Prune,
    /// The finalizer goes, where nothing is owed.
    Free,
    /// The end is written down.
    Settle,
    Over,
}

/// What a pass has to do, and where it begins.
pub(super) struct Tasks {
    pub(super) first: Stage,
    pub(super) intent: Intent,
    /// The inventory as it is to be written ahead.
    pub(super) inventory: Vec<InventoryEntry>,
    pub(super) applies: Vec<ApplyTask>,
    pub(super) prunes: Vec<PruneTask>,
    pub(super) failures: Vec<Failure>,
}

/// What becomes of objects that the class no longer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stale {
    Prune,
    /// The guard holds them.
    Keep,
}

/// Plans the tasks for `intent`, given the inventory as stored.
pub(super) fn tasks(observed: &Observed, intent: Intent, inventory: Vec<InventoryEntry>, stale: Stale) -> Tasks {
    let mut plan =
        Tasks { first: Stage::Prune, intent, inventory, applies: Vec::new(), prunes: Vec::new(), failures: Vec::new() };
    match plan.intent.clone() {
        Intent::Nothing | Intent::OtherInstance(_) | Intent::AwaitProtection => plan.first = Stage::Over,
        Intent::Hold(_, reason, message) => {
            plan.failures.push(Failure { object: None, reason, message });
            plan.protect(observed);
        }
        Intent::OptOut(..) => plan.protect(observed),
        Intent::OutOfScope(_) | Intent::Adopt(_) => plan.first = Stage::Settle,
        Intent::Rebuild(inventory, _) => {
            plan.inventory = inventory;
            plan.first = Stage::Settle;
        }
        Intent::Damaged(message) => {
            plan.failures.push(Failure { object: None, reason: Reason::InventoryCorrupted, message });
            plan.first = Stage::Settle;
        }
        Intent::Collect => {
            // What was in the namespace went with it.
            plan.inventory.retain(InventoryEntry::is_cluster_scoped);
            plan.prune(|_| true, OnDelete::Delete);
        }
        Intent::Terminate(_) => plan.prune(InventoryEntry::is_cluster_scoped, OnDelete::Delete),
        Intent::Renew(_) => {
            for entry in plan.inventory.iter_mut().filter(|e| !e.is_cluster_scoped()) {
                entry.uid.clear();
                entry.applied.clear();
            }
            plan.prune(InventoryEntry::is_cluster_scoped, OnDelete::Delete);
        }
        Intent::Leave(_, on_delete) => {
            plan.prune(|_| true, on_delete);
            plan.inventory.iter_mut().for_each(|entry| entry.applied.clear());
            plan.first = Stage::Reserve;
        }
        Intent::Converge(goal) => plan.converge(observed, &goal, stale),
    }
    plan
}

impl Tasks {
    /// What is there is kept as it is, and nothing else (class.md C02, C50): only an object whose recorded rendering is the very one that
    /// would be applied, and only where somebody saw it changed.
    fn protect(&mut self, observed: &Observed) {
        self.first = Stage::Reserve;
        // Suspended is suspended: what is seen meanwhile is looked at afterwards (class.md C39). So is what waits for a licence.
        let rests = observed.suspended.is_some() || observed.unlicensed.is_some();
        let Some(protected) = observed.protected.as_ref().filter(|_| !rests) else { return };
        for desired in &protected.desired {
            let stored = self.inventory.iter().find(|e| e.is(&desired.identity));
            let (live, suspect) = (observed.live.get(&desired.identity), observed.suspects.get(&desired.identity));
            let same = stored.is_some_and(|e| !e.uid.is_empty() && e.rendered_hash() == Some(&desired.hash));
            if same && (live.is_some() || suspect.is_some()) {
                let task = ApplyTask::begin(desired.clone(), stored, live, suspect, None, &protected.facts);
                self.applies.push(task);
            }
        }
        self.applies.sort_by_key(|task| task.desired().rank());
        for task in self.applies.iter().filter(|task| task.creates()) {
            forget_uid(&mut self.inventory, &task.desired().identity);
        }
    }

    fn converge(&mut self, observed: &Observed, goal: &Convergence, stale: Stale) {
        let known: BTreeSet<ObjectIdentity> = self.inventory.iter().map(InventoryEntry::identity).collect();
        let union = known.len() + goal.desired.iter().filter(|d| !known.contains(&d.identity)).count();
        if union > MAX_INVENTORY {
            let reason = Reason::InventoryTooLarge;
            let message = format!("old and new objects together are {union}, and an inventory holds {MAX_INVENTORY}");
            self.failures.push(Failure { object: None, reason, message: message.clone() });
            self.intent = Intent::Hold(goal.namespace.clone(), reason, message);
            self.first = Stage::Settle;
            return;
        }
        self.first = Stage::Reserve;
        self.failures.extend(goal.waiting.iter().map(|w| Failure {
            object: None,
            reason: Reason::KindNotFound,
            message: format!("{} {}: the API server does not serve {}", w.gvk.kind, w.name, w.gvk),
        }));
        self.applies = goal
            .desired
            .iter()
            .map(|d| {
                let stored = self.inventory.iter().find(|e| e.is(&d.identity));
                let (live, refused) = (observed.live.get(&d.identity), observed.refused.get(&d.identity));
                let suspect = observed.suspects.get(&d.identity);
                ApplyTask::begin(d.clone(), stored, live, suspect, refused, &goal.facts)
            })
            .collect();
        self.applies.sort_by_key(|task| task.desired().rank());
        self.drop_stale(goal, stale);
        self.reserve(goal);
    }

    /// Queues what the class no longer says. What waits for its kind is not stale.
    fn drop_stale(&mut self, goal: &Convergence, stale: Stale) {
        let wanted: BTreeSet<&ObjectIdentity> = goal.desired.iter().map(|d| &d.identity).collect();
        let waits = |e: &InventoryEntry| {
            goal.waiting.iter().any(|w| w.name == e.name && w.gvk.kind == e.kind && w.gvk.group == e.group)
        };
        let is_stale = |e: &InventoryEntry| !wanted.contains(&e.identity()) && !waits(e);
        // A kind that is no longer served took its objects with it: whoever sees it served again looks.
        self.inventory.iter_mut().filter(|e| waits(e)).for_each(|entry| entry.applied.clear());
        if stale == Stale::Keep {
            return;
        }
        self.prune(is_stale, goal.departing);
        for entry in self.inventory.iter_mut().filter(|e| is_stale(e)) {
            entry.applied.clear();
            // The class that decided this may be another one when the pass is run again.
            entry.on_delete = Some(entry.on_delete(goal.departing));
        }
    }

    /// Makes the inventory the union of old and new.
    fn reserve(&mut self, goal: &Convergence) {
        for desired in &goal.desired {
            match entry_of(&mut self.inventory, &desired.identity) {
                Some(entry) => entry.on_delete = desired.on_delete,
                None => self.inventory.push(InventoryEntry {
                    on_delete: desired.on_delete,
                    ..InventoryEntry::reserved(&desired.identity, &desired.version)
                }),
            }
        }
        for task in self.applies.iter().filter(|task| task.creates()) {
            forget_uid(&mut self.inventory, &task.desired().identity);
        }
        self.inventory.sort_by_key(InventoryEntry::identity);
    }

    /// Queues the entries that `select`s: grants first, restrictions last (class.md C32).
    fn prune(&mut self, select: impl Fn(&InventoryEntry) -> bool, class: OnDelete) {
        let selected = self.inventory.iter().filter(|e| select(e));
        self.prunes = selected.map(|e| PruneTask::begin(e.clone(), class)).collect();
        self.prunes.sort_by_key(|task| std::cmp::Reverse(task.rank()));
    }
}

/// The entry of an object, if it has one.
pub(super) fn entry_of<'a>(
    inventory: &'a mut [InventoryEntry],
    identity: &ObjectIdentity,
) -> Option<&'a mut InventoryEntry> {
    inventory.iter_mut().find(|entry| entry.is(identity))
}

/// Empties the UID of an object that is gone and about to be made again; returns whether there was one.
pub(super) fn forget_uid(inventory: &mut [InventoryEntry], identity: &ObjectIdentity) -> bool {
    let Some(entry) = entry_of(inventory, identity).filter(|e| !e.uid.is_empty()) else {
        return false;
    };
    entry.uid.clear();
    entry.applied.clear();
    true
}
