//! Which kinds restrict, and which grant (class.md C32): restrictions come first and go last, grants come last and go first.

/// Where a kind stands in the order of applying. Pruning goes the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// `NetworkPolicy`, `ResourceQuota`, `LimitRange`.
    Restriction,
    /// Everything else.
    Plain,
    /// Roles and bindings, cluster ones too.
    Grant,
}

impl Rank {
    /// Whether objects of the kind are exactly as rendered unless their item says otherwise (class.md C34): what restricts and what
    /// grants means nothing if anybody may add to it.
    pub fn is_exact(self) -> bool {
        self != Self::Plain
    }

    /// The rank of a kind.
    pub fn of(group: &str, kind: &str) -> Self {
        match (group, kind) {
            ("networking.k8s.io", "NetworkPolicy") | ("", "ResourceQuota" | "LimitRange") => Self::Restriction,
            ("rbac.authorization.k8s.io", "Role" | "RoleBinding" | "ClusterRole" | "ClusterRoleBinding") => Self::Grant,
            _ => Self::Plain,
        }
    }
}
