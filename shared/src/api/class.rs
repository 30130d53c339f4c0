//! `NamespaceClass`: what an admin writes.

use std::{borrow::Cow, fmt, str::FromStr, time::Duration};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A set of manifests that every namespace labelled with this class's name gets, keeps, and loses when it leaves.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "nsclass.io",
    version = "v1alpha1",
    kind = "NamespaceClass",
    root = "NamespaceClass",
    plural = "namespaceclasses",
    shortname = "nsc",
    status = "ClassStatus",
    derive = "PartialEq",
    printcolumn(name = "Bound", type_ = "integer", json_path = ".status.namespaces.bound"),
    printcolumn(name = "Ready", type_ = "integer", json_path = ".status.namespaces.ready"),
    printcolumn(name = "Failing", type_ = "integer", json_path = ".status.namespaces.failing"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.metadata.name.size() <= 63")
        .message("metadata.name: a class name is a label value on namespaces, so it has at most 63 characters")
)]
#[serde(rename_all = "camelCase")]
pub struct ClassSpec {
    /// Raw manifests, one object each, with variables in their string values. Order does not matter.
    #[schemars(length(min = 1, max = 100))]
    pub resources: Vec<Item>,
    /// What to do with an object of an item's name that is there already and is not ours.
    #[serde(default)]
    pub adoption: Adoption,
    /// What to do when somebody changes a field that this class sets.
    #[serde(default)]
    pub drift: Drift,
    /// What becomes of the objects when a namespace leaves the class.
    #[serde(default)]
    pub on_delete: OnDelete,
    /// What to do when the API server refuses a change of an immutable field.
    #[serde(default)]
    pub immutable: Immutable,
    /// How long the objects stay after a namespace lost its class label, such as `60s`, `5m` or `1h30m`.
    #[serde(default)]
    pub opt_out_delay: OptOutDelay,
}

/// What to do with an object of an item's name that is not ours.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adoption {
    /// Leave it alone and report `NotOwned`.
    #[default]
    Refuse,
    /// Take it over. One that carries another namespace's or instance's marks is refused all the same.
    Adopt,
}

/// What to do when somebody changes a field that the class sets.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drift {
    /// Force our fields back.
    #[default]
    Repair,
    /// Say so, and leave the object as it is.
    Report,
    /// Leave the object as it is.
    Ignore,
}

/// What becomes of the objects when a namespace leaves the class.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDelete {
    /// They are deleted.
    #[default]
    Delete,
    /// They stay, without our marks.
    Orphan,
}

/// What to do when the API server refuses a change of an immutable field.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Immutable {
    /// Report `ImmutableField` and leave the object as it is.
    #[default]
    Report,
    /// Delete the object and create it anew. Never done to a kind that holds data.
    Recreate,
}

/// One manifest of a class, exactly as written.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(transparent)]
pub struct Item(pub Value);

impl JsonSchema for Item {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Item".into()
    }

    /// `preserve-unknown-fields` stands on the item and again on `metadata`: without the second the API server prunes labels
    /// and annotations silently, and `embedded-resource` would refuse templated labels (both measured on 1.36).
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A Kubernetes manifest. apiVersion, kind and metadata.name are required; the rest is kept as written.",
            "type": "object",
            "required": ["apiVersion", "kind", "metadata"],
            "x-kubernetes-preserve-unknown-fields": true,
            "properties": {
                "apiVersion": { "type": "string", "minLength": 1, "maxLength": 317 },
                "kind": { "type": "string", "minLength": 1, "maxLength": 63 },
                "metadata": {
                    "type": "object",
                    "required": ["name"],
                    "x-kubernetes-preserve-unknown-fields": true,
                    "properties": { "name": { "type": "string", "minLength": 1, "maxLength": 1024 } },
                },
            },
        })
    }
}

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

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "maxLength": 16, "pattern": "^([0-9]+h)?([0-9]+m)?([0-9]+s)?$", "minLength": 2 })
    }
}

/// Written by the controller alone.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ClassStatus {
    /// The `metadata.generation` that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// How many namespaces have this class. Counts only, never a list of names.
    #[serde(default)]
    pub namespaces: NamespaceCounts,
    /// `Accepted`: the class itself is sound. `Ready`: every namespace bound to it has what it says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}

/// Namespaces by what became of them.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamespaceCounts {
    /// Namespaces whose binding names this class.
    pub bound: u32,
    /// Of these, the ones whose binding is Ready.
    pub ready: u32,
    /// Of these, the ones whose binding is not.
    pub failing: u32,
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
