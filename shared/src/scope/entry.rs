//! What is kept of one namespace.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Direction;

/// One look at a namespace: what a watch or a read said of it.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// `metadata.name`.
    pub name: &'a str,
    /// `metadata.uid`.
    pub uid: &'a str,
    /// `metadata.resourceVersion` as a number. Those of one kind grow, in every API server that is backed by etcd; since Kubernetes 1.35
    /// that is promised (KEP-5504).
    pub revision: u64,
    /// `metadata.labels`.
    pub labels: &'a BTreeMap<String, String>,
}

impl<'a> Observation<'a> {
    /// Of an object's metadata. What is no number counts as oldest.
    pub fn of(metadata: &'a ObjectMeta) -> Self {
        static NO_LABELS: BTreeMap<String, String> = BTreeMap::new();
        Self {
            name: metadata.name.as_deref().unwrap_or_default(),
            uid: metadata.uid.as_deref().unwrap_or_default(),
            revision: metadata.resource_version.as_deref().and_then(|version| version.parse().ok()).unwrap_or(0),
            labels: metadata.labels.as_ref().unwrap_or(&NO_LABELS),
        }
    }
}

/// What is kept of one namespace. Labels stay, so that another rule can be asked without a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub(super) uid: Box<str>,
    pub(super) revision: u64,
    pub(super) labels: Labels,
    pub(super) in_scope: bool,
    pub(super) last_flip: Option<LastFlip>,
}

/// The last time that a namespace crossed the edge, as far as this process saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastFlip {
    /// Which way.
    pub direction: Direction,
    /// When it was published, by this process's clock.
    pub at: Timestamp,
}

impl Entry {
    /// UID of the namespace.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// Whether the rule picks it.
    pub fn is_in_scope(&self) -> bool {
        self.in_scope
    }

    /// When it last crossed the edge.
    pub fn last_flip(&self) -> Option<LastFlip> {
        self.last_flip
    }
}

/// Labels in a third of the memory of a map: sorted, and no larger than they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Labels(Box<[(Box<str>, Box<str>)]>);

impl Labels {
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let at = self.0.binary_search_by(|(k, _)| k.as_ref().cmp(key)).ok()?;
        self.0.get(at).map(|(_, value)| value.as_ref())
    }
}

impl From<&BTreeMap<String, String>> for Labels {
    fn from(labels: &BTreeMap<String, String>) -> Self {
        Self(labels.iter().map(|(key, value)| (key.as_str().into(), value.as_str().into())).collect())
    }
}
