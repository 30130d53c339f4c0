//! Rights that roles grant, one by one, held against what was asked for: a right that nobody used is one too many.

use std::fmt;

use anyhow::{Context, Result};
use k8s_openapi::api::rbac::v1::{PolicyRule, RoleRef, Subject};
use serde::Deserialize;
use serde_json::Value;

use super::{Request, Requests};

/// What the server answers to a request that made an object.
const CREATED: u16 = 201;

/// One verb on one resource, for one `ServiceAccount`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// `system:serviceaccount:NAMESPACE:NAME`.
    pub user: String,
    /// The role that grants it.
    pub role: String,
    /// Where; everywhere if empty.
    pub namespace: String,
    /// As kubectl spells it: `configmaps`, `networkpolicies.networking.k8s.io`.
    pub resource: String,
    /// `status`, for instance; mostly empty.
    pub subresource: String,
    /// On which object; on all if empty.
    pub name: String,
    /// The verb.
    pub verb: String,
}

impl Grant {
    /// Whether a request needed it. An apply that made an object is a patch, and needed the right to create as well.
    pub fn is_used_by(&self, request: &Request) -> bool {
        let is_within = |mine: &str, theirs: &str| mine.is_empty() || mine == theirs;
        let made = request.verb == "patch" && request.code == CREATED;
        self.user == request.user
            && (self.verb == request.verb || self.verb == "create" && made)
            && self.resource == request.resource
            && self.subresource == request.subresource
            && is_within(&self.namespace, &request.namespace)
            && is_within(&self.name, &request.name)
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { user, role, namespace, resource, subresource, name, verb } = self;
        write!(f, "{role}: {verb} {resource}")?;
        let parts = [subresource, namespace, name].into_iter().filter(|part| !part.is_empty());
        parts.into_iter().try_for_each(|part| write!(f, "/{part}"))?;
        write!(f, " for {user}")
    }
}

/// Those that no request used.
pub fn unused<'a>(grants: &'a [Grant], requests: &Requests) -> Vec<&'a Grant> {
    grants.iter().filter(|grant| !requests.iter().any(|request| grant.is_used_by(request))).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Binding {
    role_ref: RoleRef,
    #[serde(default)]
    subjects: Vec<Subject>,
}

/// Everything that the roles among `documents` grant to `ServiceAccount`s by the bindings among them, aggregated roles included.
///
/// # Errors
/// When a binding is for a role that is not there, or a document is not what its kind says.
pub fn granted(documents: &[Value]) -> Result<Vec<Grant>> {
    let mut grants = Vec::new();
    for document in documents.iter().filter(|it| it["kind"] == "RoleBinding" || it["kind"] == "ClusterRoleBinding") {
        let binding: Binding = serde_json::from_value(document.clone())?;
        let namespace = document["metadata"]["namespace"].as_str().unwrap_or_default();
        let role = &binding.role_ref;
        let is_it = |it: &&Value| {
            it["kind"] == *role.kind
                && it["metadata"]["name"] == *role.name
                && (role.kind == "ClusterRole" || it["metadata"]["namespace"] == namespace)
        };
        let found = documents.iter().find(is_it).with_context(|| format!("there is no {} {}", role.kind, role.name))?;
        for rule in rules(found, documents)? {
            for subject in binding.subjects.iter().filter(|subject| subject.kind == "ServiceAccount") {
                let user = format!(
                    "system:serviceaccount:{}:{}",
                    subject.namespace.as_deref().unwrap_or_default(),
                    subject.name
                );
                grants.extend(one_by_one(&rule, &user, &role.name, namespace));
            }
        }
    }
    grants.sort();
    grants.dedup();
    Ok(grants)
}

/// A role's own rules, and those of the roles that its selectors pick.
fn rules(role: &Value, documents: &[Value]) -> Result<Vec<PolicyRule>> {
    let of = |role: &Value| -> Result<Vec<PolicyRule>> {
        let rules = role["rules"].clone();
        Ok(if rules.is_null() { Vec::new() } else { serde_json::from_value(rules)? })
    };
    let mut all = of(role)?;
    for selector in role["aggregationRule"]["clusterRoleSelectors"].as_array().into_iter().flatten() {
        let wanted = selector["matchLabels"].as_object().into_iter().flatten().collect::<Vec<_>>();
        let is_picked = |it: &&Value| {
            it["kind"] == "ClusterRole"
                && wanted.iter().all(|(key, value)| it["metadata"]["labels"][key.as_str()] == **value)
        };
        for picked in documents.iter().filter(is_picked) {
            all.extend(of(picked)?);
        }
    }
    Ok(all)
}

fn one_by_one(rule: &PolicyRule, account: &str, of: &str, namespace: &str) -> Vec<Grant> {
    let every = vec![String::new()];
    let names = rule.resource_names.as_ref().filter(|names| !names.is_empty()).unwrap_or(&every);
    let mut grants = Vec::new();
    for group in rule.api_groups.iter().flatten() {
        for resource in rule.resources.iter().flatten() {
            let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
            let resource = if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") };
            for (verb, name) in rule.verbs.iter().flat_map(|verb| names.iter().map(move |name| (verb, name))) {
                grants.push(Grant {
                    user: account.to_owned(),
                    role: of.to_owned(),
                    namespace: namespace.to_owned(),
                    resource: resource.clone(),
                    subresource: subresource.to_owned(),
                    name: name.clone(),
                    verb: verb.clone(),
                });
            }
        }
    }
    grants
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENTS: &str = "
- { kind: Role, metadata: { name: r, namespace: ops }, rules: [{ apiGroups: [''], resources: [secrets], resourceNames: [a, b], verbs: [get] }] }
- { kind: Role, metadata: { name: r, namespace: other }, rules: [{ apiGroups: [''], resources: [pods], verbs: [get] }] }
- { kind: ClusterRole, metadata: { name: sum }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { add: 'true' } }] } }
- { kind: ClusterRole, metadata: { name: part, labels: { add: 'true' } }, rules: [{ apiGroups: [apps], resources: [deployments/scale], verbs: [patch] }] }
- { kind: ClusterRole, metadata: { name: apart }, rules: [{ apiGroups: [''], resources: [nodes], verbs: [list] }] }
- { kind: RoleBinding, metadata: { namespace: ops }, roleRef: { apiGroup: g, kind: Role, name: r }, subjects: [{ kind: ServiceAccount, namespace: ops, name: one }] }
- { kind: ClusterRoleBinding, metadata: {}, roleRef: { apiGroup: g, kind: ClusterRole, name: sum }, subjects: [{ kind: ServiceAccount, namespace: ops, name: one }, { kind: User, name: u }] }
";

    fn shown(documents: &str) -> Result<Vec<String>> {
        let documents: Vec<Value> = serde_saphyr::from_str(documents)?;
        Ok(granted(&documents)?.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn each_right_is_told_apart_by_role_place_object_and_verb() -> Result<()> {
        let user = "for system:serviceaccount:ops:one";
        let expected = [
            format!("r: get secrets/ops/a {user}"),
            format!("r: get secrets/ops/b {user}"),
            format!("sum: patch deployments.apps/scale {user}"),
        ];
        assert_eq!(shown(DOCUMENTS)?, expected);
        Ok(())
    }

    #[test]
    fn a_binding_without_its_role_is_an_error() {
        let error =
            shown("[{ kind: RoleBinding, metadata: { namespace: a }, roleRef: { apiGroup: g, kind: Role, name: r } }]");
        assert_eq!(error.unwrap_err().to_string(), "there is no Role r");
    }
}
