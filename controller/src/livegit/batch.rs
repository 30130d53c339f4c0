//! What one commit is made of.

use std::{fmt, sync::Arc};

use nsclass_manifests::identity::LiveId;
use nsclass_shared::livegit::{
    person::{Person, UNKNOWN},
    window,
};
use serde_json::Value;

use super::change::{Resync, TargetKey, What};

/// Who made a change (folders.md F52).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// Nobody asks: there is no audit.
    Operator,
    /// Nobody knows for certain.
    Unknown,
    /// This user of the API server.
    User(Arc<str>),
}

impl Author {
    /// As it stands in a commit.
    pub(super) fn person(&self, operator: &Person) -> Person {
        match self {
            Self::Operator => operator.clone(),
            Self::Unknown => Person::unknown(),
            Self::User(user) => Person::of_user(user),
        }
    }
}

impl fmt::Display for Author {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operator => f.write_str("the operator"),
            Self::Unknown => f.write_str(UNKNOWN),
            Self::User(user) => f.write_str(user),
        }
    }
}

/// A change in a window.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) id: LiveId,
    pub(super) what: What,
}

/// A closed window, or a complete set.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) target: TargetKey,
    pub(super) author: Author,
    pub(super) work: Work,
    /// Bytes that it holds, roughly.
    pub(super) bytes: usize,
}

#[derive(Debug)]
pub(super) enum Work {
    Changes(Vec<Step>),
    Resync(Resync),
}

impl Batch {
    pub(super) fn of_window(closed: window::Batch<Author, TargetKey, Step>) -> Self {
        let window::Batch { author, target, changes } = closed;
        let bytes = changes.iter().map(Step::bytes).sum();
        Self { target, author, work: Work::Changes(changes), bytes }
    }

    pub(super) fn of_resync(resync: Resync, author: Author) -> Self {
        let bytes = resync.objects.iter().map(|(_, value)| weight(value)).sum();
        Self { target: resync.target.clone(), author, work: Work::Resync(resync), bytes }
    }

    /// How many changes, or objects, are in it.
    pub(super) fn len(&self) -> usize {
        match &self.work {
            Work::Changes(changes) => changes.len(),
            Work::Resync(resync) => resync.objects.len(),
        }
    }
}

impl Step {
    /// Bytes that it holds, roughly.
    pub(super) fn bytes(&self) -> usize {
        match &self.what {
            What::Put(value) => weight(value),
            What::Delete => 256,
        }
    }
}

/// Bytes of a value in memory, roughly: what a node costs, and the texts.
fn weight(value: &Value) -> usize {
    const NODE: usize = 48;
    match value {
        Value::String(text) => NODE + text.len(),
        Value::Array(items) => NODE + items.iter().map(weight).sum::<usize>(),
        Value::Object(map) => NODE + map.iter().map(|(key, value)| NODE + key.len() + weight(value)).sum::<usize>(),
        _ => NODE,
    }
}
