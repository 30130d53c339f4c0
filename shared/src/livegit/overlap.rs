//! Two targets never keep one folder (folders.md F53).

use jiff::Timestamp;

use super::fault::{Fault, Reason};
use super::path;

/// A target as far as its folder goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// `namespace/name` of the target.
    pub target: String,
    /// When it was made.
    pub since: Timestamp,
    /// The repository ([`super::url::RepositoryUrl::repository`]).
    pub repository: String,
    /// The branch.
    pub branch: String,
    /// The folder.
    pub path: String,
}

impl Claim {
    /// Whether the two cannot both be kept.
    fn overlaps(&self, other: &Self) -> bool {
        self.repository == other.repository && self.branch == other.branch && path::overlap(&self.path, &other.path)
    }

    /// The earlier one keeps the folder; of two of one second the first by name.
    fn precedes(&self, other: &Self) -> bool {
        (self.since, &self.target) < (other.since, &other.target)
    }
}

/// The fault of each claim, in their order: those that overlap an earlier one lose. One that lost is in nobody's way all the same, so
/// that a third beside it may stand.
pub fn conflicts(claims: &[Claim]) -> Vec<Option<Fault>> {
    let mut order: Vec<usize> = (0..claims.len()).collect();
    order.sort_by(|a, b| {
        if claims[*a].precedes(&claims[*b]) { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater }
    });
    let mut faults = vec![None; claims.len()];
    let mut standing: Vec<usize> = Vec::new();
    for index in order {
        match standing.iter().find(|earlier| claims[**earlier].overlaps(&claims[index])) {
            Some(earlier) => faults[index] = Some(fault(&claims[*earlier])),
            None => standing.push(index),
        }
    }
    faults
}

fn fault(earlier: &Claim) -> Fault {
    Fault::new(
        Reason::TargetConflict,
        "spec.path",
        format!(
            "GitTarget {} has folder {} of this branch, which is the same, within or around",
            earlier.target, earlier.path
        ),
        "name a folder beside it, or delete one of the two targets",
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn claim(target: &str, since: i64, branch: &str, path: &str) -> Claim {
        Claim {
            target: target.to_owned(),
            since: Timestamp::from_second(since).unwrap(),
            repository: "example.com/apps".to_owned(),
            branch: branch.to_owned(),
            path: path.to_owned(),
        }
    }

    #[test]
    fn f53_the_later_of_two_that_overlap_says_so_and_others_stand() {
        let claims = [
            claim("b/late", 5, "main", "apps/web"),
            claim("a/early", 1, "main", "apps"),
            claim("c/beside", 9, "main", "infra"),
            claim("d/other-branch", 9, "next", "apps"),
        ];
        let faults = conflicts(&claims);
        insta::assert_snapshot!(faults[0].clone().unwrap(), @"spec.path: GitTarget a/early has folder apps of this branch, which is the same, within or around; name a folder beside it, or delete one of the two targets");
        assert_eq!(faults[1..], [None, None, None]);
    }

    proptest! {
        #[test]
        fn f53_those_that_stand_never_overlap_and_who_lost_overlaps_an_earlier_one(
            made in proptest::collection::vec((0_i64..5, "[ab](/[ab]){0,2}|\\."), 0..8)
        ) {
            let claims: Vec<Claim> =
                made.iter().enumerate().map(|(i, (since, path))| claim(&format!("n/{i}"), *since, "main", path)).collect();
            let faults = conflicts(&claims);
            for (index, claim) in claims.iter().enumerate() {
                let in_the_way = claims.iter().enumerate().any(|(other, earlier)| {
                    other != index && faults[other].is_none() && earlier.overlaps(claim) && earlier.precedes(claim)
                });
                prop_assert_eq!(in_the_way, faults[index].is_some());
            }
        }
    }
}
