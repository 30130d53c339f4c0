//! Which kinds exist and which of them live in a namespace: an injected look-up, never a guess from a path (folders.md F03).

mod builtin;
mod table;

use std::sync::Arc;

pub use table::{KindTable, TableError};

/// Where the objects of a kind live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In the cluster.
    Cluster,
}

/// What the API says of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindInfo {
    /// Name of the resource in URLs, such as `deployments`.
    pub resource: Arc<str>,
    /// Where its objects live.
    pub scope: Scope,
}

/// The look-up. It has no version: one kind of one group is one resource in every version of it.
pub trait Kinds {
    /// The kind, or `None` where the look-up does not know it.
    fn find(&self, group: &str, kind: &str) -> Option<&KindInfo>;

    /// Whether not knowing a kind means that the cluster has none. While this is false (discovery is down, or has not
    /// run), an unknown kind is no diagnostic.
    fn is_ready(&self) -> bool;
}
