//! A controller that may not do everything (class.md C37, fault 11), on a control plane of its own.

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use kube::Api;
use kube::api::DeleteParams;
use nsclass_tests::{ControlPlane, Identity, Operator, OperatorOptions, Options, World, eventually};
use serde_json::{Value, json};

use crate::stage::{config_map, ensure_maps, items, maps, objects, says};

const USER: &str = "few-rights";

/// What it needs for itself and for config maps.
const ROLE: &str = r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: few-rights }
rules:
- { apiGroups: [""], resources: [namespaces], verbs: [get, list, watch, patch] }
- { apiGroups: [nsclass.io], resources: ["*"], verbs: ["*"] }
- { apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [get, list, watch] }
- { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, list, watch, create, patch] }
- { apiGroups: [""], resources: [configmaps], verbs: [get, create, patch, delete] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: few-rights }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: few-rights }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: few-rights }]
"#;

/// A right that comes and goes.
const SECRETS: &str = r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: secrets }
rules: [{ apiGroups: [""], resources: [secrets], verbs: [get, create, patch, delete] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: secrets }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: secrets }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: few-rights }]
"#;

fn secret(value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" }, "stringData": { "k": value } })
}

fn grant() -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": { "name": "team" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "team" }],
    })
}

#[tokio::test]
async fn fault11_c49_a_right_that_is_missing_taken_or_given_concerns_its_own_items_alone() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    cp.apply_yaml(ROLE).await?;
    let identity = Some(Identity::user(USER, &[]));
    let operator = Operator::start(&cp, OperatorOptions { identity, ..OperatorOptions::default() }).await?;
    let world = World::new(&cp, "fault11");

    // Never had: the item is named with the right, the others are there.
    let class = |v: &str| items(&[config_map("a", &json!({ "v": v })), secret(v)]);
    world.class("std", class("1")).await?;
    world.namespace("pay").of_class("std").create().await?;
    let message = world.not_ready("pay", "Forbidden").await?;
    says(&message, &["Secret s", USER, "secrets", "grant the controller's ServiceAccount the right named"])?;
    ensure_maps(&world, "pay", &["a"]).await?;

    // Given: within the pauses of the attempts.
    cp.apply_yaml(SECRETS).await?;
    world.ready("pay", "std").await?;

    // Taken while running, and an edit comes.
    let bindings: Api<ClusterRoleBinding> = Api::all(world.client());
    bindings.delete("secrets", &DeleteParams::default()).await?;
    let tenant = cp.impersonate(USER, &[]);
    let secrets: Api<Secret> = Api::namespaced(tenant, &world.name("pay"));
    eventually("the right is gone", async || {
        ensure!(secrets.get("s").await.is_err(), "it may still read");
        Ok(())
    })
    .await?;
    world.class("std", class("2")).await?;
    says(&world.not_ready("pay", "Forbidden").await?, &["Secret s", USER])?;
    let map = maps(&world, "pay").get("a").await?;
    ensure!(map.data.is_some_and(|d| d["v"] == "2"), "the config map did not follow");
    world.class("other", items(&[config_map("b", &json!({}))])).await?;
    world.namespace("tax").of_class("other").create().await?;
    world.ready("tax", "other").await?;

    // And given again.
    cp.apply_yaml(SECRETS).await?;
    world.ready("pay", "std").await?;

    // A grant of more than it holds is refused by the server, in words that name what is missing.
    let rights = SECRETS.replace("secrets", "rolebindings").replace("[\"\"]", "[rbac.authorization.k8s.io]");
    cp.apply_yaml(&rights).await?;
    world.class("granting", items(&[config_map("a", &json!({})), grant()])).await?;
    world.namespace("grant").of_class("granting").create().await?;
    eventually("the grant is refused for what it grants", async || {
        let message = world.not_ready("grant", "Forbidden").await?;
        says(&message, &["RoleBinding team", "neither holds nor may grant", USER])
    })
    .await?;
    ensure_maps(&world, "grant", &["a"]).await?;
    let grants = objects(&world, "grant", "rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings");
    ensure!(grants.get_opt("team").await?.is_none(), "it grants more than it holds");
    operator.program().ensure_running()
}
