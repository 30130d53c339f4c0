//! One desired object on its way (class.md C31, C33): whether to ask at all, what must hold, and what to make of each answer.

use super::{ClassFacts, Desired, Failure, LiveObject, ObjectRef, Outcome, Ownership, Precondition, Refused, Step};
use crate::{
    api::{Adoption, Drift, Immutable, InventoryEntry},
    reason::Reason,
};

/// Reads of one object in one pass. Somebody who makes and deletes it all the time is left to the next pass.
const MOST_READS: u8 = 3;

/// One object that must be there.
#[derive(Clone, Debug)]
pub(super) struct ApplyTask {
    desired: Desired,
    state: State,
    reads: u8,
    /// Our field manager takes fields from others.
    force: bool,
    /// It was there already, and ours.
    was_ours: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    /// Its creation may have happened, or it is not what the inventory says.
    Read,
    Create,
    Update(String),
    /// The class asks for `Recreate`: marks are read before the delete.
    ReadToRecreate,
    Recreate(String),
    Over(Applied),
}

/// How it ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Applied {
    /// Rest: no request was needed.
    Unchanged,
    /// Somebody changed or deleted it, and the class wants that said and not undone.
    Drifted,
    /// Applied now.
    Now { uid: String, fields: String },
    /// Not there, or not as desired.
    Failed(Failure),
}

/// The namespace that objects are made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner<'a> {
    pub(super) namespace: &'a str,
    pub(super) uid: &'a str,
}

impl ApplyTask {
    /// Decides from what is recorded, before any request (class.md C31).
    ///
    /// `stored` is the object's entry as it was before this pass; `live` what was read of it before the pass, if it was.
    pub(super) fn begin(
        desired: Desired,
        stored: Option<&InventoryEntry>,
        live: Option<&Option<LiveObject>>,
        refused: Option<&Refused>,
        facts: &ClassFacts,
    ) -> Self {
        let state = match stored {
            _ if refused.is_some_and(|r| r.hash == desired.hash) => {
                let (reason, message) =
                    refused.map_or((Reason::ApplyFailed, String::new()), |r| (r.reason, r.message.clone()));
                State::Over(Applied::Failed(Failure::of(&desired.identity, reason, message)))
            }
            None => State::Create,
            // Its creation, or a deletion, may have happened.
            Some(entry) if entry.uid.is_empty() || entry.applied.is_empty() => State::Read,
            Some(entry) => {
                let same_rendering = entry.rendered_hash() == Some(&desired.hash);
                let drifted = match live {
                    None => false,
                    Some(None) => true,
                    Some(Some(live)) => !live.matches(entry),
                };
                match live {
                    _ if same_rendering && drifted && facts.drift == Drift::Report => State::Over(Applied::Drifted),
                    _ if same_rendering && (!drifted || facts.drift == Drift::Ignore) => {
                        State::Over(Applied::Unchanged)
                    }
                    Some(None) => State::Create,
                    Some(Some(live)) if live.uid != entry.uid => State::Read,
                    _ => State::Update(entry.uid.clone()),
                }
            }
        };
        Self { desired, state, reads: 0, force: facts.drift == Drift::Repair, was_ours: false }
    }

    /// Whether it was found to be there, and ours.
    pub(super) fn was_ours(&self) -> bool {
        self.was_ours
    }

    pub(super) fn desired(&self) -> &Desired {
        &self.desired
    }

    /// Whether the next request creates: the inventory must not hold a UID then.
    pub(super) fn creates(&self) -> bool {
        self.state == State::Create
    }

    /// How it ended, once it has.
    pub(super) fn ended(&self) -> Option<&Applied> {
        if let State::Over(applied) = &self.state { Some(applied) } else { None }
    }

    /// The next request, unless it is over.
    pub(super) fn step(&self) -> Option<Step> {
        let object = ObjectRef { identity: self.desired.identity.clone(), version: self.desired.version.clone() };
        let apply = |precondition| Step::Apply {
            object: object.clone(),
            manifest: self.desired.manifest.clone(),
            precondition,
            force: self.force,
        };
        match &self.state {
            State::Read | State::ReadToRecreate => Some(Step::Read(object)),
            State::Create => Some(apply(Precondition::Absent)),
            State::Update(uid) => Some(apply(Precondition::Uid(uid.clone()))),
            State::Recreate(uid) => Some(Step::Delete { object, uid: uid.clone() }),
            State::Over(_) => None,
        }
    }

    /// Takes the answer to [`Self::step`].
    pub(super) fn record(&mut self, outcome: Outcome, owner: Owner<'_>, facts: &ClassFacts) {
        self.state = match (&self.state, outcome) {
            (State::Read | State::ReadToRecreate, Outcome::Read(None)) => self.again(State::Create),
            (State::Read, Outcome::Read(Some(live))) => self.found(&live, owner, facts),
            (State::ReadToRecreate, Outcome::Read(Some(live))) => self.found_immutable(&live, owner),
            (State::Create | State::Update(_), Outcome::Applied { uid, fields }) => {
                State::Over(Applied::Now { uid, fields })
            }
            (State::Create | State::Update(_) | State::Recreate(_), Outcome::PreconditionFailed) => {
                self.again(State::Read)
            }
            (State::Recreate(_), Outcome::DeleteAccepted | Outcome::Read(None)) => self.again(State::Read),
            (State::Update(_), Outcome::Refused(refusal))
                if refusal.reason == Reason::ImmutableField
                    && facts.immutable == Immutable::Recreate
                    && !self.desired.identity.group_kind().holds_data() =>
            {
                self.again(State::ReadToRecreate)
            }
            (_, Outcome::Refused(refusal)) => self.failed(refusal.reason, refusal.message),
            (state, outcome) => self.failed(Reason::ApplyFailed, format!("unexpected {outcome:?} while in {state:?}")),
        };
    }

    /// Goes on, unless that has happened too often.
    fn again(&mut self, next: State) -> State {
        self.reads += 1;
        if self.reads > MOST_READS {
            self.failed(Reason::ApplyFailed, "somebody makes and deletes it at this moment".into())
        } else {
            next
        }
    }

    fn found(&mut self, live: &LiveObject, owner: Owner<'_>, facts: &ClassFacts) -> State {
        if let Some(failure) = self.being_deleted(live) {
            return failure;
        }
        match live.ownership(&self.desired.identity, owner.namespace, owner.uid) {
            Ownership::Ours => {
                self.was_ours = true;
                State::Update(live.uid.clone())
            }
            Ownership::Foreign if facts.adoption == Adoption::Adopt => {
                self.force = true;
                State::Update(live.uid.clone())
            }
            Ownership::Foreign => self.failed(Reason::NotOwned, format!("it is there already ({})", live.held_by())),
            Ownership::AnotherNamespaces => {
                let whose = live.labels.get(crate::names::OBJECT_NAMESPACE_LABEL).map_or("", String::as_str);
                self.failed(Reason::NotOwned, format!("it is there already and belongs to namespace {whose:?}"))
            }
        }
    }

    fn found_immutable(&mut self, live: &LiveObject, owner: Owner<'_>) -> State {
        if let Some(failure) = self.being_deleted(live) {
            return failure;
        }
        match live.ownership(&self.desired.identity, owner.namespace, owner.uid) {
            Ownership::Ours => State::Recreate(live.uid.clone()),
            _ => self.failed(Reason::NotOwned, format!("it lost our marks ({})", live.held_by())),
        }
    }

    fn being_deleted(&self, live: &LiveObject) -> Option<State> {
        live.deleting_since?;
        let held = if live.finalizers.is_empty() {
            String::new()
        } else {
            format!(", held by {}", live.finalizers.join(", "))
        };
        Some(self.failed(Reason::ApplyFailed, format!("it is being deleted{held}; it is made again when it is gone")))
    }

    fn failed(&self, reason: Reason, message: String) -> State {
        State::Over(Applied::Failed(Failure::of(&self.desired.identity, reason, message)))
    }
}
