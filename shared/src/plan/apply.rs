//! One desired object on its way (class.md C31, C33): whether to ask at all, what must hold, and what to make of each answer.

use super::{
    ClassFacts, Desired, Failure, Held, LiveObject, ObjectRef, Outcome, Ownership, Precondition, Refused, Step,
    Suspect, drift::Difference,
};
use crate::{
    api::{Adoption, Drift, Immutable, InventoryEntry},
    reason::Reason,
};

/// Reads of one object in one pass. Somebody who makes and deletes it all the time is left to the next pass.
const MOST_READS: u8 = 3;

/// One object that must be there.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "what is to be told of it, each asked by name")]
pub(super) struct ApplyTask {
    desired: Desired,
    /// What is recorded of it, where it is compared with the live object.
    entry: InventoryEntry,
    suspect: Option<Suspect>,
    state: State,
    reads: u8,
    /// Our field manager takes fields from others.
    force: bool,
    /// What somebody did to it that is being undone.
    repair: Option<String>,
    created: bool,
    compared: bool,
    /// It was there already, and ours.
    was_ours: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    /// A watch saw it changed or gone.
    Compare,
    /// Its creation may have happened, or it is not what the inventory says.
    Read,
    Create,
    Update(String),
    /// What others added goes; our own fields are as this hash says.
    Strip {
        uid: String,
        fields: String,
        beside: Vec<Held>,
    },
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
    /// Somebody changed or deleted it again, and it is set back later.
    Waits,
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
    /// `stored` is the object's entry as it was before this pass; `live` what was read of it before the pass, if it was; `suspect` why a
    /// watch wants it looked at.
    pub(super) fn begin(
        desired: Desired,
        stored: Option<&InventoryEntry>,
        live: Option<&Option<LiveObject>>,
        suspect: Option<&Suspect>,
        refused: Option<&Refused>,
        facts: &ClassFacts,
    ) -> Self {
        let mut difference = Difference::AsApplied;
        let state = match stored {
            _ if refused.is_some_and(|r| r.hash == desired.hash) => {
                let (reason, message) =
                    refused.map_or((Reason::ApplyFailed, String::new()), |r| (r.reason, r.message.clone()));
                State::Over(Applied::Failed(Failure::of(&desired.identity, reason, message)))
            }
            None => State::Create,
            // Its creation, or a deletion, may have happened.
            Some(entry) if entry.uid.is_empty() || entry.applied.is_empty() => State::Read,
            Some(entry) if entry.rendered_hash() != Some(&desired.hash) => match live {
                Some(None) => State::Create,
                Some(Some(live)) if live.uid != entry.uid => State::Read,
                _ => State::Update(entry.uid.clone()),
            },
            Some(_) if facts.drift == Drift::Ignore => State::Over(Applied::Unchanged),
            Some(_) if suspect.is_some_and(|suspect| suspect.waits) => State::Over(Applied::Waits),
            Some(entry) => match live {
                Some(live) => {
                    let seen = suspect.map_or(&[][..], |suspect| &suspect.beside);
                    difference = Difference::of(&desired, entry, live.as_ref(), seen);
                    undo(&difference, entry, facts)
                }
                None if suspect.is_some() => State::Compare,
                None => State::Over(Applied::Unchanged),
            },
        };
        Self {
            entry: stored.cloned().unwrap_or_default(),
            suspect: suspect.cloned(),
            desired,
            reads: 0,
            force: facts.drift == Drift::Repair,
            repair: if matches!(state, State::Over(_)) { None } else { difference.phrase() },
            state,
            created: false,
            compared: false,
            was_ours: false,
        }
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

    /// What somebody had done to it, if this pass undid that or tried to.
    pub(super) fn repair(&self) -> Option<&str> {
        self.repair.as_deref()
    }

    /// Whether the live object was compared with what is recorded because a watch had seen something.
    pub(super) fn compared(&self) -> bool {
        self.compared
    }

    /// Whether this pass made it.
    pub(super) fn created(&self) -> bool {
        self.created
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
            State::Compare | State::Read | State::ReadToRecreate => Some(Step::Read(object)),
            State::Create => Some(apply(Precondition::Absent)),
            State::Update(uid) => Some(apply(Precondition::Uid(uid.clone()))),
            State::Strip { uid, beside, .. } => Some(Step::Strip { object, uid: uid.clone(), beside: beside.clone() }),
            State::Recreate(uid) => Some(Step::Delete { object, uid: uid.clone() }),
            State::Over(_) => None,
        }
    }

    /// Takes the answer to [`Self::step`].
    pub(super) fn record(&mut self, outcome: Outcome, owner: Owner<'_>, facts: &ClassFacts) {
        self.state = match (&self.state, outcome) {
            (State::Compare, Outcome::Read(live)) => self.compare(live.as_deref(), facts),
            (State::Read | State::ReadToRecreate | State::Strip { .. }, Outcome::Read(None)) => {
                self.again(State::Create)
            }
            (State::Read, Outcome::Read(Some(live))) => self.found(&live, owner, facts),
            (State::ReadToRecreate, Outcome::Read(Some(live))) => self.found_immutable(&live, owner),
            (State::Strip { fields: expected, .. }, Outcome::Applied { uid, fields, .. }) if fields != *expected => {
                self.again(State::Update(uid))
            }
            (State::Strip { .. }, Outcome::Applied { uid, fields, .. }) => State::Over(Applied::Now { uid, fields }),
            (state @ (State::Create | State::Update(_)), Outcome::Applied { uid, fields, beside }) => {
                self.created |= *state == State::Create;
                self.applied(uid, fields, beside, facts)
            }
            (State::Create | State::Update(_) | State::Recreate(_), Outcome::PreconditionFailed) => {
                self.again(State::Read)
            }
            (State::Strip { .. }, Outcome::PreconditionFailed)
            | (State::Recreate(_), Outcome::DeleteAccepted | Outcome::Read(None)) => self.again(State::Read),
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

    fn compare(&mut self, live: Option<&LiveObject>, facts: &ClassFacts) -> State {
        let seen = self.suspect.as_ref().map_or(&[][..], |suspect| &suspect.beside);
        let difference = Difference::of(&self.desired, &self.entry, live, seen);
        self.compared = true;
        let next = undo(&difference, &self.entry, facts);
        if !matches!(next, State::Over(_)) {
            self.repair = difference.phrase();
        }
        next
    }

    /// Our fields are as they must be; what others have beside them goes where nobody may have anything.
    fn applied(&mut self, uid: String, fields: String, mut beside: Vec<Held>, facts: &ClassFacts) -> State {
        if !self.desired.exact || facts.drift != Drift::Repair {
            return State::Over(Applied::Now { uid, fields });
        }
        beside.extend(self.suspect.take().into_iter().flat_map(|suspect| suspect.beside));
        if beside.is_empty() {
            State::Over(Applied::Now { uid, fields })
        } else {
            self.again(State::Strip { uid, fields, beside })
        }
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

/// What is to be done about a difference.
fn undo(difference: &Difference, entry: &InventoryEntry, facts: &ClassFacts) -> State {
    match (difference, facts.drift) {
        (Difference::AsApplied, _) | (_, Drift::Ignore) => State::Over(Applied::Unchanged),
        (_, Drift::Report) => State::Over(Applied::Drifted),
        (Difference::Gone, Drift::Repair) => State::Create,
        (Difference::Replaced, Drift::Repair) => State::Read,
        (Difference::Changed(_), Drift::Repair) => State::Update(entry.uid.clone()),
        (Difference::Added(beside), Drift::Repair) => State::Strip {
            uid: entry.uid.clone(),
            fields: entry.fields_hash().unwrap_or_default().to_owned(),
            beside: beside.clone(),
        },
    }
}
