use super::{Conditions, Overall, Word};
use crate::livegit::fault::Fault;
use crate::livegit::world::{KindState, RuleOutlook, StreamId};
use crate::reason::GitRemark;

/// How far one watch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Its first list is not complete.
    Listing,
    /// It has been listed whole and is watched.
    Live,
    /// It broke, and is taken up again; why.
    Broken(String),
}

/// Kinds of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleCounts {
    /// That it names.
    pub kinds: usize,
    /// That are watched and have been listed whole.
    pub streaming: usize,
}

/// What a rule says.
pub fn rule(rule: &RuleOutlook, progress: impl Fn(&StreamId) -> Progress) -> (RuleCounts, Conditions) {
    let counts = RuleCounts { kinds: rule.kinds.len(), streaming: 0 };
    if let Some(word) = Word::of_faults(&rule.faults) {
        let mut conditions = vec![("Validated", word.clone().is(Some(false))), ("Streaming", stopped())];
        conditions.extend(Overall::Stalled(word).conditions());
        return (counts, conditions);
    }
    if let Some(waits) = &rule.waits {
        let validated = Word::of_fault(waits).is(None);
        let mut conditions = vec![("Validated", validated), ("Streaming", stopped())];
        conditions.extend(Overall::Reconciling(Word::new(GitRemark::Pending, waits.to_string())).conditions());
        return (counts, conditions);
    }
    let (counts, overall) = kinds(rule, progress);
    let refused: Vec<Fault> = rule
        .kinds
        .values()
        .filter_map(|state| if let KindState::Refused(fault) = state { Some(fault.clone()) } else { None })
        .collect();
    let validated = match Word::of_faults(&refused) {
        Some(word) => word.is(Some(false)),
        None => Word::new(GitRemark::Valid, "the specification is sound and its target takes it").is(Some(true)),
    };
    let streams = format!("{} of {} kinds are watched", counts.streaming, counts.kinds);
    let streaming = if counts.streaming == counts.kinds {
        Word::new(GitRemark::Streaming, streams).is(Some(true))
    } else {
        Word::new(GitRemark::Incomplete, streams).is(Some(false))
    };
    let mut conditions = vec![("Validated", validated), ("Streaming", streaming)];
    conditions.extend(overall.conditions());
    (counts, conditions)
}

fn stopped() -> crate::api::Assessment {
    Word::new(GitRemark::NotStarted, "nothing is watched").is(Some(false))
}

/// What is refused comes before what waits, and that before what is on its way.
fn kinds(rule: &RuleOutlook, progress: impl Fn(&StreamId) -> Progress) -> (RuleCounts, Overall) {
    let mut counts = RuleCounts { kinds: rule.kinds.len(), streaming: 0 };
    let (mut refused, mut waits, mut broken, mut under_way) = (vec![], vec![], None, 0);
    for (kind, state) in &rule.kinds {
        match state {
            KindState::Refused(fault) => refused.push(fault.clone()),
            KindState::Waits(fault) => waits.push(fault.clone()),
            KindState::Asking => under_way += 1,
            KindState::Streams(stream) => match progress(stream) {
                Progress::Live => counts.streaming += 1,
                Progress::Listing => under_way += 1,
                Progress::Broken(why) => broken = broken.or(Some(format!("{kind}: {why}"))),
            },
        }
    }
    let overall = if let Some(word) = Word::of_faults(&refused) {
        Overall::Stalled(word)
    } else if let Some(word) = Word::of_faults(&waits) {
        Overall::Reconciling(word)
    } else if let Some(why) = broken {
        Overall::Reconciling(Word::new(GitRemark::WatchBroken, why))
    } else if under_way > 0 {
        Overall::Reconciling(Word::new(
            GitRemark::Starting,
            format!("{under_way} of {} kinds are on their way", counts.kinds),
        ))
    } else {
        Overall::Ready(Word::new(GitRemark::Streaming, format!("all {} kinds are watched", counts.kinds)))
    };
    (counts, overall)
}
