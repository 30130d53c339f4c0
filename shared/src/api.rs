//! The kinds that users see, as Rust types. The CRDs under `deploy/crds/` are generated from them.
//!
//! What CEL and the schema can hold is said here; what they cannot (templates, policy, duplicates, sizes) is
//! [`crate::validate`]'s, which admission and the controller both call.

mod binding;
mod branch;
mod class;
mod condition;
mod crd;
mod delay;
mod git_provider;
mod git_target;
mod guard;
mod item;
mod lacking;
mod local_ref;
mod watch_rule;
mod window;

pub use binding::{BindingSpec, BindingStatus, InventoryEntry, MAX_INVENTORY, NamespaceClassBinding, ObjectsGone};
pub use branch::BranchName;
pub use class::{Adoption, ClassSpec, ClassStatus, Drift, Immutable, NamespaceClass, NamespaceCounts, OnDelete};
pub use condition::{Assessment, get_condition, set_condition};
pub use crd::{crds, git_crds, namespace_class_binding_crd, namespace_class_crd};
pub use delay::{BadDelay, OptOutDelay};
pub use git_provider::{CommitSpec, GitProvider, GitProviderSpec, GitProviderStatus};
pub use git_target::{
    ContextKind, ExistingFiles, FileStyle, GitTarget, GitTargetSpec, GitTargetStatus, NamespaceContext, Prune,
};
pub use guard::{GuardCause, GuardHeld, GuardPassed, GuardStatus};
pub use item::Item;
pub use lacking::lacking;
pub use local_ref::LocalRef;
pub use watch_rule::{
    Author, ClusterWatchRule, ClusterWatchRuleSpec, KindRule, TargetRef, WatchRule, WatchRuleSpec, WatchRuleStatus,
};
pub use window::{BadWindow, CommitWindow};
