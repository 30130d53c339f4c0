use super::{Conditions, Overall, Word};
use crate::api::Assessment;
use crate::livegit::fault::Fault;
use crate::reason::GitRemark;

/// What a `GitProvider` says. `reachable` is what was last found of its repository, where somebody has tried: only targets make anybody
/// try.
pub fn provider(faults: &[Fault], targets: usize, reachable: Option<&Assessment>) -> Conditions {
    if let Some(word) = Word::of_faults(faults) {
        let mut conditions = vec![("Validated", word.clone().is(Some(false)))];
        conditions.extend(Overall::Stalled(word).conditions());
        return conditions;
    }
    let mut conditions = vec![("Validated", Word::new(GitRemark::Valid, "the specification is sound").is(Some(true)))];
    let overall = match reachable {
        _ if targets == 0 => {
            Overall::Ready(Word::new(GitRemark::Unused, "no GitTarget names it, so that it has not been tried"))
        }
        None => Overall::Reconciling(Word::new(GitRemark::Connecting, "the repository has not answered yet")),
        Some(found) => match found.status {
            Some(true) => Overall::Ready(Word::of(found)),
            Some(false) => Overall::Stalled(Word::of(found)),
            None => Overall::Reconciling(Word::of(found)),
        },
    };
    conditions.extend(overall.conditions());
    conditions
}
