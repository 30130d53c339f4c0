//! Which live object a document is (folders.md F01-F04, F08).

use std::fmt;
use std::sync::Arc;

use crate::path::FolderPath;

/// An object's name as a document writes it, or as its context completes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// apiVersion.
    pub api_version: Arc<str>,
    /// kind.
    pub kind: Arc<str>,
    /// metadata.namespace, if it has one.
    pub namespace: Option<Arc<str>>,
    /// metadata.name.
    pub name: Arc<str>,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.api_version, self.kind)?;
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        f.write_str(&self.name)
    }
}

/// Where the namespace of a document comes from (F02). An edit travels back the way its namespace came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamespaceSource {
    /// It is written in the file, or the kind has none.
    Explicit,
    /// This kustomization assigns it.
    Kustomize(FolderPath),
    /// The target's `spec.namespaceContext` says it.
    Fixed,
    /// Nothing supplies it, or more than one thing does.
    None,
    /// The kind is unknown to the look-up, so that nobody can say whether it needs one (F03).
    Unresolved,
}

impl NamespaceSource {
    /// The source as a word.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Explicit => "Explicit",
            Self::Kustomize(_) => "Kustomize",
            Self::Fixed => "Fixed",
            Self::None => "None",
            Self::Unresolved => "Unresolved",
        }
    }
}

/// What a store should know about a document, beside its identity (F08).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagnostic {
    /// Several namespaces reach it.
    AmbiguousNamespace,
    /// A ready look-up does not know its kind.
    UnresolvedMapping,
    /// It is cluster-scoped and states a namespace.
    ScopeMismatch,
}

impl Diagnostic {
    /// The diagnostic as it is reported.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AmbiguousNamespace => "ambiguous-namespace",
            Self::UnresolvedMapping => "unresolved-mapping",
            Self::ScopeMismatch => "scope-mismatch",
        }
    }
}

/// One live object, whatever version it is written in (F04).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LiveId {
    /// The API group.
    pub group: Arc<str>,
    /// The resource, or the kind where the look-up does not know it.
    pub resource: Arc<str>,
    /// The namespace, if it is in one.
    pub namespace: Option<Arc<str>>,
    /// The name.
    pub name: Arc<str>,
}

impl fmt::Display for LiveId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.resource)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        match &self.namespace {
            Some(namespace) => write!(f, " {namespace}/{}", self.name),
            None => write!(f, " {}", self.name),
        }
    }
}
