//! The scope at the edge: one task owns the index, feeds it from the watch of namespaces, publishes snapshots and then tells.
//!
//! ```text
//! watch of namespaces ──▶ ScopeTask (Index) ──publish──▶ ScopeHandle ──▶ readers, /debug/scope, metrics
//!                                            └──then───▶ listener, and flips into each subscriber's FlipQueue ──▶ FlipMapper
//! ```
//! Every process runs it, leader or not (DESIGN decision 3); only telling flips is the leader's (scope.md S23).

mod by_namespace;
mod contact;
mod debug;
mod handle;
mod mapper;
mod metrics;
mod parts;
mod queue;
mod reader;
mod task;
mod telling;

pub use by_namespace::{ByNamespace, InNamespace, NamespacedName};
pub use handle::ScopeHandle;
pub use mapper::{FlipMapper, follow_flips, reachable};
pub use parts::{Leads, Scope};
pub use queue::FlipQueue;
pub use reader::{InScope, ScopedList, ScopedReader};
pub use task::{NamespaceListener, ScopeTask, WatchedNamespace};
