//! Which labels and annotations of a namespace only a trusted hand can set (class.md C19).

use std::collections::BTreeSet;

use thiserror::Error;

use crate::excerpt::excerpt;
use crate::names::GUARDED_PREFIX;
use crate::template::Variable;
use crate::validity::is_qualified_name;

/// The guarded keys: those under `var.nsclass.io/`, and those in `policy.guardedKeys`.
///
/// That tenants cannot set them is admission's work; without its policies no key is safe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GuardedKeys(BTreeSet<String>);

/// An entry of `policy.guardedKeys` that is no key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "policy.guardedKeys[{index}]: {entry} cannot be the key of a label or annotation; write it as it stands in a \
     namespace's metadata: prefix/name or name"
)]
pub struct GuardedKeyError {
    /// Position in the list.
    pub index: usize,
    /// The entry, in quotes.
    pub entry: String,
}

impl GuardedKeys {
    /// The keys of `policy.guardedKeys`, besides those that are always guarded.
    ///
    /// # Errors
    /// The first entry that no label or annotation can have as key.
    pub fn new<S: AsRef<str>>(keys: &[S]) -> Result<Self, GuardedKeyError> {
        let mut set = BTreeSet::new();
        for (index, key) in keys.iter().map(AsRef::as_ref).enumerate() {
            if !is_qualified_name(key) {
                return Err(GuardedKeyError { index, entry: excerpt(key) });
            }
            set.insert(key.to_owned());
        }
        Ok(Self(set))
    }

    /// Whether a tenant cannot choose this variable's value, so that a grant may be built from it.
    pub fn trusts(&self, variable: &Variable) -> bool {
        match variable {
            Variable::NamespaceName | Variable::ClassName => true,
            // C19 names what grants take, and the UID is not among it.
            Variable::NamespaceUid => false,
            Variable::NamespaceLabel(key) | Variable::NamespaceAnnotation(key) => {
                key.starts_with(GUARDED_PREFIX) || self.0.contains(key)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c19_only_names_and_guarded_keys_are_trusted() {
        let guarded = GuardedKeys::new(&["example.com/owner"]).unwrap();
        for (name, trusted) in [
            (".Namespace.Name", true),
            (".Class.Name", true),
            (".Namespace.UID", false),
            (".Namespace.Labels.var.nsclass.io/team", true),
            (".Namespace.Annotations.var.nsclass.io/team", true),
            (".Namespace.Labels.example.com/owner", true),
            (".Namespace.Labels.owner", false),
            (".Namespace.Labels.xvar.nsclass.io/team", false),
            (".Namespace.Labels.nsclass.io/team", false),
        ] {
            assert_eq!(guarded.trusts(&Variable::parse(name).unwrap()), trusted, "{name}");
        }
    }

    #[test]
    fn c19_an_entry_that_is_no_key_is_refused() {
        let error = GuardedKeys::new(&["team", "var.nsclass.io/*"]).unwrap_err();
        insta::assert_snapshot!(error, @r#"policy.guardedKeys[1]: "var.nsclass.io/*" cannot be the key of a label or annotation; write it as it stands in a namespace's metadata: prefix/name or name"#);
    }
}
