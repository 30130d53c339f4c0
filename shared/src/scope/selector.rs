//! A `metav1.LabelSelector`, checked once and asked often.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use thiserror::Error;

use crate::validity;

/// The whole `metav1.LabelSelector`: everything in it must hold (scope.md S03).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector(Vec<Requirement>);

/// One requirement. The rules are those of the API server: `NotIn` and `DoesNotExist` hold of an absent key, `In` and `Exists` do not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Requirement {
    In(String, BTreeSet<String>),
    NotIn(String, BTreeSet<String>),
    Exists(String),
    DoesNotExist(String),
}

/// Why a selector is refused: the field within it, and what would do.
#[derive(Error, Debug, PartialEq, Eq)]
pub enum SelectorError {
    /// There are four operators.
    #[error("{at}: {operator:?} is no operator; use In, NotIn, Exists or DoesNotExist")]
    Operator {
        /// The field.
        at: String,
        /// What it says.
        operator: String,
    },
    /// Nothing is in an empty set.
    #[error("{at}: {operator} needs values; list at least one, or use {instead}")]
    NoValues {
        /// The field.
        at: String,
        /// `In` or `NotIn`.
        operator: &'static str,
        /// What asks for the key alone.
        instead: &'static str,
    },
    /// Only sets have values.
    #[error("{at}: {operator} takes no values; remove them, or use {instead}")]
    Values {
        /// The field.
        at: String,
        /// `Exists` or `DoesNotExist`.
        operator: &'static str,
        /// What asks for values.
        instead: &'static str,
    },
    /// No label has such a key.
    #[error("{at}: {key:?} cannot be a label's key; write prefix/name or name, as it stands in a namespace's labels")]
    Key {
        /// The field.
        at: String,
        /// What it says.
        key: String,
    },
    /// No label has such a value.
    #[error("{at}: {value:?} cannot be a label's value; at most 63 letters, digits and inner -, _ or .")]
    Value {
        /// The field.
        at: String,
        /// What it says.
        value: String,
    },
}

impl Selector {
    /// Checks and compiles.
    ///
    /// # Errors
    /// The first thing that is wrong, with its field in `selector`.
    pub fn compile(selector: &LabelSelector) -> Result<Self, SelectorError> {
        let mut requirements = Vec::new();
        for (key, value) in selector.match_labels.iter().flatten() {
            let at = || format!("matchLabels[{key:?}]");
            check_key(key, || "matchLabels".to_owned())?;
            check_value(value, at)?;
            requirements.push(Requirement::In(key.clone(), [value.clone()].into()));
        }
        for (index, expression) in selector.match_expressions.iter().flatten().enumerate() {
            requirements.push(Requirement::compile(expression, index)?);
        }
        requirements.sort();
        requirements.dedup();
        Ok(Self(requirements))
    }

    /// Whether it picks whatever it is asked of.
    pub fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it picks an object with these labels.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.picks(|key| labels.get(key).map(String::as_str))
    }

    /// Whether it picks an object whose labels `get` looks up.
    pub fn picks<'a>(&self, get: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.0.iter().all(|requirement| match requirement {
            Requirement::In(key, values) => get(key).is_some_and(|value| values.contains(value)),
            Requirement::NotIn(key, values) => get(key).is_none_or(|value| !values.contains(value)),
            Requirement::Exists(key) => get(key).is_some(),
            Requirement::DoesNotExist(key) => get(key).is_none(),
        })
    }
}

impl Requirement {
    fn compile(expression: &LabelSelectorRequirement, index: usize) -> Result<Self, SelectorError> {
        let at = |field: &str| format!("matchExpressions[{index}].{field}");
        let LabelSelectorRequirement { key, operator, values } = expression;
        check_key(key, || at("key"))?;
        let values: BTreeSet<String> = values.iter().flatten().cloned().collect();
        for value in &values {
            check_value(value, || at("values"))?;
        }
        let key = key.clone();
        match (operator.as_str(), values.is_empty()) {
            ("In", false) => Ok(Self::In(key, values)),
            ("NotIn", false) => Ok(Self::NotIn(key, values)),
            ("Exists", true) => Ok(Self::Exists(key)),
            ("DoesNotExist", true) => Ok(Self::DoesNotExist(key)),
            ("In", true) => Err(SelectorError::NoValues { at: at("values"), operator: "In", instead: "Exists" }),
            ("NotIn", true) => {
                Err(SelectorError::NoValues { at: at("values"), operator: "NotIn", instead: "DoesNotExist" })
            }
            ("Exists", false) => Err(SelectorError::Values { at: at("values"), operator: "Exists", instead: "In" }),
            ("DoesNotExist", false) => {
                Err(SelectorError::Values { at: at("values"), operator: "DoesNotExist", instead: "NotIn" })
            }
            _ => Err(SelectorError::Operator { at: at("operator"), operator: operator.clone() }),
        }
    }
}

/// As `kubectl --selector` writes it.
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, requirement) in self.0.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "," })?;
            match requirement {
                Requirement::In(key, values) => write!(f, "{key} in ({})", listed(values))?,
                Requirement::NotIn(key, values) => write!(f, "{key} notin ({})", listed(values))?,
                Requirement::Exists(key) => f.write_str(key)?,
                Requirement::DoesNotExist(key) => write!(f, "!{key}")?,
            }
        }
        Ok(())
    }
}

fn listed(values: &BTreeSet<String>) -> String {
    values.iter().map(String::as_str).collect::<Vec<_>>().join(",")
}

fn check_key(key: &str, at: impl Fn() -> String) -> Result<(), SelectorError> {
    if validity::is_qualified_name(key) { Ok(()) } else { Err(SelectorError::Key { at: at(), key: key.to_owned() }) }
}

fn check_value(value: &str, at: impl Fn() -> String) -> Result<(), SelectorError> {
    if validity::is_label_value(value) {
        Ok(())
    } else {
        Err(SelectorError::Value { at: at(), value: value.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use kube::core::{Selector as Oracle, SelectorExt};
    use proptest::{collection, option, prelude::*, sample::select};

    use super::*;

    fn expression(key: &str, operator: &str, values: &[&str]) -> LabelSelectorRequirement {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        LabelSelectorRequirement { key: key.into(), operator: operator.into(), values: Some(values) }
    }

    fn refused(expression: LabelSelectorRequirement) -> String {
        let selector = LabelSelector { match_labels: None, match_expressions: Some(vec![expression]) };
        Selector::compile(&selector).unwrap_err().to_string()
    }

    #[test]
    fn s02_what_is_wrong_is_one_sentence_that_names_the_field() {
        insta::assert_snapshot!(refused(expression("a", "Equals", &["x"])), @r#"matchExpressions[0].operator: "Equals" is no operator; use In, NotIn, Exists or DoesNotExist"#);
        insta::assert_snapshot!(refused(expression("a", "In", &[])), @"matchExpressions[0].values: In needs values; list at least one, or use Exists");
        insta::assert_snapshot!(refused(expression("a", "NotIn", &[])), @"matchExpressions[0].values: NotIn needs values; list at least one, or use DoesNotExist");
        insta::assert_snapshot!(refused(expression("a", "Exists", &["x"])), @"matchExpressions[0].values: Exists takes no values; remove them, or use In");
        insta::assert_snapshot!(refused(expression("a b", "Exists", &[])), @r#"matchExpressions[0].key: "a b" cannot be a label's key; write prefix/name or name, as it stands in a namespace's labels"#);
        insta::assert_snapshot!(refused(expression("a", "In", &["x y"])), @r#"matchExpressions[0].values: "x y" cannot be a label's value; at most 63 letters, digits and inner -, _ or ."#);
        let labels = [("a".to_owned(), "-".to_owned())].into();
        let selector = LabelSelector { match_labels: Some(labels), match_expressions: None };
        insta::assert_snapshot!(Selector::compile(&selector).unwrap_err(), @r#"matchLabels["a"]: "-" cannot be a label's value; at most 63 letters, digits and inner -, _ or ."#);
    }

    fn requirement() -> impl Strategy<Value = LabelSelectorRequirement> {
        let values = collection::vec(select(vec!["x", "y", "z"]), 1..3);
        (select(vec!["a", "b", "c/d"]), select(vec!["In", "NotIn", "Exists", "DoesNotExist"]), values).prop_map(
            |(key, operator, values)| {
                let is_set = matches!(operator, "In" | "NotIn");
                expression(key, operator, if is_set { &values } else { &[] })
            },
        )
    }

    fn labels(of: usize) -> impl Strategy<Value = BTreeMap<String, String>> {
        let pair = (select(vec!["a", "b", "c/d"]), select(vec!["x", "y", "z"]));
        collection::vec(pair, 0..of).prop_map(|pairs| pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect())
    }

    proptest! {
        #[test]
        fn s03_every_requirement_must_hold_as_the_api_machinery_means_it(
            match_labels in option::of(labels(3)),
            match_expressions in option::of(collection::vec(requirement(), 0..4)),
            seen in labels(4),
        ) {
            let selector = LabelSelector { match_labels, match_expressions };
            let compiled = Selector::compile(&selector).unwrap();
            let oracle: Oracle = selector.try_into().unwrap();
            prop_assert_eq!(compiled.matches(&seen), oracle.matches(&seen), "{} on {:?}", compiled, seen);
        }
    }
}
