//! Cluster-scoped objects that two namespaces of one class would both claim.

use crate::class::CompiledItem;
use crate::finding::{Finding, Reason};
use crate::kinds::Scope;
use crate::path::FieldPath;
use crate::template::Variable;

/// Warns of a cluster-scoped object whose name is not made from its namespace's: the first namespace gets it, and in
/// every other one it is somebody else's (class.md C33).
pub(crate) fn warn(item: &CompiledItem<'_>, scope: Scope) -> Option<Finding> {
    if scope != Scope::ClusterScoped {
        return None;
    }
    let name = item.leaves().iter().find(|leaf| leaf.path.matches(&["metadata", "name"]));
    let own = name.is_some_and(|leaf| leaf.template.variables().any(|variable| *variable == Variable::NamespaceName));
    (!own).then(|| {
        let path = FieldPath::of(["metadata", "name"]);
        let message = "only one namespace can have this cluster-scoped object";
        item.item_ref().warning(Reason::InvalidManifest, &path, message, "put {{ .Namespace.Name }} into the name")
    })
}
