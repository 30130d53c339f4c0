//! What the operator does now, what would change, and when: for `nsclass licence show`.

use jiff::Timestamp;

use super::{Found, GateMode, State, state};

/// Changes that are told; more are counted.
const MOST_CHANGES: usize = 8;

/// An explanation, each line a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The state now.
    pub state: State,
    /// What the operator does now.
    pub now: Vec<String>,
    /// What changes by itself, in the order of time.
    pub changes: Vec<(Timestamp, String)>,
    /// What would change it before that.
    pub remedy: Option<String>,
}

/// Explains. `first_start` as in [`super::gate`].
pub fn explain(mode: GateMode, found: &Found, first_start: Option<Timestamp>, now: Timestamp) -> Explained {
    let standing = state(found, now);
    let mut changes = Vec::new();
    let (mut until, mut before) = (standing.until, standing.state.clone());
    while let Some(time) = until {
        let next = state(found, time);
        if next.state != before {
            changes.push((time, format!("{}: {}", next.state.phrase(), does(mode, &next.state, first_start))));
        }
        (until, before) = (next.until, next.state);
        if changes.len() >= MOST_CHANGES {
            break;
        }
    }
    let remedy = (mode != GateMode::None && !standing.state.is_valid()).then(|| {
        "a valid licence in a Secret with the label nsclass.io/licence in the operator's namespace frees what waits, at once".to_owned()
    });
    let doing = vec![standing.state.phrase(), does(mode, &standing.state, first_start)];
    Explained { state: standing.state, now: doing, changes, remedy }
}

/// What the operator does in a state.
fn does(mode: GateMode, state: &State, first_start: Option<Timestamp>) -> String {
    match (mode, state) {
        (GateMode::None, _) => {
            "gate.mode is None, so every namespace is gone on with, and no licence is needed".to_owned()
        }
        (_, State::Valid(licence)) => match licence.terms.limit() {
            None => "every namespace in scope is gone on with".to_owned(),
            Some(limit) => format!(
                "{limit} with a class are gone on with: those that have one already, then the oldest; others wait"
            ),
        },
        (GateMode::Strict, _) => {
            "nothing is made, changed or repaired in any namespace; what is there stays, and what goes away is let go"
                .to_owned()
        }
        (GateMode::Hybrid, _) => match state.frozen_at(first_start) {
            Some(time) => format!(
                "namespaces that have a class and those from before {time} are gone on with; younger ones wait, and keep what they have"
            ),
            None => "namespaces that have a class are gone on with; others wait".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::licence::{Licence, Terms};

    fn shown(mode: GateMode, found: &Found, now: i64) -> String {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let Explained { now, changes, remedy, .. } = explain(mode, found, Some(at(7)), at(now));
        let changes = changes.into_iter().map(|(time, change)| format!("{time}: {change}"));
        now.into_iter().chain(changes).chain(remedy).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn it_is_told_what_is_done_now_what_will_be_and_what_would_help() {
        let licence = |holder: &str, from: i64, to: i64, namespaces| {
            let at = |second: i64| Timestamp::from_second(second).unwrap();
            let terms = Terms { holder: holder.into(), not_before: at(from), expiry: at(to), namespaces };
            (holder.to_owned(), Licence { terms, id: holder.into(), key: "k".into() })
        };
        let found = Found {
            licences: vec![licence("Blue", 10, 30, Some(2)), licence("Green", 20, 40, None)],
            ..Found::default()
        };
        insta::assert_snapshot!(shown(GateMode::Hybrid, &found, 15), @r"
        the licence of Blue for 2 namespaces is valid until 1970-01-01T00:00:30Z
        2 namespaces with a class are gone on with: those that have one already, then the oldest; others wait
        1970-01-01T00:00:20Z: the licence of Green is valid until 1970-01-01T00:00:40Z: every namespace in scope is gone on with
        1970-01-01T00:00:40Z: the licence of Green has expired at 1970-01-01T00:00:40Z: namespaces that have a class and those from before 1970-01-01T00:00:40Z are gone on with; younger ones wait, and keep what they have
        ");
        insta::assert_snapshot!(shown(GateMode::Strict, &found, 45), @r"
        the licence of Green has expired at 1970-01-01T00:00:40Z
        nothing is made, changed or repaired in any namespace; what is there stays, and what goes away is let go
        a valid licence in a Secret with the label nsclass.io/licence in the operator's namespace frees what waits, at once
        ");
        insta::assert_snapshot!(shown(GateMode::Hybrid, &Found::default(), 45), @r"
        no licence is valid: no Secret with the label nsclass.io/licence is in the operator's namespace
        namespaces that have a class and those from before 1970-01-01T00:00:07Z are gone on with; younger ones wait, and keep what they have
        a valid licence in a Secret with the label nsclass.io/licence in the operator's namespace frees what waits, at once
        ");
        insta::assert_snapshot!(shown(GateMode::None, &Found::default(), 45), @r"
        no licence is valid: no Secret with the label nsclass.io/licence is in the operator's namespace
        gate.mode is None, so every namespace is gone on with, and no licence is needed
        ");
    }
}
