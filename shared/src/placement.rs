//! The namespace that an item may name (class.md C14).

use serde_json::Value;

use crate::class::CompiledItem;
use crate::excerpt::excerpt;
use crate::finding::{Finding, Reason};
use crate::kinds::Scope;
use crate::manifest::Manifest;
use crate::path::FieldPath;

/// Where a manifest names its namespace.
const NAMESPACE: [&str; 2] = ["metadata", "namespace"];

/// Refuses a namespace on a cluster-scoped kind.
pub(crate) fn check(item: &CompiledItem<'_>, scope: Scope) -> Option<Finding> {
    let named = item.manifest().has(&NAMESPACE);
    (named && scope == Scope::ClusterScoped).then(|| {
        let message = format!("{} is cluster-scoped and has no namespace", item.gvk());
        item.item_ref().error(Reason::InvalidManifest, &path(), message, "remove the field")
    })
}

/// Refuses any namespace but the one that is rendered for.
pub(crate) fn check_rendered(item: &CompiledItem<'_>, rendered: &Value, target: &str) -> Option<Finding> {
    let named = rendered["metadata"].get("namespace")?.as_str().unwrap_or_default();
    (named != target).then(|| {
        let message = format!("{} is not the namespace {target}, which the class is rendered for", excerpt(named));
        let remedy = "remove the field, or write {{ .Namespace.Name }}";
        item.item_ref().error(Reason::RenderFailed, &path(), message, remedy)
    })
}

/// Warns of a namespace written out: the class can then serve no other.
pub(crate) fn warn(item: &CompiledItem<'_>, scope: Scope) -> Option<Finding> {
    if scope == Scope::ClusterScoped {
        return None;
    }
    let named = item.manifest().text(&NAMESPACE)?;
    if item.leaves().iter().any(|leaf| leaf.path.matches(&NAMESPACE)) {
        return None;
    }
    let message = format!("the class can serve the namespace {} alone", excerpt(named));
    Some(item.item_ref().warning(Reason::InvalidManifest, &path(), message, "remove the field"))
}

fn path() -> FieldPath {
    FieldPath::of(NAMESPACE)
}
