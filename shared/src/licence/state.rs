//! The state of the licence at a moment: the best of those that were found.

use std::cmp::Reverse;

use jiff::Timestamp;

use super::{Found, Licence};

/// Whether there is a licence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// This one is valid.
    Valid(Licence),
    /// None is; of those that were, this one was so for longest.
    Expired(Licence),
    /// There never was one, as far as can be seen, for this reason.
    Absent(String),
}

/// The state at a moment, and how long it lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The state.
    pub state: State,
    /// When it may be another one although no document changes.
    pub until: Option<Timestamp>,
}

impl State {
    /// All words that [`Self::word`] has.
    pub const WORDS: [&str; 3] = ["Valid", "Expired", "Absent"];

    /// The word in metrics, events and reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Valid(_) => "Valid",
            Self::Expired(_) => "Expired",
            Self::Absent(_) => "Absent",
        }
    }

    /// Whether a licence is valid.
    pub fn is_valid(&self) -> bool {
        matches!(self, Self::Valid(_))
    }

    /// For how many namespaces; any number where none.
    pub fn limit(&self) -> Option<u32> {
        match self {
            Self::Valid(licence) | Self::Expired(licence) => licence.terms.namespaces,
            Self::Absent(_) => None,
        }
    }

    /// The time up to which namespaces are among the known ones by their age alone: none while a licence is valid, and none where nobody
    /// knows the first start.
    pub fn frozen_at(&self, first_start: Option<Timestamp>) -> Option<Timestamp> {
        match self {
            Self::Valid(_) => None,
            Self::Expired(licence) => Some(licence.terms.expiry),
            Self::Absent(_) => first_start,
        }
    }

    /// A phrase for people.
    pub fn phrase(&self) -> String {
        match self {
            Self::Valid(Licence { terms, .. }) => {
                let limit = terms.limit().map(|limit| format!(" for {limit}")).unwrap_or_default();
                format!("the licence of {}{limit} is valid until {}", terms.holder, terms.expiry)
            }
            Self::Expired(Licence { terms, .. }) => {
                format!("the licence of {} has expired at {}", terms.holder, terms.expiry)
            }
            Self::Absent(why) => format!("no licence is valid: {why}"),
        }
    }
}

/// The best valid one counts: the one for most namespaces, and of these the one that lasts longest. Without a valid one, that which was
/// valid last. `now` is what [`super::SteadyClock`] shows.
pub fn state(found: &Found, now: Timestamp) -> Standing {
    let licences = || found.licences.iter().map(|(_, licence)| licence);
    let has_begun = |licence: &&Licence| licence.terms.not_before <= now;
    let has_ended = |licence: &&Licence| licence.terms.expiry <= now;
    let room = |licence: &Licence| licence.terms.namespaces.map_or((1, 0), |limit| (0, limit));
    let best = licences()
        .filter(|licence| has_begun(licence) && !has_ended(licence))
        .max_by_key(|licence| (room(licence), licence.terms.expiry, Reverse(licence.id.clone())));
    let last = || {
        licences()
            .filter(has_ended)
            .max_by_key(|licence| (licence.terms.expiry, room(licence), Reverse(licence.id.clone())))
    };
    let state = match best {
        Some(best) => State::Valid(best.clone()),
        None => match last() {
            Some(last) => State::Expired(last.clone()),
            None => State::Absent(absence(found)),
        },
    };
    let times = licences().flat_map(|licence| [licence.terms.not_before, licence.terms.expiry]);
    Standing { state, until: times.filter(|time| *time > now).min() }
}

/// Why there is none that is or was valid.
fn absence(found: &Found) -> String {
    let first = found.licences.iter().min_by_key(|(_, licence)| licence.terms.not_before);
    match first {
        Some((place, licence)) => {
            format!("{place}: the licence of {} is not valid before {}", licence.terms.holder, licence.terms.not_before)
        }
        None => found.reason(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::licence::Terms;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn licence(holder: &str, from: i64, to: i64, namespaces: Option<u32>) -> (String, Licence) {
        let terms = Terms { holder: holder.into(), not_before: at(from), expiry: at(to), namespaces };
        (format!("Secret {holder}, key licence"), Licence { terms, id: holder.into(), key: "k".into() })
    }

    fn told(found: &Found, now: i64) -> (String, Option<i64>) {
        let Standing { state, until } = state(found, at(now));
        let holder = match state {
            State::Valid(licence) | State::Expired(licence) => licence.terms.holder,
            State::Absent(why) => why,
        };
        (holder, until.map(Timestamp::as_second))
    }

    #[test]
    fn the_best_valid_one_counts_and_the_moment_of_the_next_change_is_known() {
        let few = licence("few", 0, 100, Some(5));
        let many = licence("many", 10, 50, Some(500));
        let any = licence("any", 20, 30, None);
        let found = Found { licences: vec![few, many, any], ..Found::default() };
        assert_eq!(told(&found, 5), ("few".into(), Some(10)));
        assert_eq!(told(&found, 10), ("many".into(), Some(20)));
        assert_eq!(told(&found, 29), ("any".into(), Some(30)));
        assert_eq!(told(&found, 30), ("many".into(), Some(50)), "it ends with its last moment");
        assert_eq!(told(&found, 99), ("few".into(), Some(100)));
        assert_eq!(told(&found, 100), ("few".into(), None));
        assert_eq!(state(&found, at(100)).state.word(), "Expired");
    }

    #[test]
    fn one_that_is_not_valid_yet_is_none_and_says_from_when_on() {
        let found = Found { licences: vec![licence("soon", 10, 20, None)], ..Found::default() };
        let (why, until) = told(&found, 5);
        insta::assert_snapshot!(why, @"Secret soon, key licence: the licence of soon is not valid before 1970-01-01T00:00:10Z");
        assert_eq!(until, Some(10));
    }
}
