//! Who has a place under a licence that is for so many namespaces.

use std::collections::BTreeSet;

use jiff::Timestamp;

/// A managed namespace, or one in scope that asks for a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// When the API server made it.
    pub created: Option<Timestamp>,
    /// It was let in before.
    pub managed: bool,
}

/// Those that are not managed yet and have a place. The managed ones have theirs, also where they are more than the licence is for; what
/// is left goes to the oldest, and of equally old ones to the first by name, so that every replica finds the same. Whether their class is
/// there decides nothing: who asks counts.
pub fn places(limit: u32, candidates: impl IntoIterator<Item = Candidate>) -> BTreeSet<String> {
    let (managed, mut others): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| candidate.managed);
    others.sort_by(|a, b| (a.created.is_none(), a.created, &a.name).cmp(&(b.created.is_none(), b.created, &b.name)));
    let left = usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(managed.len());
    others.into_iter().take(left).map(|candidate| candidate.name).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidate(name: &str, created: Option<i64>, managed: bool) -> Candidate {
        let created = created.map(|second| Timestamp::from_second(second).unwrap());
        Candidate { name: name.into(), created, managed }
    }

    #[test]
    fn the_managed_stay_and_the_oldest_of_the_others_come_next() {
        let all = || {
            [
                ("c", Some(2), false),
                ("a", Some(3), false),
                ("b", Some(2), false),
                ("m", Some(9), true),
                ("x", None, false),
            ]
            .map(|(name, created, managed)| candidate(name, created, managed))
        };
        let named = |limit| places(limit, all()).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!([0, 1, 2, 3, 4, 5].map(named), ["", "", "b", "b c", "a b c", "a b c x"]);
    }

    proptest! {
        #[test]
        fn never_more_than_the_licence_is_for_but_what_was_managed(
            limit in 0_u32..8,
            all in proptest::collection::vec((0_i64..5, any::<bool>()), 0..12),
        ) {
            let all: Vec<_> = all.iter().enumerate().map(|(n, (created, managed))| candidate(&format!("n{n}"), Some(*created), *managed)).collect();
            let managed = all.iter().filter(|c| c.managed).count();
            let admitted = places(limit, all.clone());
            prop_assert!(admitted.is_empty() || managed + admitted.len() <= limit as usize);
            let reversed = places(limit, all.iter().rev().cloned());
            prop_assert_eq!(&admitted, &reversed);
            // Whoever comes in takes no place from those that had one and came in.
            let later = all.iter().map(|c| Candidate { managed: c.managed || admitted.contains(&c.name), ..c.clone() });
            prop_assert!(places(limit, later).is_empty() || managed + admitted.len() < limit as usize);
        }
    }
}
