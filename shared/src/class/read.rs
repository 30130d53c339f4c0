//! The spec of a class, decoded by the controller and by admission alike (admission.md A04).

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::CompiledClass;
use crate::api::{Adoption, ClassSpec, Drift, Immutable, OnDelete, OptOutDelay};
use crate::json::Json;

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
pub struct ReadClass<'t> {
    /// Its settings; `resources` is empty, because the items are in `compiled`.
    pub spec: ClassSpec,
    /// Its items.
    pub compiled: CompiledClass<'t>,
}

/// A [`ClassSpec`] whose items borrow the text that it is read from.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Spec<'t> {
    #[serde(borrow)]
    resources: Vec<Json<'t>>,
    #[serde(default)]
    adoption: Adoption,
    #[serde(default)]
    drift: Drift,
    #[serde(default)]
    on_delete: OnDelete,
    #[serde(default)]
    immutable: Immutable,
    #[serde(default)]
    opt_out_delay: OptOutDelay,
}

impl ReadClass<'static> {
    /// Reads the value of `spec`.
    ///
    /// # Errors
    /// It is no spec of a class.
    pub fn of_value(name: &str, spec: Value) -> Result<Self, Unreadable> {
        let mut spec: ClassSpec = serde_json::from_value(spec).map_err(|error| Unreadable(error.to_string()))?;
        let items = std::mem::take(&mut spec.resources);
        let compiled = CompiledClass::of_values(name, items.iter().map(|item| &item.0)).held_to(spec.immutable);
        Ok(Self { spec, compiled })
    }
}

impl<'t> ReadClass<'t> {
    /// Reads the JSON text of `spec`: the same as [`ReadClass::of_value`] of the parsed text, without copies.
    ///
    /// # Errors
    /// It is no spec of a class, or is nested deeper than can be read.
    pub fn of_text(name: &str, spec: &'t str) -> Result<Self, Unreadable> {
        // What fails here is read again as a value: that verdict counts, and its text has no place in a line of JSON.
        serde_json::from_str(spec).map(|spec| Self::of_spec(name, spec)).or_else(|_| {
            let value = serde_json::from_str(spec).map_err(|error| Unreadable(error.to_string()))?;
            ReadClass::of_value(name, value)
        })
    }

    /// The class of a spec that was read as part of a larger text. Where that failed, [`Self::of_text`] of the part says why.
    pub fn of_spec(name: &str, spec: Spec<'t>) -> Self {
        let Spec { resources, adoption, drift, on_delete, immutable, opt_out_delay } = spec;
        let compiled = CompiledClass::of_items(name, resources).held_to(immutable);
        let spec = ClassSpec { resources: Vec::new(), adoption, drift, on_delete, immutable, opt_out_delay };
        Self { spec, compiled }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::testing::json_value;

    #[test]
    fn a06_what_cannot_be_decoded_is_one_sentence_that_names_the_field() {
        let refused = |spec: Value| ReadClass::of_text("std", &spec.to_string()).unwrap_err().to_string();
        insta::assert_snapshot!(refused(json!({ "resources": [], "drift": "Mend" })), @"spec: unknown variant `Mend`, expected one of `Repair`, `Report`, `Ignore`; correct the class");
        insta::assert_snapshot!(refused(json!({})), @"spec: missing field `resources`; correct the class");
        insta::assert_snapshot!(refused(json!({ "resources": [], "optOutDelay": "soon" })), @r#"spec: "soon" is not a delay: write whole hours, minutes and seconds in that order, such as 90s or 1h30m, up to 720h; correct the class"#);
    }

    proptest! {
        #[test]
        fn a04_admission_and_the_controller_read_every_spec_alike(
            items in proptest::collection::vec(json_value(), 0..3),
            fields in proptest::collection::btree_map("adoption|drift|onDelete|immutable|optOutDelay|else", "Adopt|Repair|Delete|Report|60s|[a-z]{3}", 0..4),
        ) {
            let mut spec = json!(fields);
            spec["resources"] = json!(items);
            let text = spec.to_string();
            let (value, text) = (ReadClass::of_value("std", spec), ReadClass::of_text("std", &text));
            let seen = |read: Result<ReadClass<'_>, Unreadable>| {
                read.map(|class| (class.spec, class.compiled.findings().to_vec(), format!("{:?}", class.compiled.items())))
            };
            prop_assert_eq!(seen(value), seen(text));
        }
    }
}
