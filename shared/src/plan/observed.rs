//! The facts that a pass decides on. Everything here was read before the pass began.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use serde_json::Value;

use super::{Held, LiveObject, Rank, Search};
use crate::{
    api::{Adoption, Drift, Immutable, NamespaceClassBinding, OnDelete, OptOutDelay},
    identity::{Gvk, ObjectIdentity},
    reason::Reason,
    scope::Verdict,
};

/// Everything that is known of one namespace.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The wall clock, read once.
    pub now: Timestamp,
    /// Name of the namespace.
    pub name: String,
    /// Our instance.
    pub instance: String,
    /// The namespace itself.
    pub namespace: NamespaceState,
    /// Whether the namespace is managed, where the snapshot and what was read of the namespace agree on that; `Unknown` where they do not.
    pub scope: Verdict,
    /// Whether this is a reserved namespace that the configuration does not name (class.md C07).
    pub reserved: bool,
    /// The class that the namespace's label asks for; none for an absent or empty label.
    pub requested: Option<(String, ClassState)>,
    /// The class whose objects are there, where that is another one than the requested.
    pub bound: Option<ClassState>,
    /// Why the licence gate has the namespace wait (scope.md S60, S61), as a sentence without its end; none where it does not.
    pub unlicensed: Option<String>,
    /// When the licence gate was first on here, to be kept in the binding; none where it is off.
    pub first_start: Option<Timestamp>,
    /// Who stopped writes here (class.md C39).
    pub suspended: Option<Suspended>,
    /// Whether namespaces that owe cluster-scoped objects carry our finalizer (class.md C42).
    pub hold_namespaces: bool,
    /// The binding, as stored.
    pub binding: Option<NamespaceClassBinding>,
    /// What was read of inventory objects before the pass. An identity that is missing here was not looked at; `None` was looked for
    /// and is not there. Only the periodic pass and repairs fill it.
    pub live: BTreeMap<ObjectIdentity, Option<LiveObject>>,
    /// Objects that a watch has seen changed or gone: a pass looks at these, and at no other.
    pub suspects: BTreeMap<ObjectIdentity, Suspect>,
    /// Objects that somebody changes again and again (class.md C35), and what that is.
    pub fights: BTreeMap<ObjectIdentity, String>,
    /// What keeps its protection although nothing new can be applied (class.md C02, C50).
    pub protected: Option<Protected>,
    /// What was found by our labels, where the inventory was in doubt (class.md C45).
    pub search: Option<Search>,
    /// Objects whose rendering the API server has refused for good, by hash: asking again before it changes is useless.
    pub refused: BTreeMap<ObjectIdentity, Refused>,
}

/// Why an object is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suspect {
    /// What a watch saw beside our fields. Whoever put it there may have hidden whose it is since.
    pub beside: Vec<Held>,
    /// It is fought for, and its next repair is not due yet.
    pub waits: bool,
}

/// The class whose objects are there, rendered with the values that its last good rendering used.
#[derive(Clone, Debug)]
pub struct Protected {
    /// Its settings.
    pub facts: ClassFacts,
    /// Its objects; only those are repaired that the inventory records with the same rendering.
    pub desired: Vec<Desired>,
}

/// Where the annotation `nsclass.io/suspend: "true"` stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suspended {
    /// On the namespace.
    Namespace,
    /// On the class that it has or asks for.
    Class(String),
}

/// The namespace as the API server has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamespaceState {
    /// It is there.
    Present(NamespaceFacts),
    /// It is proved to be gone: a definite `NotFound`, or a complete list without it.
    Gone,
}

/// What a pass needs of a live namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceFacts {
    /// `metadata.uid`.
    pub uid: String,
    /// Whether it is being deleted.
    pub terminating: bool,
    /// Whether it carries our finalizer.
    pub held: bool,
}

/// A class, as the namespace sees it.
#[derive(Clone, Debug)]
pub enum ClassState {
    /// A complete list does not hold it, or it is there but cannot be read as a class.
    Absent,
    /// It is being deleted.
    Deleting(ClassFacts),
    /// It is there and not accepted; the sentence says why.
    Invalid(Option<ClassFacts>, String),
    /// It does not carry our finalizer yet, so that it could vanish under a binding. The class's own reconcile adds it.
    Unprotected,
    /// It is accepted, and this is what it gives for this namespace.
    Accepted(ClassFacts, Rendering),
}

/// What a pass needs of a class's spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassFacts {
    /// `metadata.generation`.
    pub generation: i64,
    /// `spec.adoption`.
    pub adoption: Adoption,
    /// `spec.drift`.
    pub drift: Drift,
    /// `spec.onDelete`.
    pub on_delete: OnDelete,
    /// `spec.immutable`.
    pub immutable: Immutable,
    /// `spec.optOutDelay`.
    pub opt_out_delay: OptOutDelay,
}

/// What a class gives for one namespace.
#[derive(Clone, Debug)]
pub enum Rendering {
    /// The objects, with their marks.
    Objects {
        /// In the order of the class.
        desired: Vec<Desired>,
        /// Items whose kind the API server does not serve (now).
        waiting: Vec<Waiting>,
        /// Variables used, with their values.
        values: BTreeMap<String, String>,
    },
    /// It cannot be rendered or is not allowed: nothing of it is applied.
    Failed {
        /// `RenderFailed`, `DuplicateResource` or `GVKDenied`.
        reason: Reason,
        /// All findings.
        message: String,
    },
}

/// One object that must be there.
#[derive(Clone, Debug, PartialEq)]
pub struct Desired {
    /// What it is.
    pub identity: ObjectIdentity,
    /// Version to apply it with.
    pub version: String,
    /// The manifest, marks included; shared by all steps of a pass.
    pub manifest: Arc<Value>,
    /// Hash of the manifest.
    pub hash: String,
    /// What the item says of its end, before its kind and class.
    pub on_delete: Option<OnDelete>,
    /// Whether nobody else may add to it (class.md C34).
    pub exact: bool,
}

impl Desired {
    /// Its place in the order of applying.
    pub fn rank(&self) -> Rank {
        Rank::of(&self.identity.group, &self.identity.kind)
    }
}

/// An item that waits for its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The kind that is not served.
    pub gvk: Gvk,
    /// `metadata.name`, rendered.
    pub name: String,
}

/// An answer that will not change before the manifest does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Hash of the manifest that was refused.
    pub hash: String,
    /// Why.
    pub reason: Reason,
    /// The server's words.
    pub message: String,
}
