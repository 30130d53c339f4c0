//! What an object is, whatever version it is written in.
//!
//! Two manifests with one [`ObjectIdentity`] are one object in the API server, so the version is no part of it
//! (class.md C17, DESIGN decision 7). [`Gvk`] keeps the version, for requests and for people.

mod gvk;

use std::cmp::Ordering;
use std::fmt;

pub use gvk::{GroupKind, Gvk, GvkError};

use crate::text;

/// One object of a cluster: group, kind, namespace and name, without a version.
#[derive(Debug, Clone, Eq, Hash)]
#[allow(clippy::derived_hash_with_manual_eq, reason = "equal as field by field, only sooner")]
pub struct ObjectIdentity {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind, spelled as in manifests (`NetworkPolicy`).
    pub kind: String,
    /// Namespace of the object; `None` for cluster-scoped ones.
    pub namespace: Option<String>,
    /// `metadata.name`.
    pub name: String,
}

impl PartialEq for ObjectIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.kind == other.kind
            && self.namespace == other.namespace
            && text::same(&self.group, &other.group)
    }
}

impl PartialOrd for ObjectIdentity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By group, then kind, namespace and name.
impl Ord for ObjectIdentity {
    fn cmp(&self, other: &Self) -> Ordering {
        let groups = text::order(&self.group, &other.group).then_with(|| self.kind.cmp(&other.kind));
        groups.then_with(|| self.namespace.cmp(&other.namespace)).then_with(|| self.name.cmp(&other.name))
    }
}

impl ObjectIdentity {
    /// The identity of an object of this kind.
    pub fn new(kind: &GroupKind, namespace: Option<&str>, name: &str) -> Self {
        Self {
            group: kind.group.clone(),
            kind: kind.kind.clone(),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    /// Group and kind alone.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }
}

/// The text of the annotation `nsclass.io/object`: `<group>/<Kind>/<namespace>/<name>`, empty parts left empty.
///
/// No part can hold a slash in a real cluster, so two identities never share one text.
impl fmt::Display for ObjectIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let namespace = self.namespace.as_deref().unwrap_or_default();
        write!(f, "{}/{}/{}/{}", self.group, self.kind, namespace, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(api_version: &str, kind: &str, namespace: Option<&str>, name: &str) -> ObjectIdentity {
        ObjectIdentity::new(&Gvk::parse(api_version, kind).unwrap().group_kind(), namespace, name)
    }

    #[test]
    fn the_text_of_an_identity_keeps_empty_parts_empty() {
        assert_eq!(identity("v1", "ConfigMap", Some("blue"), "about").to_string(), "/ConfigMap/blue/about");
        assert_eq!(
            identity("rbac.authorization.k8s.io/v1", "ClusterRole", None, "blue:reader").to_string(),
            "rbac.authorization.k8s.io/ClusterRole//blue:reader"
        );
    }

    #[test]
    fn c17_the_version_is_no_part_of_an_identity() {
        assert_eq!(
            identity("autoscaling/v1", "HorizontalPodAutoscaler", Some("blue"), "web"),
            identity("autoscaling/v2", "HorizontalPodAutoscaler", Some("blue"), "web")
        );
    }
}
