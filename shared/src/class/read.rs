//! The spec of a class, decoded by the controller and by admission alike (admission.md A04).

use std::borrow::Cow;

use serde_json::Value;
use thiserror::Error;

use super::CompiledClass;
use crate::api::ClassSpec;

/// The spec cannot be decoded. A class that was stored before a rule existed can be so (admission.md A06).
#[derive(Error, Debug, Clone, PartialEq, Eq)]
#[error("spec: {0}; correct the class")]
pub struct Unreadable(String);

impl Unreadable {
    /// What is wrong, without place and remedy.
    pub fn why(&self) -> &str {
        &self.0
    }
}

/// A class, decoded and compiled.
#[derive(Debug, Clone)]
pub struct ReadClass {
    /// Its settings; `resources` is empty, because the items are in `compiled`.
    pub spec: ClassSpec,
    /// Its items.
    pub compiled: CompiledClass,
}

impl ReadClass {
    /// Reads the value of `spec`.
    ///
    /// # Errors
    /// It is no spec of a class.
    pub fn of_value(name: &str, spec: Value) -> Result<Self, Unreadable> {
        serde_json::from_value(spec)
            .map(|spec| Self::of_spec(name, spec))
            .map_err(|error| Unreadable(error.to_string()))
    }

    /// Reads the JSON text of `spec`: the same as [`Self::of_value`] of the parsed text, with fewer copies.
    ///
    /// # Errors
    /// It is no spec of a class, or is nested deeper than can be read.
    pub fn of_text(name: &str, spec: &str) -> Result<Self, Unreadable> {
        // What fails here is read again as a value: that verdict counts, and its text has no place in a line of JSON.
        serde_json::from_str(spec).map(|spec| Self::of_spec(name, spec)).or_else(|_| {
            let value = serde_json::from_str(spec).map_err(|error| Unreadable(error.to_string()))?;
            Self::of_value(name, value)
        })
    }

    fn of_spec(name: &str, mut spec: ClassSpec) -> Self {
        let items = std::mem::take(&mut spec.resources).into_iter().map(|item| Cow::Owned(item.0));
        let compiled = CompiledClass::of_items(name, items).held_to(spec.immutable);
        Self { spec, compiled }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a06_what_cannot_be_decoded_is_one_sentence_that_names_the_field() {
        let refused = |spec: Value| ReadClass::of_text("std", &spec.to_string()).unwrap_err().to_string();
        insta::assert_snapshot!(refused(json!({ "resources": [], "drift": "Mend" })), @"spec: unknown variant `Mend`, expected one of `Repair`, `Report`, `Ignore`; correct the class");
        insta::assert_snapshot!(refused(json!({})), @"spec: missing field `resources`; correct the class");
        insta::assert_snapshot!(refused(json!({ "resources": [], "optOutDelay": "soon" })), @r#"spec: "soon" is not a delay: write whole hours, minutes and seconds in that order, such as 90s or 1h30m, up to 720h; correct the class"#);
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(|b| json!(b)),
            any::<i64>().prop_map(|n| json!(n)),
            "[a-z{}. |\"<\\\\]{0,12}".prop_map(|text| json!(text)),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a-z]{1,6}", inner, 0..4).prop_map(|map| json!(map)),
            ]
        })
    }

    proptest! {
        #[test]
        fn a04_admission_and_the_controller_read_every_spec_alike(
            items in proptest::collection::vec(json_value(), 0..3),
            fields in proptest::collection::btree_map("adoption|drift|onDelete|immutable|optOutDelay|else", "Adopt|Repair|Delete|Report|60s|[a-z]{3}", 0..4),
        ) {
            let mut spec = json!(fields);
            spec["resources"] = json!(items);
            let (value, text) = (ReadClass::of_value("std", spec.clone()), ReadClass::of_text("std", &spec.to_string()));
            let seen = |read: Result<ReadClass, Unreadable>| {
                read.map(|class| (class.spec, class.compiled.findings().to_vec(), format!("{:?}", class.compiled.items())))
            };
            prop_assert_eq!(seen(value), seen(text));
        }
    }
}
