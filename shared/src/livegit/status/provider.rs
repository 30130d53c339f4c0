use super::{Conditions, Overall, Word};
use crate::api::Assessment;
use crate::livegit::fault::Fault;

/// What a `GitProvider` says. `reachable` is what was last found of its repository, where somebody has tried: only targets make anybody
/// try.
pub fn provider(faults: &[Fault], targets: usize, reachable: Option<&Assessment>) -> Conditions {
    if let Some(word) = Word::of_faults(faults) {
        let mut conditions = vec![("Validated", word.clone().is(Some(false)))];
        conditions.extend(Overall::Stalled(word).conditions());
        return conditions;
    }
    let mut conditions = vec![("Validated", Word::new("Valid", "the specification is sound").is(Some(true)))];
    let overall = match reachable {
        _ if targets == 0 => {
            Overall::Ready(Word::new("Unused", "no GitTarget names it, so that it has not been tried"))
        }
        None => Overall::Reconciling(Word::new("Connecting", "the repository has not answered yet")),
        Some(Assessment { status: Some(true), reason, message }) => Overall::Ready(Word::new(reason, message)),
        Some(Assessment { status: Some(false), reason, message }) => Overall::Stalled(Word::new(reason, message)),
        Some(Assessment { status: None, reason, message }) => Overall::Reconciling(Word::new(reason, message)),
    };
    conditions.extend(overall.conditions());
    conditions
}
