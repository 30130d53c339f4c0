//! A class, read once.
//!
//! [`CompiledClass`] is what admission reports on ([`crate::validate`]) and what the controller renders from
//! ([`crate::render`]), so that what the one accepts the other accepts (admission.md A04), and so that a class of
//! 10,000 namespaces is parsed once.

mod item;
mod leaves;
mod metadata;
mod read;
mod recreate;

use serde_json::Value;

pub use item::{CompiledItem, Leaf};
pub(crate) use item::{bad_name, too_large};
pub use read::{ReadClass, Spec, Unreadable};

use crate::budget::{MAX_CLASS_BYTES, MAX_ITEMS, MAX_LEVELS, MAX_OBJECT_BYTES};
use crate::duplicates;
use crate::excerpt::excerpt;
use crate::finding::{Finding, Reason};
use crate::json::Json;
use crate::path::FieldPath;

/// The longest name of a class: it becomes the value of a label (class.md C06).
pub const MAX_CLASS_NAME: usize = 63;

/// A class with its templates parsed, and all that can be said about it from its text alone. It lives as long as the text that it was
/// read from, or, where it was read from values, as long as it is kept.
#[derive(Debug, Clone)]
pub struct CompiledClass<'t> {
    name: String,
    items: Vec<CompiledItem<'t>>,
    findings: Vec<Finding>,
}

impl CompiledClass<'static> {
    /// Reads the items of a class. What is wrong with them is kept, not lost: [`CompiledClass::findings`].
    pub fn compile(name: &str, resources: &[Value]) -> Self {
        Self::of_values(name, resources.iter())
    }

    fn of_values<'v>(name: &str, resources: impl Iterator<Item = &'v Value>) -> Self {
        Self::of_items(name, resources.map(|resource| Json::copied(resource, MAX_LEVELS)).collect())
    }
}

impl<'t> CompiledClass<'t> {
    fn of_items(name: &str, resources: Vec<Json<'t>>) -> Self {
        let mut findings = Vec::new();
        if name.len() > MAX_CLASS_NAME {
            findings.push(Finding::of_class(
                Reason::ClassInvalid,
                &FieldPath::of(["metadata", "name"]),
                format!(
                    "{} has more than {MAX_CLASS_NAME} characters, and becomes the value of a label",
                    excerpt(name)
                ),
                "choose a shorter name",
            ));
        }
        let resources_path = FieldPath::of(["spec", "resources"]);
        let count = resources.len();
        if count == 0 || count > MAX_ITEMS {
            findings.push(Finding::of_class(
                Reason::RenderFailed,
                &resources_path,
                format!("{count} items, and a class has 1 to {MAX_ITEMS}"),
                if count == 0 { "give it an item" } else { "split the class" },
            ));
        }
        let (mut items, mut bytes) = (Vec::with_capacity(count), 0);
        // Counting exactly takes a look at every byte, and hardly any class comes near a limit.
        let counted = resources.iter().map(Json::most_bytes).sum::<usize>() > MAX_OBJECT_BYTES;
        for (index, resource) in resources.into_iter().enumerate() {
            let outcome = item::compile(index, resource, counted);
            bytes += outcome.bytes;
            items.extend(outcome.item);
            findings.extend(outcome.findings);
        }
        if bytes > MAX_CLASS_BYTES {
            findings.push(too_many_bytes(bytes));
        }
        let names = items.iter().filter_map(|item: &CompiledItem<'_>| Some((item.static_key()?, item.item_ref())));
        findings.extend(duplicates::find(names));
        findings.sort_by_key(|finding| finding.item.as_ref().map(|item| item.index));
        Self { name: name.to_owned(), items, findings }
    }

    /// Name of the class.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The items that could be read, in the order of the class. Some are missing only where there are findings.
    pub fn items(&self) -> &[CompiledItem<'t>] {
        &self.items
    }

    /// What is wrong with the class whatever the namespace, the policy and the kinds of the cluster: first what
    /// concerns the whole, then item by item.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// The finding about a class of too many bytes, as written or as rendered.
pub(crate) fn too_many_bytes(bytes: usize) -> Finding {
    Finding::of_class(
        Reason::RenderFailed,
        &FieldPath::of(["spec", "resources"]),
        format!("{bytes} bytes in all, and a class has at most {MAX_CLASS_BYTES}"),
        "split the class",
    )
}

#[cfg(test)]
mod tests;
