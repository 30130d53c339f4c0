//! The machine: stages in the order of class.md C30, each a list of small tasks.

mod guard;

use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;

use super::{
    ClassFacts, Failure, Intent, NamespaceFacts, Observed, Outcome, Rank, Refused, Repair, Report, Requeue, Step,
    apply::{Applied, ApplyTask, Owner},
    intent,
    prune::{PruneTask, Pruned},
    settle,
    tasks::{Stage, Stale, Tasks, entry_of, forget_uid, tasks},
};
use crate::{
    api::{InventoryEntry, NamespaceClassBinding},
    identity::ObjectIdentity,
    reason::Reason,
};

/// One namespace's reconcile. See the [module](super) for how it is driven.
#[derive(Clone, Debug)]
pub struct Pass {
    observed: Observed,
    intent: Intent,
    /// The binding as the server has it, as far as we know.
    stored: Option<NamespaceClassBinding>,
    /// The inventory as it will be written next.
    inventory: Vec<InventoryEntry>,
    stage: Stage,
    /// The stage after the guard's answer.
    first: Stage,
    applies: VecDeque<ApplyTask>,
    prunes: VecDeque<PruneTask>,
    failures: Vec<Failure>,
    held_back: Vec<ObjectIdentity>,
    drifted: Vec<ObjectIdentity>,
    /// Whether any live object was compared with the inventory.
    looked: bool,
    created: Vec<ObjectIdentity>,
    deleted: Vec<ObjectIdentity>,
    repairs: Vec<Repair>,
    cleared: Vec<ObjectIdentity>,
    notes: Vec<String>,
    refused: BTreeMap<ObjectIdentity, Refused>,
    requeue: Option<Requeue>,
    /// When the guard is asked again.
    ask_again: Option<Timestamp>,
    /// What it stood on turned out to be old.
    stale: bool,
    /// Without a binding, there were objects of ours all the same.
    lost: bool,
}

impl Pass {
    /// Decides what the facts call for.
    pub fn begin(observed: Observed) -> Self {
        let intent = intent(&observed);
        let stored = observed.binding.clone();
        let inventory =
            stored.as_ref().and_then(|b| b.status.as_ref()).map(|s| s.inventory.clone()).unwrap_or_default();
        let looked = !observed.live.is_empty();
        let Tasks { first, intent, inventory, applies, prunes, failures } =
            tasks(&observed, intent, inventory, Stale::Prune);
        Self {
            observed,
            intent,
            stored,
            inventory,
            stage: Stage::Ask,
            first,
            applies: applies.into(),
            prunes: prunes.into(),
            failures,
            held_back: Vec::new(),
            drifted: Vec::new(),
            looked,
            created: Vec::new(),
            deleted: Vec::new(),
            repairs: Vec::new(),
            cleared: Vec::new(),
            notes: Vec::new(),
            refused: BTreeMap::new(),
            requeue: None,
            ask_again: None,
            stale: false,
            lost: false,
        }
    }

    /// What the pass is for.
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    /// The next request, or none when the pass is over.
    pub fn next_step(&mut self) -> Option<Step> {
        loop {
            let step = match self.stage {
                Stage::Ask => self.question(),
                Stage::Reserve => self.reservation().map(|b| Step::WriteBinding(Box::new(b))),
                Stage::Hold => self.hold(),
                Stage::Apply => self.applies.front().and_then(ApplyTask::step),
                Stage::Prune => self.prunes.front().and_then(PruneTask::step),
                Stage::Free => self.free(),
                Stage::Settle => self.settlement(),
                Stage::Over => return None,
            };
            if step.is_some() {
                return step;
            }
            self.advance();
        }
    }

    /// Takes what became of the step that [`Self::next_step`] gave last.
    pub fn record(&mut self, outcome: Outcome) {
        let outcome = if let Outcome::Busy { refusal, .. } = outcome { Outcome::Refused(refusal) } else { outcome };
        if outcome == Outcome::Stale {
            // With a pause: the watch that has to tell what is true now may be broken.
            self.requeue = Some(Requeue::Backoff);
            self.stale = true;
            self.stage = Stage::Over;
            return;
        }
        match self.stage {
            Stage::Ask => self.record_answer(outcome),
            Stage::Reserve | Stage::Settle => self.record_binding(outcome),
            Stage::Hold | Stage::Free => {
                if let Outcome::Refused(refusal) = outcome {
                    let message = format!("namespace finalizer: {}", refusal.message);
                    self.failures.push(Failure { object: None, reason: refusal.reason, message });
                    // Without the finalizer the binding still collects, so applying goes on; freeing is tried again.
                }
                self.stage = if self.stage == Stage::Hold { Stage::Apply } else { Stage::Settle };
            }
            Stage::Apply => self.record_apply(outcome),
            Stage::Prune => self.record_prune(outcome),
            Stage::Over => {}
        }
    }

    /// What there is to say, once [`Self::next_step`] gave none.
    pub fn report(&self) -> Report {
        let requeue = self.requeue.unwrap_or_else(|| match &self.intent {
            Intent::OptOut(_, gone) => Requeue::At(gone.at.0),
            _ if self.failures.iter().any(|f| f.reason.is_retried()) => Requeue::Backoff,
            _ => self.ask_again.map_or(Requeue::Rest, Requeue::At),
        });
        Report {
            failures: self.failures.clone(),
            notes: self.notes.clone(),
            refused: self.refused.clone(),
            requeue,
            lost: self.lost,
            created: self.created.clone(),
            deleted: self.deleted.clone(),
            repairs: self.repairs.clone(),
            drifted: self.drifted.clone(),
            cleared: self.cleared.clone(),
        }
    }

    /// The binding as the server has it after this pass, as far as we know; none where there is none.
    pub fn binding(&self) -> Option<&NamespaceClassBinding> {
        self.stored.as_ref()
    }

    /// The write ahead. Before an object is created its entry is there, without a UID (also where one is made again); before one is
    /// deleted its `applied` is empty, so that whoever wants it back after a crash looks whether it is there.
    fn reservation(&self) -> Option<NamespaceClassBinding> {
        let stored = self.stored.as_ref().and_then(|b| b.status.as_ref()).map_or(&[][..], |s| &s.inventory);
        let is_recorded = |entry: &InventoryEntry| {
            let identity = entry.identity();
            stored.iter().any(|s| {
                s.is(&identity)
                    && s.on_delete == entry.on_delete
                    && (s.applied.is_empty() || !entry.applied.is_empty())
                    && (s.uid.is_empty() || !entry.uid.is_empty())
            })
        };
        let grows = self.inventory.iter().any(|entry| !is_recorded(entry));
        match &self.intent {
            Intent::Converge(goal) => (grows || self.stored.is_none())
                .then(|| settle::reserved(&self.observed, self.stored.as_ref(), goal, &self.inventory)),
            Intent::Leave(..) | Intent::Hold(..) | Intent::OptOut(..) if grows => {
                self.stored.as_ref().map(|stored| settle::announced(stored, &self.inventory))
            }
            _ => None,
        }
    }

    fn hold(&self) -> Option<Step> {
        let Intent::Converge(goal) = &self.intent else { return None };
        let owes = self.inventory.iter().any(InventoryEntry::is_cluster_scoped);
        (owes && !goal.namespace.held && self.observed.hold_namespaces)
            .then(|| Step::HoldNamespace { uid: goal.namespace.uid.clone() })
    }

    /// The finalizer stands only while cluster-scoped objects are owed (class.md C42).
    fn free(&self) -> Option<Step> {
        let namespace = match &self.intent {
            Intent::Converge(goal) => &goal.namespace,
            Intent::Terminate(namespace) | Intent::Leave(namespace, _) => namespace,
            _ => return None,
        };
        let owes = self.inventory.iter().any(InventoryEntry::is_cluster_scoped);
        (namespace.held && (!owes || !self.observed.hold_namespaces))
            .then(|| Step::FreeNamespace { uid: namespace.uid.clone() })
    }

    fn settlement(&self) -> Option<Step> {
        let goes = matches!(self.intent, Intent::Collect | Intent::Leave(..)) && self.inventory.is_empty();
        match (&self.stored, goes && !self.failures.iter().any(|f| f.object.is_none())) {
            (Some(stored), true) => Some(Step::DeleteBinding(Box::new(stored.clone()))),
            (None, true) => None,
            _ => {
                let settled = settle::settled(
                    &self.observed,
                    &self.intent,
                    self.stored.as_ref(),
                    settle::End {
                        inventory: &self.inventory,
                        failures: &self.failures,
                        held_back: &self.held_back,
                        drifted: self.looked.then_some(&self.drifted[..]),
                    },
                )?;
                (self.stored.as_ref() != Some(&settled)).then(|| Step::WriteBinding(Box::new(settled)))
            }
        }
    }

    fn advance(&mut self) {
        self.stage = match self.stage {
            Stage::Ask => self.first,
            Stage::Reserve => Stage::Hold,
            Stage::Hold => Stage::Apply,
            Stage::Apply => {
                if let Some(task) = self.applies.pop_front() {
                    self.end_apply(&task);
                    return;
                }
                self.hold_stale_back();
                Stage::Prune
            }
            Stage::Prune => {
                if let Some(task) = self.prunes.pop_front() {
                    self.end_prune(&task);
                    return;
                }
                Stage::Free
            }
            Stage::Free => Stage::Settle,
            Stage::Settle | Stage::Over => Stage::Over,
        };
    }

    /// Class.md C36: until every apply succeeded, only stale grants go. What somebody else owns does not hold pruning back.
    fn hold_stale_back(&mut self) {
        if self.failures.iter().all(|f| f.reason == Reason::NotOwned) {
            return;
        }
        let (grants, others) =
            std::mem::take(&mut self.prunes).into_iter().partition(|task| task.rank() == Rank::Grant);
        let others: VecDeque<PruneTask> = others;
        self.prunes = grants;
        self.held_back.extend(others.iter().map(|task| task.entry().identity()));
    }

    fn record_binding(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::BindingWritten(binding) => {
                self.stored = Some(*binding);
                self.stage = if self.stage == Stage::Reserve { Stage::Hold } else { Stage::Over };
            }
            Outcome::Refused(refusal) => {
                // Nothing may happen that is not written first.
                let message = format!("binding: {}", refusal.message);
                self.failures.push(Failure { object: None, reason: refusal.reason, message });
                self.requeue = Some(Requeue::Backoff);
                self.stage = Stage::Over;
            }
            _ => {
                self.stored = None;
                self.stage = Stage::Over;
            }
        }
        if self.stage == Stage::Over
            && self.requeue.is_none()
            && matches!(self.intent, Intent::Renew(_) | Intent::Rebuild(..) | Intent::Adopt(_))
            && self.failures.is_empty()
        {
            self.requeue = Some(Requeue::Now);
        }
    }

    fn record_apply(&mut self, outcome: Outcome) {
        let Some((namespace, facts)) = applying(&self.intent, &self.observed) else { return };
        let owner = Owner { namespace: &self.observed.name, uid: &namespace.uid };
        let Some(task) = self.applies.front_mut() else { return };
        task.record(outcome, owner, &facts);
        self.lost |= self.observed.binding.is_none() && task.was_ours();
        if task.creates() && forget_uid(&mut self.inventory, &task.desired().identity) {
            self.stage = Stage::Reserve;
        }
    }

    fn end_apply(&mut self, task: &ApplyTask) {
        let desired = task.desired();
        self.note_drift(task);
        match task.ended() {
            Some(Applied::Now { uid, fields }) => {
                if let Some(entry) = entry_of(&mut self.inventory, &desired.identity) {
                    entry.record_applied(&desired.version, uid.clone(), &desired.hash, fields);
                }
            }
            Some(Applied::Failed(failure)) => {
                let entry = entry_of(&mut self.inventory, &desired.identity);
                if let Some(entry) = entry.filter(|_| failure.reason == Reason::ApplyFailed) {
                    // It may have happened all the same.
                    entry.applied.clear();
                }
                if failure.reason == Reason::InvalidManifest {
                    let Failure { reason, message, .. } = failure.clone();
                    self.refused
                        .insert(desired.identity.clone(), Refused { hash: desired.hash.clone(), reason, message });
                }
                self.failures.push(failure.clone());
            }
            Some(Applied::Drifted) => self.drifted.push(desired.identity.clone()),
            Some(Applied::Unchanged | Applied::Waits) | None => {}
        }
    }

    fn note_drift(&mut self, task: &ApplyTask) {
        let object = &task.desired().identity;
        let ended = task.ended();
        if let Some(what) = task.repair() {
            let done = matches!(ended, Some(Applied::Now { .. }));
            self.repairs.push(Repair { object: object.clone(), what: what.to_owned(), done });
        } else if task.created() && matches!(ended, Some(Applied::Now { .. })) {
            self.created.push(object.clone());
        }
        if task.compared() {
            self.looked = true;
        }
        if matches!(ended, Some(Applied::Now { .. })) || (task.compared() && ended == Some(&Applied::Unchanged)) {
            self.cleared.push(object.clone());
        }
    }

    fn record_prune(&mut self, outcome: Outcome) {
        // What is pruned belongs to the namespace that the inventory was written for.
        let recorded = self.stored.as_ref().and_then(|b| b.status.as_ref()).map_or("", |s| &s.observed_namespace_uid);
        let owner = Owner { namespace: &self.observed.name, uid: recorded };
        if let Some(task) = self.prunes.front_mut() {
            task.record(outcome, owner);
        }
    }

    fn end_prune(&mut self, task: &PruneTask) {
        match task.ended() {
            Some(Pruned::Gone) => {
                if task.deleted() {
                    self.deleted.push(task.entry().identity());
                }
                self.drop_entry(&task.entry().identity());
            }
            Some(Pruned::Dropped(note)) => {
                self.notes.push(note.clone());
                self.drop_entry(&task.entry().identity());
            }
            Some(Pruned::Stays(failure)) => self.failures.push(failure.clone()),
            None => {}
        }
    }

    fn drop_entry(&mut self, identity: &ObjectIdentity) {
        self.inventory.retain(|entry| !entry.is(identity));
    }
}

/// The namespace and the class settings that objects are applied for.
fn applying<'a>(intent: &'a Intent, observed: &Observed) -> Option<(&'a NamespaceFacts, ClassFacts)> {
    match intent {
        Intent::Converge(goal) => Some((&goal.namespace, goal.facts)),
        Intent::Hold(namespace, ..) | Intent::OptOut(namespace, _) => {
            observed.protected.as_ref().map(|protected| (namespace, protected.facts))
        }
        _ => None,
    }
}
