//! How long a commit waits for more.

use std::{borrow::Cow, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{BadDelay, OptOutDelay};

/// Longest window: what is changed should be seen in Git while somebody remembers it.
const LONGEST: Duration = Duration::from_secs(600);

/// How long a commit waits after the last change of its author. Written like Go's durations, in whole seconds, at most ten minutes.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(try_from = "String", into = "String")]
pub struct CommitWindow(pub Duration);

/// Why a window was refused.
#[derive(thiserror::Error, Debug, PartialEq, Eq)]
pub enum BadWindow {
    /// It is no duration.
    #[error(transparent)]
    NoDuration(#[from] BadDelay),
    /// It is too long.
    #[error("{0} is too long for the window of a commit: at most 10m")]
    TooLong(String),
}

impl Default for CommitWindow {
    fn default() -> Self {
        Self(Duration::from_secs(5))
    }
}

impl TryFrom<String> for CommitWindow {
    type Error = BadWindow;

    fn try_from(text: String) -> Result<Self, BadWindow> {
        let OptOutDelay(window) = text.parse()?;
        if window > LONGEST { Err(BadWindow::TooLong(text)) } else { Ok(Self(window)) }
    }
}

impl From<CommitWindow> for String {
    fn from(window: CommitWindow) -> Self {
        OptOutDelay(window.0).to_string()
    }
}

impl JsonSchema for CommitWindow {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "CommitWindow".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "maxLength": 8,
            "x-kubernetes-validations": [{
                "rule": "self.matches('^([0-9]{1,2}m)?([0-9]{1,3}s)?$') && self != '' && duration(self) <= duration('10m')",
                "message": "write whole minutes and seconds in that order, such as 5s or 1m30s, up to 10m",
            }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_a_duration_of_at_most_ten_minutes_and_prints_back() {
        let read = |text: &str| CommitWindow::try_from(text.to_owned());
        for (text, printed) in [("5s", "5s"), ("0s", "0s"), ("1m30s", "1m30s"), ("10m", "10m"), ("90s", "1m30s")] {
            assert_eq!(String::from(read(text).unwrap()), printed);
        }
        assert_eq!(read("11m").unwrap_err().to_string(), "11m is too long for the window of a commit: at most 10m");
        assert!(matches!(read("5").unwrap_err(), BadWindow::NoDuration(_)));
    }
}
