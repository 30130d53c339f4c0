use super::{Conditions, Overall, Progress, Word};
use crate::api::Assessment;
use crate::livegit::world::{StreamId, TargetOutlook};
use crate::reason::GitRemark;

/// What the worker of a target's branch last said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFacts {
    /// Whether everything in the folder is explained.
    pub repository_valid: Assessment,
    /// Whether what is live has arrived on the server.
    pub synced: Assessment,
}

/// What a `GitTarget` says.
pub fn target(
    outlook: &TargetOutlook,
    progress: impl Fn(&StreamId) -> Progress,
    facts: Option<&TargetFacts>,
) -> Conditions {
    if let Some(word) = Word::of_faults(&outlook.faults) {
        let stopped = || Word::new(GitRemark::NotStarted, "nothing is read or written").is(None);
        let mut conditions = vec![
            ("Validated", word.clone().is(Some(false))),
            ("RepositoryValid", stopped()),
            ("Streaming", Word::new(GitRemark::NotStarted, "nothing is watched").is(Some(false))),
        ];
        conditions.extend(Overall::Stalled(word).conditions());
        return conditions;
    }
    let scanning = || Word::new(GitRemark::Scanning, "the folder has not been read yet").is(None);
    let valid = facts.map_or_else(scanning, |facts| facts.repository_valid.clone());
    let streaming = streaming(outlook, progress);
    let overall = overall(outlook, &streaming, &valid, facts.map(|facts| &facts.synced));
    let mut conditions = vec![
        ("Validated", Word::new(GitRemark::Valid, "the specification is sound").is(Some(true))),
        ("RepositoryValid", valid),
        ("Streaming", streaming),
    ];
    conditions.extend(overall.conditions());
    conditions
}

fn streaming(outlook: &TargetOutlook, progress: impl Fn(&StreamId) -> Progress) -> Assessment {
    let (wanted, live) =
        (outlook.streams.len(), outlook.streams.keys().filter(|id| progress(id) == Progress::Live).count());
    let all = wanted + outlook.waiting;
    if outlook.bound.is_empty() {
        return Word::new(GitRemark::NoRules, "no rule names this target").is(Some(false));
    }
    let message = format!("{live} of {all} watches that {} rules ask for are complete", outlook.bound.len());
    if live == all {
        Word::new(GitRemark::Streaming, message).is(Some(true))
    } else {
        Word::new(GitRemark::Incomplete, message).is(Some(false))
    }
}

/// An invalid folder comes first, since nothing is done before it is mended; then what the worker says, then the watches.
fn overall(
    outlook: &TargetOutlook,
    streaming: &Assessment,
    valid: &Assessment,
    synced: Option<&Assessment>,
) -> Overall {
    match (valid.status, synced) {
        (Some(false), _) => Overall::Stalled(Word::of(valid)),
        (None, _) | (_, None) => Overall::Reconciling(Word::of(valid)),
        (Some(true), Some(synced)) => match synced.status {
            Some(false) => Overall::Stalled(Word::of(synced)),
            None => Overall::Reconciling(Word::of(synced)),
            Some(true) if outlook.bound.is_empty() => Overall::Ready(Word::of(streaming)),
            Some(true) if streaming.status == Some(true) => Overall::Ready(Word::of(synced)),
            Some(true) => Overall::Reconciling(Word::of(streaming)),
        },
    }
}
