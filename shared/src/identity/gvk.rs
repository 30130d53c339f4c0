//! Group, version and kind, as read from `apiVersion` and `kind` of a manifest.

use std::cmp::Ordering;
use std::fmt;

use thiserror::Error;

use crate::manifest::Manifest;
use crate::text;
use crate::validity::{is_dns_label, is_dns_subdomain, is_kind};

/// A kind whatever its version. The core group is empty.
#[derive(Debug, Clone, Eq, Hash)]
#[allow(clippy::derived_hash_with_manual_eq, reason = "equal as field by field, only sooner")]
pub struct GroupKind {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind, spelled as in manifests.
    pub kind: String,
}

impl PartialEq for GroupKind {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && text::same(&self.group, &other.group)
    }
}

impl PartialOrd for GroupKind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for GroupKind {
    fn cmp(&self, other: &Self) -> Ordering {
        text::order(&self.group, &other.group).then_with(|| self.kind.cmp(&other.kind))
    }
}

impl GroupKind {
    /// Whether this is the given kind of the given group.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.kind == kind && text::same(&self.group, group)
    }

    /// Whether deleting such an object loses what no manifest brings back: data, or other objects with theirs (class.md C48).
    pub fn holds_data(&self) -> bool {
        matches!(
            (self.group.as_str(), self.kind.as_str()),
            ("", "PersistentVolumeClaim" | "Namespace") | ("apiextensions.k8s.io", "CustomResourceDefinition")
        )
    }
}

/// `apps/Deployment`; `ConfigMap` in the core group.
impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() { f.write_str(&self.kind) } else { write!(f, "{}/{}", self.group, self.kind) }
    }
}

/// A kind in one version. The core group is empty.
#[derive(Debug, Clone, Eq, Hash)]
#[allow(clippy::derived_hash_with_manual_eq, reason = "equal as field by field, only sooner")]
pub struct Gvk {
    /// API group; empty for the core group.
    pub group: String,
    /// Version within the group (`v1`).
    pub version: String,
    /// Kind, spelled as in manifests.
    pub kind: String,
}

impl PartialEq for Gvk {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.version == other.version && text::same(&self.group, &other.group)
    }
}

impl PartialOrd for Gvk {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By group, then version, then kind.
impl Ord for Gvk {
    fn cmp(&self, other: &Self) -> Ordering {
        let versions = || self.version.cmp(&other.version);
        text::order(&self.group, &other.group).then_with(versions).then_with(|| self.kind.cmp(&other.kind))
    }
}

impl Gvk {
    /// Reads the two fields of a manifest that name its kind.
    ///
    /// # Errors
    /// When a part is empty or holds a character that no API group, version or kind can hold. A template is such
    /// text too: what a class makes must be known before any namespace is (class.md C23).
    pub fn parse(api_version: &str, kind: &str) -> Result<Self, GvkError> {
        let (group, version) = match api_version.split_once('/') {
            Some(("", _)) => return Err(GvkError::ApiVersion(api_version.to_owned())),
            Some(parts) => parts,
            None => ("", api_version),
        };
        if !is_dns_subdomain(group) && !group.is_empty() || !is_dns_label(version) {
            return Err(GvkError::ApiVersion(api_version.to_owned()));
        }
        if !is_kind(kind) {
            return Err(GvkError::Kind(kind.to_owned()));
        }
        Ok(Self { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() })
    }

    /// [`Gvk::parse`] on the `apiVersion` and `kind` of a manifest.
    ///
    /// # Errors
    /// As [`Gvk::parse`], and when a field is missing or no string.
    pub fn of_manifest(manifest: &dyn Manifest) -> Result<Self, GvkError> {
        let field = |name: &'static str| manifest.text(&[name]).ok_or(GvkError::Missing(name));
        Self::parse(field("apiVersion")?, field("kind")?)
    }

    /// The `apiVersion` of a manifest of this kind.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// As it is displayed, made at once.
    pub fn to_text(&self) -> String {
        let slash = if self.group.is_empty() { "" } else { "/" };
        [&self.group, slash, &self.version, "/", &self.kind].concat()
    }

    /// Group and kind alone.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }
}

/// `apps/v1/Deployment`; `v1/ConfigMap` in the core group.
impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

/// Why `apiVersion` and `kind` name no kind.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GvkError {
    /// The field is absent, or no string.
    #[error("{0} is missing or not a string")]
    Missing(&'static str),
    /// Neither `version` nor `group/version`.
    #[error("apiVersion {0:?} is neither version nor group/version")]
    ApiVersion(String),
    /// Not the name of a kind.
    #[error("kind {0:?} is not the name of a kind")]
    Kind(String),
}

impl GvkError {
    /// The manifest's field that is at fault.
    pub fn field(&self) -> &'static str {
        match self {
            Self::Missing(field) => field,
            Self::ApiVersion(_) => "apiVersion",
            Self::Kind(_) => "kind",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_kind_is_read_with_and_without_a_group() {
        let core = Gvk::parse("v1", "ConfigMap").unwrap();
        assert_eq!((core.group.as_str(), core.to_string()), ("", "v1/ConfigMap".to_owned()));
        let apps = Gvk::parse("apps/v1", "Deployment").unwrap();
        assert_eq!(apps.to_string(), "apps/v1/Deployment");
        assert_eq!(apps.api_version(), "apps/v1");
        assert_eq!(apps.group_kind().to_string(), "apps/Deployment");
    }

    #[test]
    fn text_that_names_no_kind_is_refused() {
        for (api_version, kind) in [
            ("", "ConfigMap"),
            ("/v1", "ConfigMap"),
            ("apps/", "Deployment"),
            ("apps/v1/x", "Deployment"),
            ("Apps/v1", "Deployment"),
            ("apps/{{ .Class.Name }}", "Deployment"),
            ("v1", ""),
            ("v1", "Config Map"),
            ("v1", "{{ .Class.Name }}"),
        ] {
            assert!(Gvk::parse(api_version, kind).is_err(), "{api_version:?} {kind:?}");
        }
    }

    #[test]
    fn a_missing_or_mistyped_field_is_named() {
        assert_eq!(Gvk::of_manifest(&json!({ "kind": "Pod" })), Err(GvkError::Missing("apiVersion")));
        assert_eq!(Gvk::of_manifest(&json!({ "apiVersion": "v1", "kind": 3 })), Err(GvkError::Missing("kind")));
        assert_eq!(Gvk::of_manifest(&json!("v1")).unwrap_err().field(), "apiVersion");
    }
}
