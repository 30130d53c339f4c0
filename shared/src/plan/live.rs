//! What was read of a live object, and whether it is ours.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use crate::{api::InventoryEntry, fields, identity::ObjectIdentity, marks, names};

/// The top-level fields that an exact object has from us alone (class.md C34).
pub const EXACT_ROOTS: [&str; 4] = ["spec", "rules", "subjects", "data"];

/// Paths named for one manager in a message; the others are counted.
const MOST_PATHS: usize = 2;

/// The metadata of one live object, read whole in one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveObject {
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.labels`.
    pub labels: BTreeMap<String, String>,
    /// `metadata.annotations`.
    pub annotations: BTreeMap<String, String>,
    /// When deletion was asked for.
    pub deleting_since: Option<Timestamp>,
    /// `metadata.finalizers`.
    pub finalizers: Vec<String>,
    /// Field managers, in the order of `metadata.managedFields`, each once.
    pub managers: Vec<String>,
    /// Its owners, as `Kind/name`.
    pub owners: Vec<String>,
    /// Hash of our own `managedFields` entry, without its time; none where we manage nothing.
    pub fields: Option<String>,
    /// That entry's fields; null where we manage nothing.
    pub own: Value,
    /// What others manage, entry by entry, whatever they do it with.
    pub others: Vec<Held>,
}

/// Fields that a manager holds, as in `managedFields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its name.
    pub manager: String,
    /// Its fields, or some of them.
    pub fields: Value,
}

impl Held {
    /// `"manager" VERB .spec.x, .spec.y`, for each of them.
    pub fn phrase(held: &[Self], verb: &str) -> String {
        let one = |held: &Self| format!("{:?} {verb} {}", held.manager, fields::paths(&held.fields, MOST_PATHS));
        held.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

/// Whose a live object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// Its marks name itself and this namespace.
    Ours,
    /// Its marks name itself, but another namespace's UID.
    AnotherNamespaces,
    /// No marks, or marks copied from another object.
    Foreign,
}

impl LiveObject {
    /// Whether this object, read under `identity`, is ours for the namespace of that UID.
    ///
    /// An object inside the namespace whose marks name itself and the namespace is ours whatever UID they carry: it can only be a
    /// former life of the namespace, from a restore (class.md C44). A cluster-scoped one must carry the UID.
    pub fn ownership(&self, identity: &ObjectIdentity, namespace: &str, namespace_uid: &str) -> Ownership {
        match marks::ownership(&self.labels, &self.annotations, identity, namespace_uid) {
            marks::Ownership::Ours => Ownership::Ours,
            marks::Ownership::OtherOwner { .. } if identity.namespace.as_deref() == Some(namespace) => Ownership::Ours,
            marks::Ownership::OtherOwner { .. } => Ownership::AnotherNamespaces,
            marks::Ownership::CopiedMarks { .. } | marks::Ownership::Foreign => Ownership::Foreign,
        }
    }

    /// Whether it is what an apply left behind: the same object, the same rendering, the same fields of ours.
    pub fn matches(&self, entry: &InventoryEntry) -> bool {
        self.uid == entry.uid
            && self.annotations.get(names::RENDERED_ANNOTATION).map(String::as_str) == entry.rendered_hash()
            && self.fields.as_deref() == entry.fields_hash()
    }

    /// What others added beside ours where an object is to be exactly as rendered.
    pub fn beside(&self) -> Vec<Held> {
        self.of_others(|theirs| fields::beside(theirs, &self.own, &EXACT_ROOTS))
    }

    /// What of `manifest` others hold now and we do not.
    pub fn taken(&self, manifest: &Value) -> Vec<Held> {
        self.of_others(|theirs| fields::taken(theirs, &self.own, manifest))
    }

    fn of_others(&self, pick: impl Fn(&Value) -> Option<Value>) -> Vec<Held> {
        let some = |held: &Held| pick(&held.fields).map(|fields| Held { manager: held.manager.clone(), fields });
        self.others.iter().filter_map(some).collect()
    }

    /// Who has it now, for a message: its owners and field managers.
    pub fn held_by(&self) -> String {
        let managers = if self.managers.is_empty() { "none".to_owned() } else { self.managers.join(", ") };
        if self.owners.is_empty() {
            format!("field managers: {managers}")
        } else {
            format!("owner: {}; field managers: {managers}", self.owners.join(", "))
        }
    }
}
