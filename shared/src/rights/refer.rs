//! The roles that a binding of a class may turn out to bind.

use super::{Object, RBAC_GROUP, Right, Verb};
use crate::class::CompiledItem;
use crate::identity::Gvk;
use crate::manifest::Manifest;

/// What the API server lets a binding refer to.
const ROLES: [&str; 2] = ["ClusterRole", "Role"];

/// The right to bind the role that is named; all roles where a template names it, and both kinds where the kind is no constant.
pub(super) fn bound_roles(item: &CompiledItem<'_>) -> Vec<Right> {
    let name = field(item, "name");
    let kinds = field(item, "kind").map_or(ROLES.map(str::to_owned).to_vec(), |kind| vec![kind]);
    let bind = |kind: String| {
        let gvk = Gvk { group: RBAC_GROUP.to_owned(), version: item.gvk().version.clone(), kind };
        Right { object: Object::Kind { gvk, name: name.clone() }, verb: Verb::Bind }
    };
    kinds.into_iter().map(bind).collect()
}

/// A field of `roleRef`, where it is the same in every namespace. An empty name would be the right on all roles, too.
fn field(item: &CompiledItem<'_>, key: &str) -> Option<String> {
    let leaf = item.leaves().iter().find(|leaf| leaf.path.matches(&["roleRef", key]));
    let text = match leaf {
        Some(leaf) => leaf.template.constant(),
        None => item.manifest().text(&["roleRef", key]).map(str::to_owned),
    };
    text.filter(|text| !text.is_empty())
}
