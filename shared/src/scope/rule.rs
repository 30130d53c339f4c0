//! The rule that says which namespaces are managed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::{Selector, Verdict, entry::Labels};

/// Which namespaces are managed, and which always are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeRule {
    operator_namespace: String,
    pick: Pick,
}

/// What the configuration picks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Every namespace (scope.md S01): nothing is looked up, so nothing is ever unknown either.
    Every,
    /// Those of these names.
    Named(BTreeSet<String>),
    /// Those with these labels.
    Selected(Selector),
}

impl ScopeRule {
    /// A rule, of the operator that lives in that namespace. A selector that picks everything is [`Pick::Every`].
    pub fn new(operator_namespace: impl Into<String>, pick: Pick) -> Self {
        let pick = match pick {
            Pick::Selected(selector) if selector.is_everything() => Pick::Every,
            pick => pick,
        };
        Self { operator_namespace: operator_namespace.into(), pick }
    }

    /// Where the operator itself lives.
    pub fn operator_namespace(&self) -> &str {
        &self.operator_namespace
    }

    /// What the configuration picks.
    pub fn pick(&self) -> &Pick {
        &self.pick
    }

    /// Whether this is in scope whatever was seen: the operator's namespace and the empty one of cluster-scoped objects (S04), and
    /// everything where nothing is picked.
    pub fn is_always_in_scope(&self, namespace: &str) -> bool {
        self.is_never_stored(namespace) || self.pick == Pick::Every
    }

    /// Whether it is decided by its name alone, so that nobody needs to see it (S04).
    pub(super) fn is_never_stored(&self, namespace: &str) -> bool {
        namespace.is_empty() || namespace == self.operator_namespace
    }

    /// What a live read of a namespace, with these labels, means. Never `Unknown`.
    pub fn judge(&self, namespace: &str, labels: &BTreeMap<String, String>) -> Verdict {
        let picked = self.picks(namespace, |key| labels.get(key).map(String::as_str));
        if picked { Verdict::InScope } else { Verdict::OutOfScope }
    }

    pub(super) fn picks_entry(&self, namespace: &str, labels: &Labels) -> bool {
        self.picks(namespace, |key| labels.get(key))
    }

    fn picks<'a>(&self, namespace: &str, get: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.is_never_stored(namespace)
            || match &self.pick {
                Pick::Every => true,
                Pick::Named(names) => names.contains(namespace),
                Pick::Selected(selector) => selector.picks(get),
            }
    }
}

impl fmt::Display for ScopeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pick {
            Pick::Every => f.write_str("every namespace"),
            Pick::Named(names) => {
                write!(f, "namespaces {}", names.iter().map(String::as_str).collect::<Vec<_>>().join(","))
            }
            Pick::Selected(selector) => write!(f, "namespaces with {selector}"),
        }
    }
}
