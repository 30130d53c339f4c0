//! How objects go, on the real control plane: from the inventory only, proved to be ours, and never stuck.

mod crashes;
mod namespaces;
mod objects;
mod periodic;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::{core::v1::ConfigMap, rbac::v1::ClusterRole};
use kube::{Api, ResourceExt};
use nsclass_tests::World;
use serde_json::{Value, json};

/// An item that is a config map.
fn config_map(name: &str, value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "value": value } })
}

/// An item that is a cluster role named after its namespace.
fn cluster_role() -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": { "name": "reader-of-{{ .Namespace.Name }}" },
        "rules": [{ "apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["{{ .Namespace.Name }}"], "verbs": ["get"] }],
    })
}

/// The config maps of a namespace of the world.
fn config_maps(world: &World, namespace: &str) -> Api<ConfigMap> {
    Api::namespaced(world.client(), &world.name(namespace))
}

/// The cluster role that [`cluster_role`] becomes for a namespace of the world.
async fn role_of(world: &World, namespace: &str) -> Result<Option<ClusterRole>> {
    let roles: Api<ClusterRole> = Api::all(world.client());
    Ok(roles.get_opt(&format!("reader-of-{}", world.name(namespace))).await?)
}

/// Names in the inventory of a namespace of the world.
async fn inventory(world: &World, namespace: &str) -> Result<Vec<String>> {
    let status = world.binding(namespace).await?.context("no binding")?.status.context("no status")?;
    Ok(status.inventory.into_iter().map(|entry| entry.name).collect())
}

/// Fails unless the namespace carries our finalizer exactly if it should.
async fn ensure_held(world: &World, namespace: &str, held: bool) -> Result<()> {
    let live = world.namespaces().get(&world.name(namespace)).await?;
    let there = live.finalizers().iter().any(|f| f == "nsclass.io/finalizer");
    ensure!(there == held, "finalizers: {:?}", live.finalizers());
    Ok(())
}
