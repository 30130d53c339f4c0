//! The namespace that an item may name (class.md C14).

use serde_json::Value;

use crate::class::CompiledItem;
use crate::excerpt::excerpt;
use crate::finding::{Finding, Reason};
use crate::kinds::Scope;
use crate::path::FieldPath;

/// Refuses a namespace on a cluster-scoped kind.
pub(crate) fn check(item: &CompiledItem, scope: Scope) -> Option<Finding> {
    let named = item.manifest()["metadata"].get("namespace").is_some();
    (named && scope == Scope::ClusterScoped).then(|| {
        let message = format!("{} is cluster-scoped and has no namespace", item.gvk());
        item.item_ref().error(Reason::InvalidManifest, &path(), message, "remove the field")
    })
}

/// Refuses any namespace but the one that is rendered for.
pub(crate) fn check_rendered(item: &CompiledItem, rendered: &Value, target: &str) -> Option<Finding> {
    let named = rendered["metadata"].get("namespace")?.as_str().unwrap_or_default();
    (named != target).then(|| {
        let message = format!("{} is not the namespace {target}, which the class is rendered for", excerpt(named));
        let remedy = "remove the field, or write {{ .Namespace.Name }}";
        item.item_ref().error(Reason::RenderFailed, &path(), message, remedy)
    })
}

/// Warns of a namespace written out: the class can then serve no other.
pub(crate) fn warn(item: &CompiledItem, scope: Scope) -> Option<Finding> {
    if scope == Scope::ClusterScoped {
        return None;
    }
    let templated = item.leaves().iter().any(|leaf| leaf.path == path());
    let named = item.manifest()["metadata"].get("namespace")?.as_str().filter(|_| !templated)?;
    let message = format!("the class can serve the namespace {} alone", excerpt(named));
    Some(item.item_ref().warning(Reason::InvalidManifest, &path(), message, "remove the field"))
}

fn path() -> FieldPath {
    FieldPath::of(["metadata", "namespace"])
}
