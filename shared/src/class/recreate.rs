//! `immutable: Recreate` and kinds that hold data (class.md C48).

use super::{CompiledClass, CompiledItem};
use crate::api::Immutable;
use crate::finding::{Finding, Reason};
use crate::path::FieldPath;

impl CompiledClass<'_> {
    /// Adds what the settings of the spec forbid its items.
    pub(super) fn held_to(mut self, immutable: Immutable) -> Self {
        if immutable == Immutable::Recreate {
            self.findings.extend(self.items.iter().filter_map(refuse));
            self.findings.sort_by_key(|finding| finding.item.as_ref().map(|item| item.index));
        }
        self
    }
}

/// Deleting such an object to change a field of it would delete what no manifest brings back.
fn refuse(item: &CompiledItem<'_>) -> Option<Finding> {
    let kind = item.gvk().group_kind();
    kind.holds_data().then(|| {
        let message =
            format!("a {} holds data, and the class says immutable: Recreate, which would delete it", kind.kind);
        let remedy = "set immutable: Report, or put the item into a class of its own";
        item.item_ref().error(Reason::ClassInvalid, &FieldPath::of(["kind"]), message, remedy)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::class::ReadClass;
    use crate::finding::sentences;

    #[test]
    fn c48_a_class_that_recreates_may_not_hold_what_holds_data() {
        let item =
            |version: &str, kind: &str| json!({ "apiVersion": version, "kind": kind, "metadata": { "name": "x" } });
        let findings = |items: &[Value], immutable: &str| {
            let class = ReadClass::of_value("std", json!({ "resources": items, "immutable": immutable })).unwrap();
            sentences(class.compiled.findings())
        };
        let items = [
            item("v1", "ConfigMap"),
            item("v1", "PersistentVolumeClaim"),
            item("v1", "Namespace"),
            item("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
            item("example.com/v1", "PersistentVolumeClaim"),
        ];
        assert_eq!(findings(&items, "Report"), "");
        insta::assert_snapshot!(findings(&items[..2], "Recreate"), @"spec.resources[1].kind (v1/PersistentVolumeClaim x): a PersistentVolumeClaim holds data, and the class says immutable: Recreate, which would delete it; set immutable: Report, or put the item into a class of its own");
        assert_eq!(findings(&items, "Recreate").matches("holds data").count(), 3);
    }
}
