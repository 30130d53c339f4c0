//! Texts compared where many are empty: the core API group has no name.
//!
//! An empty `String` points nowhere, and glibc's comparison of memory with AVX-512 reads there all the same, masked: the processor then
//! takes a fault and suppresses it, which costs more than judging the rest of a manifest's kind. So nothing is asked of memory here that
//! the lengths tell.

use std::cmp::Ordering;

/// Whether two texts are equal.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.len() == other.len() && (one.is_empty() || one == other)
}

/// The order of two texts.
pub(crate) fn order(one: &str, other: &str) -> Ordering {
    if one.is_empty() || other.is_empty() { one.len().cmp(&other.len()) } else { one.cmp(other) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_compare_as_ever(one in "[ab]{0,2}", other in "[ab]{0,2}") {
            prop_assert_eq!(same(&one, &other), one == other);
            prop_assert_eq!(order(&one, &other), one.cmp(&other));
        }
    }
}
