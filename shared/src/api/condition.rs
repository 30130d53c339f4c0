//! Conditions after the API conventions: set by type, and only a change of `status` moves `lastTransitionTime`.
//! <https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md>

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use schemars::{Schema, SchemaGenerator, json_schema};

/// Longest message; the API server refuses more than 32 KiB, and nobody reads that.
const LONGEST_MESSAGE: usize = 1024;

/// What a condition says, without its bookkeeping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// `True`, `False`, or none for `Unknown`.
    pub status: Option<bool>,
    /// One CamelCase word.
    pub reason: String,
    /// A sentence for a person.
    pub message: String,
}

impl Assessment {
    /// The word in `status`.
    fn status_word(&self) -> &'static str {
        match self.status {
            Some(true) => "True",
            Some(false) => "False",
            None => "Unknown",
        }
    }
}

/// The condition of that type.
pub fn get_condition<'a>(conditions: &'a [Condition], kind: &str) -> Option<&'a Condition> {
    conditions.iter().find(|c| c.type_ == kind)
}

/// Writes what is new into `conditions`; returns whether anything but `observedGeneration` changed.
pub fn set_condition(
    conditions: &mut Vec<Condition>,
    kind: &str,
    verdict: &Assessment,
    generation: Option<i64>,
    now: Timestamp,
) -> bool {
    let status = verdict.status_word();
    let message = bounded(&verdict.message);
    if let Some(there) = conditions.iter_mut().find(|c| c.type_ == kind) {
        let changed = there.status != status || there.reason != verdict.reason || there.message != message;
        if there.status != status {
            there.last_transition_time = Time(now);
        }
        status.clone_into(&mut there.status);
        there.reason.clone_from(&verdict.reason);
        there.message = message;
        there.observed_generation = generation;
        return changed;
    }
    conditions.push(Condition {
        type_: kind.to_owned(),
        status: status.to_owned(),
        reason: verdict.reason.clone(),
        message,
        observed_generation: generation,
        last_transition_time: Time(now),
    });
    true
}

/// Most conditions that one object has.
pub(super) const MAX_CONDITIONS: usize = 16;

/// The schema of a list of conditions. The one that comes with [`Condition`] has none of the limits that the API conventions give it
/// (they are comments for a generator there), and its descriptions speak to who writes a controller.
pub(super) fn conditions_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "maxItems": MAX_CONDITIONS,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "description": "One aspect of the state, as of lastTransitionTime.",
            "type": "object",
            "required": ["type", "status", "reason", "message", "lastTransitionTime"],
            "properties": {
                "type": {
                    "description": "Which aspect.",
                    "type": "string", "minLength": 1, "maxLength": 316,
                },
                "status": {
                    "description": "True, False, or Unknown.",
                    "type": "string", "enum": ["True", "False", "Unknown"],
                },
                "reason": {
                    "description": "Why, in one CamelCase word for programs.",
                    "type": "string", "minLength": 1, "maxLength": 1024,
                    "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
                },
                "message": {
                    "description": "Why, and what to do about it, in a sentence.",
                    "type": "string", "maxLength": 32768,
                },
                "lastTransitionTime": {
                    "description": "When status last changed; reason and message may have changed since.",
                    "type": "string", "format": "date-time",
                },
                "observedGeneration": {
                    "description": "The metadata.generation that the condition speaks of.",
                    "type": "integer", "format": "int64", "minimum": 0,
                },
            },
        },
    })
}

/// Cuts at a character boundary and says that it did.
fn bounded(message: &str) -> String {
    if message.len() <= LONGEST_MESSAGE {
        return message.to_owned();
    }
    let end = (0..=LONGEST_MESSAGE).rev().find(|&i| message.is_char_boundary(i)).unwrap_or(0);
    format!("{}…", &message[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(status: bool, reason: &str) -> Assessment {
        Assessment { status: Some(status), reason: reason.into(), message: "m".into() }
    }

    #[test]
    fn only_a_change_of_status_moves_the_transition_time() {
        let (t1, t2, t3) =
            (Timestamp::from_second(1).unwrap(), Timestamp::from_second(2).unwrap(), Timestamp::UNIX_EPOCH);
        let mut conditions = vec![];
        assert!(set_condition(&mut conditions, "Ready", &verdict(false, "A"), Some(1), t1));
        assert!(set_condition(&mut conditions, "Ready", &verdict(false, "B"), Some(1), t2));
        assert_eq!(conditions[0].last_transition_time.0, t1);
        assert!(!set_condition(&mut conditions, "Ready", &verdict(false, "B"), Some(2), t3));
        assert_eq!(conditions[0].observed_generation, Some(2));
        assert!(set_condition(&mut conditions, "Ready", &verdict(true, "C"), Some(2), t3));
        assert_eq!(conditions[0].last_transition_time.0, t3);
        assert_eq!(conditions.len(), 1);
    }

    #[test]
    fn a_message_is_bounded_at_a_character() {
        let cut = bounded(&"é".repeat(4000));
        assert!(cut.len() <= LONGEST_MESSAGE + '…'.len_utf8() && cut.ends_with('…'));
    }
}
