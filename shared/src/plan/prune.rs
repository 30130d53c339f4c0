//! One inventory entry on its way out (class.md C40, C41): read, prove that it is ours, delete by UID, and believe only a `NotFound`.

use super::{Failure, LiveObject, ObjectRef, Outcome, Ownership, Rank, Step, apply::Owner};
use crate::{
    api::{InventoryEntry, OnDelete},
    reason::Reason,
};

/// Reads of one object in one pass, as in applying.
const MOST_READS: u8 = 3;

/// One object that must go.
#[derive(Clone, Debug)]
pub(super) struct PruneTask {
    entry: InventoryEntry,
    departing: OnDelete,
    state: State,
    reads: u8,
    /// Its deletion was asked for.
    deleting: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    Read,
    Delete(String),
    Disown(String),
    /// The delete of this UID was accepted.
    Confirm(String),
    Over(Pruned),
}

/// How it ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pruned {
    /// It is gone, or no longer ours: the entry goes.
    Gone,
    /// It was never ours, or is another one now: the entry goes, and somebody should know.
    Dropped(String),
    /// The entry stays.
    Stays(Failure),
}

impl PruneTask {
    pub(super) fn begin(entry: InventoryEntry, class: OnDelete) -> Self {
        Self { departing: entry.on_delete(class), entry, state: State::Read, reads: 0, deleting: false }
    }

    pub(super) fn entry(&self) -> &InventoryEntry {
        &self.entry
    }

    /// Whether this pass deleted it.
    pub(super) fn deleted(&self) -> bool {
        self.deleting
    }

    /// Whether it takes an object away that is known to have been there.
    pub(super) fn deletes(&self) -> bool {
        self.departing == OnDelete::Delete && !self.entry.uid.is_empty()
    }

    pub(super) fn rank(&self) -> Rank {
        Rank::of(&self.entry.group, &self.entry.kind)
    }

    pub(super) fn ended(&self) -> Option<&Pruned> {
        if let State::Over(pruned) = &self.state { Some(pruned) } else { None }
    }

    pub(super) fn step(&self) -> Option<Step> {
        let object = ObjectRef { identity: self.entry.identity(), version: self.entry.version.clone() };
        match &self.state {
            State::Read | State::Confirm(_) => Some(Step::Read(object)),
            State::Delete(uid) => Some(Step::Delete { object, uid: uid.clone() }),
            State::Disown(uid) => Some(Step::Disown { object, uid: uid.clone() }),
            State::Over(_) => None,
        }
    }

    pub(super) fn record(&mut self, outcome: Outcome, owner: Owner<'_>) {
        self.deleting |= matches!(self.state, State::Delete(_));
        self.state = match (&self.state, outcome) {
            (State::Read | State::Confirm(_) | State::Delete(_) | State::Disown(_), Outcome::Read(None))
            | (State::Disown(_), Outcome::Done) => State::Over(Pruned::Gone),
            (State::Read, Outcome::Read(Some(live))) => self.found(&live, owner),
            (State::Delete(uid), Outcome::DeleteAccepted) => State::Confirm(uid.clone()),
            (State::Confirm(uid), Outcome::Read(Some(live))) if live.uid != *uid => State::Over(Pruned::Gone),
            (State::Confirm(_), Outcome::Read(Some(live))) => self.blocked(&live),
            (State::Delete(_) | State::Disown(_), Outcome::PreconditionFailed) => self.again(),
            (_, Outcome::Refused(refusal)) => {
                let reason = if refusal.reason == Reason::Forbidden { Reason::Forbidden } else { Reason::DeleteFailed };
                self.stays(reason, refusal.message)
            }
            (state, outcome) => self.stays(Reason::DeleteFailed, format!("unexpected {outcome:?} while in {state:?}")),
        };
    }

    fn found(&self, live: &LiveObject, owner: Owner<'_>) -> State {
        let identity = self.entry.identity();
        if live.ownership(&identity, owner.namespace, owner.uid) != Ownership::Ours {
            return State::Over(Pruned::Dropped(format!(
                "{identity} is not ours any more: its marks do not name it and this namespace"
            )));
        }
        if !self.entry.uid.is_empty() && self.entry.uid != live.uid {
            return State::Over(Pruned::Dropped(format!(
                "{identity} is another object than the one recorded: UID {} instead of {}",
                live.uid, self.entry.uid
            )));
        }
        match self.departing {
            OnDelete::Orphan => State::Disown(live.uid.clone()),
            OnDelete::Delete if live.deleting_since.is_some() => self.blocked(live),
            OnDelete::Delete => State::Delete(live.uid.clone()),
        }
    }

    fn blocked(&self, live: &LiveObject) -> State {
        if live.finalizers.is_empty() {
            return self.stays(Reason::DeleteBlocked, "it is being deleted and has not ended yet".into());
        }
        self.stays(
            Reason::DeleteBlocked,
            format!("it is being deleted, held by the finalizers {}", live.finalizers.join(", ")),
        )
    }

    fn again(&mut self) -> State {
        self.reads += 1;
        if self.reads > MOST_READS {
            self.stays(Reason::DeleteFailed, "it changes faster than it can be read".into())
        } else {
            State::Read
        }
    }

    fn stays(&self, reason: Reason, message: String) -> State {
        State::Over(Pruned::Stays(Failure::of(&self.entry.identity(), reason, message)))
    }
}
