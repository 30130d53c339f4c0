//! What comes back after something was lost (class.md C44, C45), and what is let go (C46, scope.md S35), on the real control plane.

mod inventory;
mod release;

use anyhow::Result;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::Api;
use kube::api::ListParams;
use nsclass_tests::World;
use serde_json::{Value, json};

/// A class of these config maps, and of a cluster role for each namespace.
fn class(maps: &[&str]) -> Value {
    let mut items: Vec<Value> = maps
        .iter()
        .map(|name| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": {} }))
        .collect();
    items.push(json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": "reader-of-{{ .Namespace.Name }}" }, "rules": [],
    }));
    json!({ "resources": items, "optOutDelay": "1s" })
}

/// What of a class is there for the namespace: kinds and names with UIDs.
async fn objects(world: &World, namespace: &str) -> Result<Vec<(String, String)>> {
    let name = world.name(namespace);
    let ours = ListParams::default().labels(&format!("nsclass.io/namespace={name}"));
    let maps: Api<ConfigMap> = Api::namespaced(world.client(), &name);
    let roles: Api<ClusterRole> = Api::all(world.client());
    let uid = |metadata: kube::api::ObjectMeta| (metadata.name.unwrap_or_default(), metadata.uid.unwrap_or_default());
    let mut found: Vec<_> = maps.list(&ours).await?.items.into_iter().map(|map| uid(map.metadata)).collect();
    found.extend(roles.list(&ours).await?.items.into_iter().map(|role| uid(role.metadata)));
    Ok(found)
}
