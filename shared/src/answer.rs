//! What a refusal of the API server means (class.md C37): one pure function from its code, reason, causes and message.
//!
//! The server says the same thing in many ways: a removed CRD, a missing namespace and the missing role of a `RoleBinding` are
//! all 404; another UID is 409 for a delete and an immutable field for an apply. So the rules stand beside a table of recorded
//! answers (`shared/tests/answers/`), which a test provokes again on a real server (`tests/tests/answers/`).
//!
//! Tenants write some of what a message quotes, and webhooks write whole answers. A rule therefore looks at a message only where
//! the server's own words stand, never anywhere in it, and those who deny are recognised before any code is believed.

mod absence;
mod complaint;
mod conflict;
mod denial;
mod forbidden;
mod immutable;
mod invalid;
mod passing;
mod text;

use std::time::Duration;

use kube::core::Status;

pub use conflict::FieldConflict;

use crate::{
    identity::ObjectIdentity,
    plan::{Outcome, Refusal},
    reason::Reason,
};

/// A request, as far as its answer's meaning depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What was asked for.
    pub action: Action,
    /// The object that was asked for.
    pub object: &'a ObjectIdentity,
    /// The plural in the URL of the request (`networkpolicies`), which is how the server names a kind in a `NotFound`.
    pub resource: &'a str,
}

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// An apply that creates and does nothing else (class.md C33).
    Create,
    /// An apply to the object of a UID.
    Update,
    /// A delete with a UID as precondition.
    Delete,
    /// A read.
    Read,
    /// A write or delete, guarded by resourceVersion or UID, of our own records: the binding, the finalizer of a namespace.
    Record,
}

/// What it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The object exists, is another one, is gone, or has changed: not what the request stood on. Look again.
    PreconditionFailed,
    /// Others hold fields that we do not force. They may be fields of another object than the one meant: a conflict is found before the UID
    /// is looked at.
    Conflict(Vec<FieldConflict>),
    /// The very object asked for is not there: the only answer that proves absence (class.md C03, C41).
    NotFound,
    /// The kind is not served, or not any more. Says nothing about its objects.
    KindGone,
    /// The namespace is not there.
    NamespaceGone,
    /// The namespace is being deleted.
    NamespaceTerminating,
    /// Trying again helps, at the earliest after `after` where the server says so. The request may have happened all the same.
    Passing {
        /// How long the server wants to be left alone.
        after: Option<Duration>,
        /// A phrase of one line.
        message: String,
    },
    /// A refusal that stays until somebody does something.
    Failed(Refusal),
}

/// What the rules look at.
#[derive(Clone, Copy)]
struct Reading<'a> {
    status: &'a Status,
    asked: &'a Asked<'a>,
}

/// The first that knows the answer wins.
const RULES: [fn(Reading<'_>) -> Option<Answer>; 6] =
    [denial::rule, absence::rule, forbidden::rule, conflict::rule, immutable::rule, invalid::rule];

impl Answer {
    /// What `status`, an answer that is no success, means for what was asked.
    pub fn of(status: &Status, asked: &Asked<'_>) -> Self {
        let reading = Reading { status, asked };
        RULES.iter().find_map(|rule| rule(reading)).unwrap_or_else(|| passing::otherwise(reading))
    }

    /// What a pass is told.
    pub fn outcome(&self, action: Action) -> Outcome {
        match (self, action) {
            (Self::PreconditionFailed | Self::NotFound, Action::Record) => Outcome::Stale,
            (Self::NotFound, Action::Read | Action::Delete) => Outcome::Read(None),
            (Self::PreconditionFailed | Self::NotFound, _) => Outcome::PreconditionFailed,
            (Self::Passing { after: Some(after), .. }, _) => {
                Outcome::Busy { after: *after, refusal: self.refusal(action) }
            }
            _ => Outcome::Refused(self.refusal(action)),
        }
    }

    /// The answer as a reason and a phrase for a condition: one line, bounded, without the object's name.
    pub fn refusal(&self, action: Action) -> Refusal {
        let (reason, message) = match self {
            Self::Failed(refusal) => (refusal.reason, refusal.message.clone()),
            Self::PreconditionFailed => (Reason::ApplyFailed, "it changed while it was being written".to_owned()),
            Self::Conflict(conflicts) => (Reason::ApplyConflict, text::bounded(&conflict::phrase(conflicts))),
            Self::NotFound => (Reason::ApplyFailed, "it is not there".to_owned()),
            Self::KindGone => {
                (Reason::KindNotFound, "the API server does not serve this kind, or not in this version".to_owned())
            }
            Self::NamespaceGone => (Reason::NamespaceTerminating, "its namespace is not there".to_owned()),
            Self::NamespaceTerminating => {
                (Reason::NamespaceTerminating, "its namespace is being deleted; nothing is created in it".to_owned())
            }
            Self::Passing { message, .. } => (Reason::ApplyFailed, message.clone()),
        };
        let reason =
            if reason == Reason::ApplyFailed && action == Action::Delete { Reason::DeleteFailed } else { reason };
        Refusal { reason, message }
    }

    /// How long the server asks to be left alone, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        if let Self::Passing { after, .. } = self { *after } else { None }
    }

    fn failed(reason: Reason, message: &str) -> Self {
        Self::Failed(Refusal { reason, message: text::bounded(message) })
    }
}

impl Reading<'_> {
    fn code(&self) -> u16 {
        self.status.code
    }

    /// The name and kind in the answer's details; both empty where it has none. The kind is a plural or a kind, as the server likes.
    fn named(&self) -> (&str, &str) {
        self.status.details.as_ref().map_or(("", ""), |details| (&details.name, &details.kind))
    }

    /// Whether the answer is about the object asked for.
    fn names_the_object(&self) -> bool {
        let Asked { object, resource, .. } = self.asked;
        let group = self.status.details.as_ref().map_or("", |details| details.group.as_str());
        let (name, kind) = self.named();
        name == object.name && group == object.group && (kind == *resource || kind == object.kind)
    }

    /// An apply: only its answers speak about a manifest.
    fn is_apply(&self) -> bool {
        matches!(self.asked.action, Action::Create | Action::Update)
    }
}
