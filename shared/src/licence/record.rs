//! What the leader writes down of the gate, in one `ConfigMap` of the operator's namespace.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{GateMode, State};

/// Key of the [`Record`] in its `ConfigMap`.
pub const RECORD_KEY: &str = "record";
/// Key of what is [`Shown`] in the same.
pub const SHOWN_KEY: &str = "shown";

/// What every replica and every restart goes by. Times only ever narrow the set: of two first starts the earlier counts, of two times
/// that were seen the later.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    /// When the gate was first on here.
    pub first_start: Option<Timestamp>,
    /// What the clock showed when a licence was last seen to expire, so that it does not do so twice.
    pub expired_seen: Option<Timestamp>,
}

impl Record {
    /// With what a state at a moment shows, where that is new: the first look at an expired licence, also by a process that never saw it
    /// valid.
    #[must_use]
    pub fn with_state(self, state: &State, now: Timestamp) -> Self {
        let State::Expired(licence) = state else { return self };
        let is_known = self.expired_seen.is_some_and(|seen| seen >= licence.terms.expiry);
        if is_known {
            self
        } else {
            self.with(Self { first_start: None, expired_seen: Some(now.max(licence.terms.expiry)) })
        }
    }

    /// Both together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        let earlier = |a: Option<Timestamp>, b: Option<Timestamp>| a.into_iter().chain(b).min();
        Self {
            first_start: earlier(self.first_start, other.first_start),
            expired_seen: self.expired_seen.max(other.expired_seen),
        }
    }
}

/// What the leader shows beside the record, for `nsclass licence show` and people.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct Shown {
    /// The configuration in force.
    pub mode: GateMode,
    /// Of the configuration.
    pub public_keys: Vec<String>,
    /// `Valid`, `Expired` or `Absent`.
    pub state: String,
    /// A sentence about it.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earlier_first_start_and_the_later_expiry_count() {
        let at = |second| Some(Timestamp::from_second(second).unwrap());
        let (a, b) =
            (Record { first_start: at(5), expired_seen: None }, Record { first_start: at(3), expired_seen: at(9) });
        let both = Record { first_start: at(3), expired_seen: at(9) };
        assert_eq!((a.with(b), b.with(a), a.with(Record::default())), (both, both, a));
    }
}
