//! A fingerprint of who is in scope: equal where replicas agree (scope.md S51), and cheap to keep up.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// The sum of one hash per namespace, so that a change costs one hash and the order does not matter. Not a defence against somebody who
/// chooses UIDs: it tells replicas apart that saw different things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest(u128);

impl Digest {
    /// Of one namespace.
    pub(super) fn of_namespace(name: &str, uid: &str, in_scope: bool) -> Self {
        // NUL is in no name and no UID.
        Self::of([name, "\0", uid, if in_scope { "\0in" } else { "\0out" }])
    }

    /// Of the rule.
    pub(super) fn of_rule(rule: &str) -> Self {
        Self::of(["\0rule\0", rule])
    }

    fn of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hash = Sha256::new();
        parts.into_iter().for_each(|part| hash.update(part.as_bytes()));
        Self(hash.finalize().iter().take(16).fold(0, |number, byte| (number << 8) | u128::from(*byte)))
    }

    /// With this one too.
    #[must_use]
    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// Without this one.
    #[must_use]
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }

    /// 48 bits of it, for a gauge: Prometheus keeps numbers as doubles, which are exact that far.
    pub fn as_gauge(self) -> i64 {
        i64::try_from(self.0 >> 80).unwrap_or_default()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
