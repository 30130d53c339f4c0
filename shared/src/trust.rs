//! Where tenants' input must not reach (class.md C19).
//!
//! Labels and annotations of a namespace are mostly the tenant's own. What grants rights, or is named in the cluster's
//! one room for names, is built only from what a tenant cannot choose. And no variable, guarded or not, makes somebody
//! a user or group of the system.

use serde_json::Value;

use crate::class::{CompiledItem, Leaf};
use crate::excerpt::excerpt;
use crate::finding::{Finding, Reason};
use crate::guarded::GuardedKeys;
use crate::kinds::Scope;
use crate::names::GUARDED_PREFIX;
use crate::template::Variable;

const RBAC_GROUP: &str = "rbac.authorization.k8s.io";
const SYSTEM: &str = "system:";

/// Variables in places that take only trusted ones.
///
/// A default does not make a variable trusted: a tenant can still set what it stands in for.
pub(crate) fn check(item: &CompiledItem<'_>, scope: Scope, guarded: &GuardedKeys) -> Vec<Finding> {
    let mut findings = Vec::new();
    for leaf in item.leaves() {
        if let Some(place) = trusted_place(item, scope, leaf) {
            for variable in leaf.template.variables().filter(|variable| !guarded.trusts(variable)) {
                let message = format!(
                    "{place} takes only .Namespace.Name, .Class.Name and guarded keys, and {variable} is none of these"
                );
                findings.push(item.item_ref().error(Reason::RenderFailed, &leaf.path, message, remedy(variable)));
            }
        }
    }
    findings
}

/// Names of the system that a template's own text begins, whatever the values.
pub(crate) fn system_prefixes(item: &CompiledItem<'_>) -> Vec<Finding> {
    let named = |leaf: &Leaf| system_name(item, leaf, &leaf.template.constant_prefix());
    item.leaves().iter().filter_map(named).collect()
}

/// Names of the system that a template became: `rendered` is the manifest with the values in it.
pub(crate) fn system_names(item: &CompiledItem<'_>, rendered: &Value) -> Vec<Finding> {
    let text = |leaf: &Leaf| leaf.path.find(rendered).and_then(Value::as_str).unwrap_or_default().to_owned();
    item.leaves().iter().filter_map(|leaf| system_name(item, leaf, &text(leaf))).collect()
}

/// The place of a leaf, in words, if it is one that takes only trusted variables.
fn trusted_place(item: &CompiledItem<'_>, scope: Scope, leaf: &Leaf) -> Option<&'static str> {
    let path = &leaf.path;
    let kind = item.gvk();
    if scope == Scope::ClusterScoped && path.matches(&["metadata", "name"]) {
        return Some("the name of a cluster-scoped object");
    }
    if kind.group != RBAC_GROUP {
        return None;
    }
    let is_cluster_role = kind.kind == "ClusterRole";
    [
        (path.starts_with(&["subjects"]), "a list of subjects"),
        (path.starts_with(&["roleRef"]), "a reference to a role"),
        (path.starts_with(&["rules"]), "a list of rules"),
        (path.starts_with(&["aggregationRule"]), "an aggregation rule"),
        (is_cluster_role && path.starts_with(&["metadata", "labels"]), "a label of a ClusterRole"),
    ]
    .into_iter()
    .find_map(|(here, place)| here.then_some(place))
}

/// A user or group that begins with `system:`, as subject or as one that a rule lets others impersonate.
fn system_name(item: &CompiledItem<'_>, leaf: &Leaf, text: &str) -> Option<Finding> {
    let names_somebody = item.gvk().group == RBAC_GROUP
        && (leaf.path.matches(&["subjects", "*", "name"]) || leaf.path.matches(&["rules", "*", "resourceNames", "*"]));
    // A constant is the author's own word, however it is written.
    if !names_somebody || !text.starts_with(SYSTEM) || leaf.template.constant().is_some() {
        return None;
    }
    let message = format!("{} is a user or group of the system, and comes from a variable", excerpt(text));
    let remedy = "write such names without variables; for a ServiceAccount use a subject of that kind";
    Some(item.item_ref().error(Reason::RenderFailed, &leaf.path, message, remedy))
}

fn remedy(variable: &Variable) -> String {
    match variable.key() {
        Some(key) => {
            format!(
                "use a key under {GUARDED_PREFIX}, which tenants cannot set, or have {key} put into policy.guardedKeys"
            )
        }
        None => "use .Namespace.Name".to_owned(),
    }
}
