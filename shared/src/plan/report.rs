//! What a pass has to say at its end: the binding's `Ready`, and when to look again.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::Refused;
use crate::{
    api::Assessment,
    identity::ObjectIdentity,
    reason::{Reason, Remark},
};

/// Failures named in one message; the others are counted.
const MOST_NAMED: usize = 3;

/// The reason of `Drifted` while somebody fights for an object.
pub(super) const FOUGHT: Remark = Remark::FoughtFor;

/// One thing that is not as desired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The object concerned; none where the whole namespace is.
    pub object: Option<ObjectIdentity>,
    /// Why.
    pub reason: Reason,
    /// A phrase without the object's name.
    pub message: String,
}

impl Failure {
    /// A failure of one object.
    pub fn of(object: &ObjectIdentity, reason: Reason, message: String) -> Self {
        Self { object: Some(object.clone()), reason, message }
    }
}

/// When a namespace is looked at again without any event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// Only on an event, or by the periodic pass.
    Rest,
    /// At once: the pass changed what it stood on.
    Now,
    /// With growing pauses.
    Backoff,
    /// At that time.
    At(Timestamp),
}

/// What somebody had done to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The object.
    pub object: ObjectIdentity,
    /// A phrase without the object's name.
    pub what: String,
    /// Whether it is undone. If not, it is among the failures.
    pub done: bool,
}

/// The end of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Everything that is not as desired.
    pub failures: Vec<Failure>,
    /// What a person should know although nothing can be done, such as entries dropped from the inventory.
    pub notes: Vec<String>,
    /// Renderings that the API server refuses for good; worth remembering for [`super::Observed::refused`].
    pub refused: BTreeMap<ObjectIdentity, Refused>,
    /// The binding was lost: objects of ours were there without one. There may be more, so they are looked for before the next pass
    /// (class.md C45).
    pub lost: bool,
    /// When to look again.
    pub requeue: Requeue,
    /// Objects made for the first time.
    pub created: Vec<ObjectIdentity>,
    /// Objects deleted.
    pub deleted: Vec<ObjectIdentity>,
    /// What others had done and this pass undid, or tried to.
    pub repairs: Vec<Repair>,
    /// What others have done and the class leaves so.
    pub drifted: Vec<ObjectIdentity>,
    /// Suspects that need no further look: as applied, or set back.
    pub cleared: Vec<ObjectIdentity>,
}

/// `Ready` from what failed: the first failure gives the reason, the message names a few and the remedy.
pub(super) fn ready(failures: &[Failure], held_back: &[ObjectIdentity], objects: usize, class: &str) -> Assessment {
    let Some(first) = failures.first() else {
        return Assessment {
            status: Some(true),
            reason: Reason::BindingRecorded.to_string(),
            message: format!("{objects} objects of NamespaceClass {class} are there"),
        };
    };
    let mut parts: Vec<String> = failures.iter().take(MOST_NAMED).map(phrase).collect();
    if failures.len() > MOST_NAMED {
        parts.push(format!("and {} more", failures.len() - MOST_NAMED));
    }
    if !held_back.is_empty() {
        let named: Vec<String> = held_back.iter().take(MOST_NAMED).map(readable).collect();
        let more = if held_back.len() > MOST_NAMED {
            format!(" and {} more", held_back.len() - MOST_NAMED)
        } else {
            String::new()
        };
        parts.push(format!("stale until then: {}{more}", named.join(", ")));
    }
    Assessment {
        status: Some(false),
        reason: first.reason.to_string(),
        message: format!("{}. Remedy: {}.", parts.join("; "), first.reason.remedy()),
    }
}

/// `Drifted`: what is fought for, or what a class with `drift: Report` leaves as others made it.
pub(super) fn drifted(fights: &BTreeMap<ObjectIdentity, String>, left: &[ObjectIdentity]) -> Assessment {
    if !fights.is_empty() {
        let one = |(object, what): (&ObjectIdentity, &String)| format!("{}: {what}", readable(object));
        let message = format!(
            "{}, again and again; it is set back with growing pauses. Remedy: stop that, or set drift: Ignore.",
            most_of(fights.iter().map(one), "; ")
        );
        return Assessment { status: Some(true), reason: FOUGHT.to_string(), message };
    }
    if left.is_empty() {
        let message = "every object is as it was applied".to_owned();
        return Assessment { status: Some(false), reason: Remark::AsApplied.to_string(), message };
    }
    let message = format!(
        "somebody changed or deleted {}, and the class says drift: Report. Remedy: undo that, or set drift: Repair.",
        most_of(left.iter().map(readable), ", ")
    );
    Assessment { status: Some(true), reason: Remark::ChangedByOthers.to_string(), message }
}

/// The first few, and how many more there are.
fn most_of(all: impl Iterator<Item = String>, separator: &str) -> String {
    let mut named: Vec<String> = all.collect();
    let more = named.len().saturating_sub(MOST_NAMED);
    named.truncate(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    named.join(separator) + &more
}

fn phrase(failure: &Failure) -> String {
    match &failure.object {
        Some(object) => format!("{}: {}", readable(object), failure.message),
        None => failure.message.clone(),
    }
}

/// `Kind name`, as people say it.
fn readable(identity: &ObjectIdentity) -> String {
    format!("{} {}", identity.kind, identity.name)
}
