//! Two items that are one object (class.md C17).

use std::collections::BTreeMap;

use crate::finding::{Finding, ItemRef, Reason};
use crate::path::FieldPath;

/// One finding for each item whose key an earlier item has.
///
/// All namespaced objects of a class go to one namespace, and a kind is namespaced or it is not, so kind without
/// version and name are the identity here.
pub(crate) fn find<'i, K: Ord>(items: impl Iterator<Item = (K, &'i ItemRef)>) -> Vec<Finding> {
    let mut first: BTreeMap<K, &ItemRef> = BTreeMap::new();
    let mut findings = Vec::new();
    for (key, item) in items {
        match first.get(&key) {
            None => {
                first.insert(key, item);
            }
            Some(earlier) => {
                let message = format!("is the same object as {} ({})", earlier.root(), earlier.label);
                let remedy = "take one of the two out, or give it another name";
                findings.push(item.error(Reason::DuplicateResource, &FieldPath::default(), message, remedy));
            }
        }
    }
    findings
}
