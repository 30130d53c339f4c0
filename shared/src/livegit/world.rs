//! What follows from everything that there is: which targets stand, which rules they take, and what is to be watched for them.
//!
//! One function of values, asked anew whenever one of them changes: so a rule follows its target, a target its provider, and all of them
//! the scope, in one step and in whatever order they came (folders.md F54, scope.md S25).

mod rules;
mod targets;

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;

use super::access::Question;
use super::fault::Fault;
use super::kinds::GroupResource;
use super::served::Served;
use crate::api::{ClusterWatchRule, GitProvider, GitTarget, WatchRule};
use crate::scope::{Selector, Snapshot};

/// An object of a namespaced kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// A rule of either kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleId {
    /// A `WatchRule`.
    Namespaced(Name),
    /// A `ClusterWatchRule`, by name.
    Cluster(String),
}

impl RuleId {
    /// The namespace that it selects, and is in; none for a cluster rule.
    pub fn namespace(&self) -> Option<&str> {
        match self {
            Self::Namespaced(name) => Some(&name.namespace),
            Self::Cluster(_) => None,
        }
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Namespaced(name) => name.fmt(f),
            Self::Cluster(name) => f.write_str(name),
        }
    }
}

/// Everything of ours that was seen, and what decides about it.
pub struct World<'a> {
    /// The providers.
    pub providers: &'a [Arc<GitProvider>],
    /// Of these, the ones whose Secret cannot be used, and why.
    pub locked: &'a BTreeMap<Name, Fault>,
    /// The targets.
    pub targets: &'a [Arc<GitTarget>],
    /// The rules of namespaces.
    pub rules: &'a [Arc<WatchRule>],
    /// The rules of the cluster.
    pub cluster_rules: &'a [Arc<ClusterWatchRule>],
    /// Which namespaces are managed.
    pub scope: &'a Snapshot,
    /// What the configuration says of local repositories.
    pub allow_local: bool,
    /// What the API server serves.
    pub served: &'a dyn Served,
    /// What authors may read.
    pub access: &'a dyn Access,
}

/// What authors may read.
pub trait Access {
    /// What is known of it.
    fn may(&self, question: &Question) -> May;
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum May {
    /// They may.
    Yes,
    /// They lack these verbs.
    No(Vec<&'static str>),
    /// Nobody has been asked, or there was no answer.
    Unknown,
}

/// What follows. Only what is in scope is in it: of all else nothing is said, and nothing is done about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlook {
    /// What is wrong with each provider.
    pub providers: BTreeMap<Name, ProviderOutlook>,
    /// Each target.
    pub targets: BTreeMap<Name, TargetOutlook>,
    /// Each rule.
    pub rules: BTreeMap<RuleId, RuleOutlook>,
    /// What has to be asked before more can be said.
    pub questions: HashSet<Question>,
}

/// A provider.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProviderOutlook {
    /// What is wrong with it.
    pub faults: Vec<Fault>,
    /// How many targets that are sound name it.
    pub targets: usize,
}

/// A target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetOutlook {
    /// What is wrong with it. While there is something, nothing is written.
    pub faults: Vec<Fault>,
    /// The rules that it takes.
    pub bound: Vec<RuleId>,
    /// What is to be watched for it, and which of the objects are written.
    pub streams: BTreeMap<StreamId, Selection>,
    /// How many kinds that its rules name cannot be watched, or not yet.
    pub waiting: usize,
}

/// What one watch of a target sees: a kind in a namespace, or a cluster-scoped kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId {
    /// The kind.
    pub kind: GroupResource,
    /// The namespace.
    pub namespace: Option<String>,
}

/// Which objects of a stream are written: those that any of the selectors picks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection(pub Vec<Selector>);

impl Selection {
    /// Whether an object with these labels is written.
    pub fn picks(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().any(|selector| selector.matches(labels))
    }
}

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleOutlook {
    /// The target that it names.
    pub target: Name,
    /// What its author, or the target's, has to mend. While there is something, nothing is watched.
    pub faults: Vec<Fault>,
    /// What it waits for, and goes on from by itself.
    pub waits: Option<Fault>,
    /// The kinds that it names, where there is neither.
    pub kinds: BTreeMap<GroupResource, KindState>,
}

/// One kind of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum KindState {
    /// It is to be watched.
    Streams(StreamId),
    /// It is not there yet, and is watched as soon as it is.
    Waits(Fault),
    /// It is not watched.
    Refused(Fault),
    /// Somebody has been asked.
    Asking,
}

/// What follows from a world.
pub fn outlook(world: &World<'_>) -> Outlook {
    let mut outlook = Outlook::default();
    targets::judge(world, &mut outlook);
    rules::bind(world, &mut outlook);
    targets::judge_contexts(world, &mut outlook);
    rules::expand(world, &mut outlook);
    outlook
}

#[cfg(test)]
mod tests;
