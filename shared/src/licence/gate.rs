//! The decision over one namespace.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::State;

/// What a missing licence stops.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GateMode {
    /// Nothing: no licence is looked for.
    #[default]
    None,
    /// That further namespaces come in. Those that are known are gone on with.
    Hybrid,
    /// All reconciles of namespaces.
    Strict,
}

/// What counts of a namespace. All of it outlives this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its binding names a class whose objects are there, or are about to come: it was let in, and stays so.
    pub managed: bool,
    /// `metadata.creationTimestamp`, by the API server's clock.
    pub created: Option<Timestamp>,
    /// Whether it is among those that still have a place ([`super::places`]), where a licence is for so many only.
    pub has_place: bool,
}

/// Whether a namespace is gone on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is.
    Open,
    /// It waits. What goes away is let go all the same.
    Held(Why),
}

/// Why a namespace waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// `Strict`: everything waits.
    Strict,
    /// `Hybrid`: it is younger than this, and was not let in before.
    Since(Timestamp),
    /// The licence is for so many.
    OverLimit(u32),
    /// Without a licence the first start counts, which could not be read or written down yet.
    FirstStartUnknown,
}

impl Why {
    /// All words that [`Self::word`] has.
    pub const WORDS: [&str; 4] = ["strict", "new", "over_limit", "first_start_unknown"];

    /// A word for metrics.
    pub fn word(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Since(_) => "new",
            Self::OverLimit(_) => "over_limit",
            Self::FirstStartUnknown => "first_start_unknown",
        }
    }

    /// A sentence for the condition of what waits, without its end. The same state gives the same sentence, so that it is written once.
    pub fn message(self, state: &State) -> String {
        let phrase = state.phrase();
        match self {
            Self::Strict => {
                format!(
                    "{phrase}; gate.mode is Strict, so nothing here is made, changed or repaired, and what is there stays"
                )
            }
            Self::Since(time) => {
                format!(
                    "{phrase}; gate.mode is Hybrid, so only namespaces from before {time} and those that had a class are gone on with"
                )
            }
            Self::OverLimit(limit) => {
                format!("{phrase}; {limit} with a class are as many as it is for, and older ones come first")
            }
            Self::FirstStartUnknown => {
                format!(
                    "{phrase}; and the time of the first start, which counts then, is not known yet: see the operator's log"
                )
            }
        }
    }
}

/// Whether a namespace in scope is gone on with. `first_start` is when the gate was first on here, as [`super::Record`] and the bindings
/// keep it.
pub fn gate(mode: GateMode, state: &State, first_start: Option<Timestamp>, namespace: Facts) -> Decision {
    let Facts { managed, created, has_place } = namespace;
    match (mode, state) {
        (GateMode::None, _) => return Decision::Open,
        (GateMode::Strict, State::Expired(_) | State::Absent(_)) => return Decision::Held(Why::Strict),
        (GateMode::Strict | GateMode::Hybrid, _) => {}
    }
    if managed {
        return Decision::Open;
    }
    if !state.is_valid() {
        let Some(frozen_at) = state.frozen_at(first_start) else { return Decision::Held(Why::FirstStartUnknown) };
        if created.is_none_or(|created| created >= frozen_at) {
            return Decision::Held(Why::Since(frozen_at));
        }
    }
    match state.limit() {
        Some(limit) if !has_place => Decision::Held(Why::OverLimit(limit)),
        _ => Decision::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::licence::{Licence, Terms};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn licence(namespaces: Option<u32>) -> Licence {
        let terms = Terms { holder: "Blue".into(), not_before: at(0), expiry: at(100), namespaces };
        Licence { terms, id: "i".into(), key: "k".into() }
    }

    fn created(second: i64) -> Facts {
        Facts { created: Some(at(second)), ..Facts::default() }
    }

    const MANAGED: Facts = Facts { managed: true, created: None, has_place: false };

    #[test]
    fn s60_hybrid_freezes_the_set_where_it_is_and_goes_on_with_what_is_known() {
        let (absent, expired) = (State::Absent("none".into()), State::Expired(licence(None)));
        let decide = |state: &State, facts| gate(GateMode::Hybrid, state, Some(at(50)), facts);
        assert_eq!(decide(&absent, created(49)), Decision::Open, "there at the first start");
        assert_eq!(decide(&absent, created(50)), Decision::Held(Why::Since(at(50))));
        assert_eq!(decide(&expired, created(99)), Decision::Open, "created before the expiry");
        assert_eq!(decide(&expired, created(100)), Decision::Held(Why::Since(at(100))));
        assert_eq!(decide(&expired, Facts::default()), Decision::Held(Why::Since(at(100))), "nobody knows how old");
        for state in [&absent, &expired] {
            assert_eq!(decide(state, MANAGED), Decision::Open);
        }
        assert_eq!(decide(&State::Valid(licence(None)), created(1000)), Decision::Open);
        assert_eq!(gate(GateMode::Hybrid, &absent, None, created(1)), Decision::Held(Why::FirstStartUnknown));
        assert_eq!(gate(GateMode::Hybrid, &absent, None, MANAGED), Decision::Open);
    }

    #[test]
    fn s61_strict_stops_all_without_a_licence_and_none_with_one() {
        for state in [State::Absent("none".into()), State::Expired(licence(None))] {
            for facts in [created(1), MANAGED] {
                assert_eq!(gate(GateMode::Strict, &state, Some(at(50)), facts), Decision::Held(Why::Strict));
                assert_eq!(gate(GateMode::None, &state, Some(at(50)), facts), Decision::Open);
            }
        }
        assert_eq!(gate(GateMode::Strict, &State::Valid(licence(None)), None, created(1000)), Decision::Open);
    }

    #[test]
    fn a_licence_for_so_many_holds_those_without_a_place_and_none_that_is_managed() {
        let valid = State::Valid(licence(Some(2)));
        let decide = |facts| gate(GateMode::Hybrid, &valid, None, facts);
        assert_eq!(decide(created(1)), Decision::Held(Why::OverLimit(2)));
        assert_eq!(decide(Facts { has_place: true, ..created(1) }), Decision::Open);
        assert_eq!(decide(MANAGED), Decision::Open);
    }

    #[test]
    fn what_waits_says_why() {
        let state = State::Expired(licence(None));
        insta::assert_snapshot!(Why::Strict.message(&state), @"the licence of Blue has expired at 1970-01-01T00:01:40Z; gate.mode is Strict, so nothing here is made, changed or repaired, and what is there stays");
        insta::assert_snapshot!(Why::Since(at(100)).message(&state), @"the licence of Blue has expired at 1970-01-01T00:01:40Z; gate.mode is Hybrid, so only namespaces from before 1970-01-01T00:01:40Z and those that had a class are gone on with");
        insta::assert_snapshot!(Why::OverLimit(2).message(&State::Valid(licence(Some(2)))), @"the licence of Blue for 2 namespaces is valid until 1970-01-01T00:01:40Z; 2 with a class are as many as it is for, and older ones come first");
    }
}
