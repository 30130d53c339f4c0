//! What our processes may do, as the chart grants it, for accounts of tests; and what they did with it.

use std::collections::BTreeSet;

use k8s_openapi::api::rbac::v1::PolicyRule;
use nsclass_shared::config::Config;
use nsclass_shared::names::{controller_lease, licence_record, usage_report};
use nsclass_shared::rights::own::{Grant, OwnObjects, Place};
use serde_json::{Value, json};

use crate::audit::Requests;

/// The names of a configuration's own objects, for a webhook configuration of that name.
pub fn own_objects(config: &Config, configuration: &str) -> OwnObjects {
    let certificates = &config.certificates;
    OwnObjects {
        lease: controller_lease(&config.instance),
        configuration: configuration.to_owned(),
        template: certificates.template_config_map(),
        secrets: [certificates.authority_secret(), certificates.serving_secret()],
        report: usage_report(&config.instance),
        record: licence_record(&config.instance),
    }
}

/// Roles and bindings that give `grants`, and `more` in the whole cluster, to a `ServiceAccount`: manifests to apply.
pub fn manifests(grants: &[Grant], own: &OwnObjects, [namespace, account]: [&str; 2], more: &[PolicyRule]) -> String {
    let mut documents = Vec::new();
    for (place, at) in [(Place::Cluster, None), (Place::Home, Some(namespace)), (Place::Default, Some("default"))] {
        let granted = grants.iter().filter(|grant| grant.place() == place).flat_map(|grant| grant.rules(own));
        let mut rules: Vec<PolicyRule> = granted.collect();
        if place == Place::Cluster {
            rules.extend_from_slice(more);
        }
        let role = if at.is_some() { "Role" } else { "ClusterRole" };
        let metadata = json!({ "name": format!("{namespace}-{account}"), "namespace": at });
        documents.push(json!({ "apiVersion": RBAC, "kind": role, "metadata": metadata, "rules": rules }));
        documents.push(json!({
            "apiVersion": RBAC, "kind": format!("{role}Binding"), "metadata": metadata,
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": role, "name": metadata["name"] },
            "subjects": [{ "kind": "ServiceAccount", "namespace": namespace, "name": account }],
        }));
    }
    documents.iter().map(Value::to_string).collect::<Vec<_>>().join("\n---\n")
}

/// Each right of `rules`, as `verb resource.group`, that no request of `requests` made use of.
pub fn unused(rules: &[PolicyRule], requests: &Requests) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for request in requests.iter() {
        used.insert(right(&request.verb, &request.resource, &request.subresource));
        // An apply that creates takes the right to create, too; the log tells it by the answer.
        if request.verb == "patch" && request.code == 201 {
            used.insert(right("create", &request.resource, &request.subresource));
        }
    }
    let mut granted = BTreeSet::new();
    for rule in rules {
        for group in rule.api_groups.iter().flatten() {
            for resource in rule.resources.iter().flatten() {
                let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
                let resource = if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") };
                granted.extend(rule.verbs.iter().map(|verb| right(verb, &resource, subresource)));
            }
        }
    }
    granted.difference(&used).cloned().collect()
}

const RBAC: &str = "rbac.authorization.k8s.io/v1";

fn right(verb: &str, resource: &str, subresource: &str) -> String {
    let separator = if subresource.is_empty() { "" } else { "/" };
    format!("{verb} {resource}{separator}{subresource}")
}
