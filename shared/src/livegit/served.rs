//! Whether a rule can name a kind, given what the API server serves.

use super::fault::{Fault, Reason};
use super::kinds::GroupResource;

/// What the API server serves.
pub trait Served {
    /// What is known of a kind.
    fn find(&self, kind: &GroupResource) -> Found;
}

/// What is known of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Its objects are in namespaces.
    Namespaced,
    /// Its objects are in the cluster.
    Cluster,
    /// A good look showed that there is none, or none that can be listed and watched.
    NotServed,
    /// Nobody has had a good look yet.
    Unknown,
}

/// What a kind is not good for: [`Reason::ScopeMismatch`] in a rule of the wrong sort, [`Reason::KindNotFound`] while it is not served.
/// Of what nobody knows nothing is said.
pub fn check(kind: &GroupResource, found: Found, is_cluster_rule: bool) -> Option<Fault> {
    let (reason, what, remedy) = match (found, is_cluster_rule) {
        (Found::Namespaced, false) | (Found::Cluster, true) | (Found::Unknown, _) => return None,
        (Found::Cluster, false) => (
            Reason::ScopeMismatch,
            format!("{kind} is cluster-scoped, and a WatchRule watches its own namespace"),
            "name it in a ClusterWatchRule",
        ),
        (Found::Namespaced, true) => (
            Reason::ScopeMismatch,
            format!("{kind} is in namespaces, and a ClusterWatchRule watches cluster-scoped kinds only"),
            "name it in a WatchRule of each namespace",
        ),
        (Found::NotServed, _) => (
            Reason::KindNotFound,
            format!("the API server does not serve {kind}, or not to be listed and watched"),
            "install its definition, or correct the name; it is watched as soon as it is there",
        ),
    };
    Some(Fault::new(reason, "spec.rules", what, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_fits_the_rule_of_its_own_scope_and_an_unknown_one_is_nobodys_fault() {
        let kind = GroupResource { group: "apps".to_owned(), resource: "deployments".to_owned() };
        let reason = |found, cluster| check(&kind, found, cluster).map(|fault| fault.reason);
        for cluster in [false, true] {
            assert_eq!(reason(Found::Unknown, cluster), None);
            assert_eq!(reason(Found::NotServed, cluster), Some(Reason::KindNotFound));
            assert_eq!(reason(Found::Cluster, cluster), (!cluster).then_some(Reason::ScopeMismatch));
            assert_eq!(reason(Found::Namespaced, cluster), cluster.then_some(Reason::ScopeMismatch));
        }
    }
}
