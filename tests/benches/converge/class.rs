//! The class that is measured: five objects such as a platform team gives to everybody, all of which change with the revision.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use kube::api::{ApiResource, GroupVersionKind};
use nsclass_shared::{
    class::CompiledClass,
    guarded::GuardedKeys,
    identity::Gvk,
    kinds::Scope,
    marks::Owner,
    plan::{Desired, Rendering, rendering},
    policy::Policy,
    variables::Variables,
};
use serde_json::{Value, json};

/// Objects that the class gives to each namespace.
pub(crate) const OBJECTS: usize = 5;

/// The items in one revision.
pub(crate) fn items(revision: u32) -> Vec<Value> {
    let metadata = |name: &str| json!({ "name": name, "labels": { "revision": format!("r{revision}") } });
    let rbac = "rbac.authorization.k8s.io/v1";
    vec![
        json!({
            "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata("default-deny"),
            "spec": { "podSelector": {}, "policyTypes": ["Ingress", "Egress"] },
        }),
        json!({
            "apiVersion": "v1", "kind": "LimitRange", "metadata": metadata("defaults"),
            "spec": { "limits": [{ "type": "Container", "default": { "memory": "512Mi" }, "defaultRequest": { "cpu": "100m" } }] },
        }),
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata("about"),
            "data": { "namespace": "{{ .Namespace.Name }}", "team": "{{ .Namespace.Labels.team | default \"none\" }}" },
        }),
        json!({
            "apiVersion": rbac, "kind": "Role", "metadata": metadata("reader"),
            "rules": [{ "apiGroups": [""], "resources": ["pods", "events"], "verbs": ["get", "list", "watch"] }],
        }),
        json!({
            "apiVersion": rbac, "kind": "RoleBinding", "metadata": metadata("reader"),
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader" },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "readers-of-{{ .Namespace.Name }}" }],
        }),
    ]
}

/// What the controller makes of the items for a namespace, marks included.
pub(crate) fn rendered(class: &str, revision: u32, namespace: &str, uid: &str) -> Result<Vec<Desired>> {
    let empty = BTreeMap::new();
    let compiled = CompiledClass::compile(class, &items(revision));
    let kinds = |_: &Gvk| Scope::Namespaced;
    let rendered =
        compiled.render(&Variables::live(namespace, uid, &empty, &empty, class), &kinds, &GuardedKeys::default());
    match rendering(rendered, &Policy::default(), &Owner { class, namespace, uid }) {
        Rendering::Objects { desired, .. } => Ok(desired),
        Rendering::Failed { message, .. } => bail!("{message}"),
    }
}

/// How to speak of the kind of an object.
pub(crate) fn resource(desired: &Desired) -> ApiResource {
    let gvk = GroupVersionKind::gvk(&desired.identity.group, &desired.version, &desired.identity.kind);
    let plural = match gvk.kind.as_str() {
        "NetworkPolicy" => "networkpolicies".to_owned(),
        kind => format!("{}s", kind.to_lowercase()),
    };
    ApiResource::from_gvk_with_plural(&gvk, &plural)
}
