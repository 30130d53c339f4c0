//! Which kinds live in namespaces: asked of the caller, who knows the API server.

use crate::identity::Gvk;

/// Where the objects of a kind live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In the cluster.
    ClusterScoped,
    /// Not known: the API server does not serve the kind, or has not been asked. It may later (a CRD that arrives).
    Unknown,
}

/// The look-up of kinds, as discovery answers it.
///
/// An answer may be stale: a kind that was [`Scope::Unknown`] a moment ago can be served by now. Nothing here keeps an
/// answer longer than one call.
pub trait Kinds {
    /// Where objects of this kind live.
    fn scope(&self, gvk: &Gvk) -> Scope;
}

impl<F: Fn(&Gvk) -> Scope> Kinds for F {
    fn scope(&self, gvk: &Gvk) -> Scope {
        self(gvk)
    }
}
