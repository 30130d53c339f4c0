//! What is wrong with one of the Git kinds, said so that its author can mend it.

use std::fmt;

use crate::reason::vocabulary;

vocabulary! {
    /// Reason in a condition, and label of a metric: the set is closed.
    Reason {
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
}

impl Reason {
    /// Conditions that have this reason, with the kind whose condition it is, in the form of
    /// [`conditions`](crate::reason::GitRemark::conditions) of a remark.
    pub fn conditions(self) -> &'static str {
        match self {
            Self::UrlInvalid | Self::LocalNotAllowed | Self::MessageInvalid | Self::SecretInvalid => {
                "provider: Validated, Ready"
            }
            Self::BranchNotAllowed => "provider, target: Validated, Ready",
            Self::PathInvalid
            | Self::ProviderNotFound
            | Self::ProviderInvalid
            | Self::TargetConflict
            | Self::NamespaceContextConflict
            | Self::NamespaceInvalid => "target: Validated, Ready",
            Self::TargetNotFound | Self::TargetOutOfScope | Self::TargetInvalid => "rule: Validated",
            Self::KindNotFound => "rule: Ready",
            Self::TargetForeign
            | Self::KindRefused
            | Self::TooManyKinds
            | Self::ScopeMismatch
            | Self::SelectorInvalid
            | Self::Forbidden => "rule: Validated, Ready",
        }
    }

    /// One sentence that says what to do, in the form of [`crate::reason::Reason::remedy`]; that of a [`Fault`] is more exact.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::UrlInvalid => "write https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH into spec.url",
            Self::LocalNotAllowed => "name a server in spec.url, or let the operator's configuration allow local ones",
            Self::MessageInvalid => "correct spec.commit.message as the message says",
            Self::PathInvalid => "correct spec.path as the message says",
            Self::BranchNotAllowed => "correct the name, or add the branch to the GitProvider's spec.branches",
            Self::ProviderNotFound => "make the GitProvider, or correct spec.providerRef",
            Self::ProviderInvalid => "see the GitProvider's condition Validated",
            Self::SecretInvalid => "correct the Secret as the message says; it is read again within seconds",
            Self::TargetConflict => {
                "choose a folder that is not the same as, within or around that of the target named"
            }
            Self::NamespaceContextConflict => {
                "take namespaceContext away, or let only rules of that namespace name the target"
            }
            Self::NamespaceInvalid => "name namespaces one by one",
            Self::TargetNotFound => "make the GitTarget, or correct spec.targetRef",
            Self::TargetOutOfScope => "label its namespace into the operator's scope, if it is to be managed",
            Self::TargetForeign => "have the target's owner add the rule's namespace to its spec.allowedNamespaces",
            Self::TargetInvalid => "see the GitTarget's condition Validated",
            Self::KindRefused => "name other kinds, as kubectl api-resources lists them",
            Self::TooManyKinds => "divide the rule, or leave kinds out",
            Self::ScopeMismatch => {
                "name cluster-scoped kinds in a ClusterWatchRule, and namespaced ones in a WatchRule"
            }
            Self::SelectorInvalid => "correct the label selector, or leave it out",
            Self::KindNotFound => {
                "install the CRD of that kind, or correct its name; it is watched as soon as it is served"
            }
            Self::Forbidden => {
                "grant the author, or the controller, the right named, or have somebody with it write the rule"
            }
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
