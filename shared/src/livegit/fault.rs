//! What is wrong with one of the Git kinds, said so that its author can mend it.

use std::fmt;

/// Reason in a condition, and label of a metric: the set is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The address of the repository cannot be used.
    UrlInvalid,
    /// A local repository, where the configuration allows none.
    LocalNotAllowed,
    /// The template of commit messages cannot be used.
    MessageInvalid,
    /// The path of a folder cannot be used.
    PathInvalid,
    /// The name of a branch cannot be used, or its provider does not allow it.
    BranchNotAllowed,
    /// There is no such `GitProvider`.
    ProviderNotFound,
    /// The `GitProvider` is not sound.
    ProviderInvalid,
    /// The Secret of the `GitProvider` cannot be used.
    SecretInvalid,
    /// Another target has the folder.
    TargetConflict,
    /// A rule selects more than the target's `namespaceContext` says.
    NamespaceContextConflict,
    /// The name of a namespace cannot be one.
    NamespaceInvalid,
    /// There is no such `GitTarget`.
    TargetNotFound,
    /// The namespace of the `GitTarget` is not managed now.
    TargetOutOfScope,
    /// The `GitTarget` does not name the namespace of the rule.
    TargetForeign,
    /// The `GitTarget` is not sound.
    TargetInvalid,
    /// A kind that is not written to Git.
    KindRefused,
    /// More kinds than one rule may name.
    TooManyKinds,
    /// A cluster-scoped kind in a `WatchRule`, or a namespaced one in a `ClusterWatchRule`.
    ScopeMismatch,
    /// A label selector that cannot be one.
    SelectorInvalid,
    /// The API server does not serve the kind, or not yet.
    KindNotFound,
    /// The author may not read it.
    Forbidden,
}

impl Reason {
    /// The word in the condition.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UrlInvalid => "UrlInvalid",
            Self::LocalNotAllowed => "LocalNotAllowed",
            Self::MessageInvalid => "MessageInvalid",
            Self::PathInvalid => "PathInvalid",
            Self::BranchNotAllowed => "BranchNotAllowed",
            Self::ProviderNotFound => "ProviderNotFound",
            Self::ProviderInvalid => "ProviderInvalid",
            Self::SecretInvalid => "SecretInvalid",
            Self::TargetConflict => "TargetConflict",
            Self::NamespaceContextConflict => "NamespaceContextConflict",
            Self::NamespaceInvalid => "NamespaceInvalid",
            Self::TargetNotFound => "TargetNotFound",
            Self::TargetOutOfScope => "TargetOutOfScope",
            Self::TargetForeign => "TargetForeign",
            Self::TargetInvalid => "TargetInvalid",
            Self::KindRefused => "KindRefused",
            Self::TooManyKinds => "TooManyKinds",
            Self::ScopeMismatch => "ScopeMismatch",
            Self::SelectorInvalid => "SelectorInvalid",
            Self::KindNotFound => "KindNotFound",
            Self::Forbidden => "Forbidden",
        }
    }
}

/// One thing to mend. As text: `field: what is wrong; what to do`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of mistake.
    pub reason: Reason,
    /// The field, from the object's root on.
    pub field: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl Fault {
    /// A fault in that field.
    pub fn new(
        reason: Reason,
        field: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { reason, field: field.into(), message: message.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.field, self.message, self.remedy)
    }
}
