//! How long objects outlive the class label of their namespace.

use std::{borrow::Cow, fmt, str::FromStr, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// How long objects stay after the class label went. Written like Go's durations, in whole seconds, at most 30 days.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(try_from = "String", into = "String")]
pub struct OptOutDelay(pub Duration);

/// Longest delay that [`OptOutDelay`] accepts.
const LONGEST_DELAY: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Why a delay was refused.
#[derive(thiserror::Error, Debug, PartialEq, Eq)]
#[error("{0:?} is not a delay: write whole hours, minutes and seconds in that order, such as 90s or 1h30m, up to 720h")]
pub struct BadDelay(String);

impl Default for OptOutDelay {
    fn default() -> Self {
        Self(Duration::from_secs(60))
    }
}

impl FromStr for OptOutDelay {
    type Err = BadDelay;

    fn from_str(text: &str) -> Result<Self, BadDelay> {
        let bad = || BadDelay(text.to_owned());
        let mut rest = text;
        let mut total = 0_u64;
        for (unit, seconds) in [('h', 3600), ('m', 60), ('s', 1)] {
            if let Some((digits, after)) = rest.split_once(unit) {
                if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(bad());
                }
                let count: u64 = digits.parse().map_err(|_| bad())?;
                total = count.checked_mul(seconds).and_then(|s| total.checked_add(s)).ok_or_else(bad)?;
                rest = after;
            }
        }
        let delay = Duration::from_secs(total);
        if text.is_empty() || !rest.is_empty() || delay > LONGEST_DELAY {
            return Err(bad());
        }
        Ok(Self(delay))
    }
}

impl TryFrom<String> for OptOutDelay {
    type Error = BadDelay;

    fn try_from(text: String) -> Result<Self, BadDelay> {
        text.parse()
    }
}

impl fmt::Display for OptOutDelay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if h > 0 {
            write!(f, "{h}h")?;
        }
        if m > 0 {
            write!(f, "{m}m")?;
        }
        if s > 0 || seconds == 0 {
            write!(f, "{s}s")?;
        }
        Ok(())
    }
}

impl From<OptOutDelay> for String {
    fn from(delay: OptOutDelay) -> Self {
        delay.to_string()
    }
}

impl JsonSchema for OptOutDelay {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "OptOutDelay".into()
    }

    /// In CEL rather than as a `pattern`, because only CEL can hold the upper bound and answer with a sentence; a pattern beside it
    /// would answer first. The digits are bounded so that no sum overflows CEL's durations, which would be an error without our words.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "maxLength": 16,
            "x-kubernetes-validations": [{
                "rule": "self.matches('^([0-9]{1,3}h)?([0-9]{1,5}m)?([0-9]{1,7}s)?$') && self != '' && duration(self) <= duration('720h')",
                "message": "write whole hours, minutes and seconds in that order, such as 90s or 1h30m, up to 720h",
            }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_reads_like_a_go_duration_and_prints_back() {
        for (text, seconds, printed) in
            [("60s", 60, "1m"), ("90s", 90, "1m30s"), ("1h30m", 5400, "1h30m"), ("0s", 0, "0s"), ("2h5s", 7205, "2h5s")]
        {
            let delay: OptOutDelay = text.parse().unwrap();
            assert_eq!(delay.0.as_secs(), seconds, "{text}");
            assert_eq!(delay.to_string(), printed);
        }
    }

    #[test]
    fn a_delay_that_cannot_be_meant_is_refused() {
        for text in
            ["", "s", "5", "1s1m", "-5s", "1.5h", "5 s", "99999999999999999999s", "721h", "18446744073709551615h"]
        {
            assert!(text.parse::<OptOutDelay>().is_err(), "{text:?}");
        }
    }
}
