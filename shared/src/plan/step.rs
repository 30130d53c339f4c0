//! What a pass asks of the shell, and what the shell tells it.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::Value;

use super::{Held, LiveObject};
use crate::{
    api::NamespaceClassBinding,
    guard::Loss,
    identity::{Gvk, ObjectIdentity},
    reason::Reason,
};

/// One request. Each is idempotent, or guarded by a UID or resourceVersion.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Create the binding, or replace it where it carries a resourceVersion.
    WriteBinding(Box<NamespaceClassBinding>),
    /// Ask the mass-delete guard of a class.
    AskGuard {
        /// The class that the objects are from.
        class: String,
        /// What takes them.
        loss: Loss,
    },
    /// Delete the binding, if it still is the one we hold.
    DeleteBinding(Box<NamespaceClassBinding>),
    /// Put our finalizer on the namespace of that UID, unless it is being deleted.
    HoldNamespace {
        /// UID of the namespace that is meant.
        uid: String,
    },
    /// Take our finalizer off the namespace of that UID.
    FreeNamespace {
        /// UID of the namespace that is meant.
        uid: String,
    },
    /// Read an object's metadata.
    Read(ObjectRef),
    /// Server-side apply.
    Apply {
        /// What.
        object: ObjectRef,
        /// The manifest, without precondition.
        manifest: Arc<Value>,
        /// What must hold of the live object.
        precondition: Precondition,
        /// Whether to take fields from other managers.
        force: bool,
    },
    /// Take these fields away from the object of that UID, and nothing else.
    Strip {
        /// What.
        object: ObjectRef,
        /// Its UID.
        uid: String,
        /// The fields, and who holds them.
        beside: Vec<Held>,
    },
    /// Delete the object of that UID.
    Delete {
        /// What.
        object: ObjectRef,
        /// Its UID.
        uid: String,
    },
    /// Take our marks off the object of that UID and leave it alone.
    Disown {
        /// What.
        object: ObjectRef,
        /// Its UID.
        uid: String,
    },
}

impl Step {
    /// One word, for logs and metrics.
    pub fn word(&self) -> &'static str {
        match self {
            Self::WriteBinding(_) => "write-binding",
            Self::AskGuard { .. } => "ask-guard",
            Self::DeleteBinding(_) => "delete-binding",
            Self::HoldNamespace { .. } => "hold-namespace",
            Self::FreeNamespace { .. } => "free-namespace",
            Self::Read(_) => "read",
            Self::Apply { precondition: Precondition::Absent, .. } => "create",
            Self::Apply { .. } => "apply",
            Self::Strip { .. } => "strip",
            Self::Delete { .. } => "delete",
            Self::Disown { .. } => "disown",
        }
    }
}

/// An object with the version to speak of it in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectRef {
    /// What it is.
    pub identity: ObjectIdentity,
    /// Version to use, if it is served.
    pub version: String,
}

impl ObjectRef {
    /// Group, version and kind.
    pub fn gvk(&self) -> Gvk {
        Gvk { group: self.identity.group.clone(), version: self.version.clone(), kind: self.identity.kind.clone() }
    }
}

/// What must hold of the live object for an apply to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// There is none (class.md C33).
    Absent,
    /// It has this UID.
    Uid(String),
}

/// What became of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It is done (finalizers, `Disown`, `DeleteBinding`; also where there was nothing to do).
    Done,
    /// The guard lets the deletion pass.
    GuardPassed,
    /// The guard keeps the objects: until it is asked again at that time, or until the class changes.
    GuardHolds(Option<Timestamp>),
    /// The binding as the server now has it.
    BindingWritten(Box<NamespaceClassBinding>),
    /// The object's metadata, or that it is proved to be absent.
    Read(Option<Box<LiveObject>>),
    /// The object as applied, or stripped.
    Applied {
        /// Its UID.
        uid: String,
        /// Hash of our managedFields entry.
        fields: String,
        /// What others have beside our fields.
        beside: Vec<Held>,
    },
    /// The delete was accepted; only a read proves that the object is gone.
    DeleteAccepted,
    /// The precondition does not hold: the object exists, is another one, or is gone.
    PreconditionFailed,
    /// What we hold of the binding or namespace is old: the pass is over, and begins again after a pause.
    Stale,
    /// The server wants to be left alone for so long; the request may have happened all the same. The shell asks again when it is
    /// time, a few times; a pass that is told of it takes it as the refusal that it is.
    Busy {
        /// How long.
        after: Duration,
        /// What it is when it stays so.
        refusal: Refusal,
    },
    /// Anything else: the server's answer as a reason.
    Refused(Refusal),
}

impl Outcome {
    /// One word, for logs and metrics.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Done | Self::BindingWritten(_) | Self::Applied { .. } | Self::DeleteAccepted => "done",
            Self::GuardPassed => "passed",
            Self::GuardHolds(_) => "held",
            Self::Read(Some(_)) => "found",
            Self::Read(None) => "absent",
            Self::PreconditionFailed => "precondition",
            Self::Stale => "stale",
            Self::Busy { .. } => "busy",
            Self::Refused(refusal) => refusal.reason.as_str(),
        }
    }
}

/// An answer that is no success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// From [`crate::answer`].
    pub reason: Reason,
    /// The server's words, or our own where there was no answer.
    pub message: String,
}
