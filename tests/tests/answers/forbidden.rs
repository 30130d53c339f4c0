//! Rights that the one who asks does not have.

use anyhow::{Result, ensure};
use nsclass_tests::{Identity, eventually};
use serde_json::{Value, json};

use crate::server::{Object, Server};

const RBAC: &str = "rbac.authorization.k8s.io/v1";

#[tokio::test]
async fn c37_a_missing_right_is_forbidden_and_names_the_right() -> Result<()> {
    let server = Server::open("c37-rights").await?;
    let stranger = Server::of(&Identity::user("stranger", &[]), &server.namespace).await?;
    let settings = stranger.config_map("settings");
    settings.check("may-not-apply", settings.create(json!({})).await?)?;
    settings.check("may-not-read", settings.read().await?)?;
    settings.check("may-not-delete", settings.delete("6e2a5f4c-0000-4000-8000-000000000000").await?)?;
    let role = stranger.cluster_object(RBAC, "ClusterRole", "clusterroles", "c37:reader");
    role.check("may-not-apply-cluster-scoped", role.create(json!({})).await?)
}

#[tokio::test]
async fn c37_a_patch_without_the_right_to_create_is_forbidden() -> Result<()> {
    let server = Server::open("c37-patcher").await?;
    let rules = json!([{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "patch"] }]);
    let patcher = granted(&server, "patcher", rules).await?;
    let settings = patcher.config_map("settings");
    settings.check("may-patch-not-create", settings.create(json!({})).await?)
}

#[tokio::test]
async fn c37_granting_more_than_one_holds_is_forbidden_in_its_own_words() -> Result<()> {
    let server = Server::open("c37-grants").await?;
    let rules = json!([
        { "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"], "verbs": ["get", "create", "patch"] },
        { "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"] },
    ]);
    let granter = granted(&server, "granter", rules).await?;
    let role = granter.object(RBAC, "Role", "roles", "reader");
    let rules = json!({ "rules": [{ "apiGroups": ["", "apps"], "resources": ["secrets"], "verbs": ["get", "list"] }] });
    role.check("grant-not-held", role.create(rules).await?)?;
    let binding = granter.object(RBAC, "RoleBinding", "rolebindings", "team");
    let refers = |kind: &str, name: &str| {
        json!({
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "dora" }],
        })
    };
    binding.check("bind-not-held", binding.create(refers("ClusterRole", "admin")).await?)?;
    binding.check("bind-missing-role", binding.create(refers("Role", "absent")).await?)?;
    // The server's answer names a RoleBinding, by the name of the role: here that of the object itself.
    binding.check("bind-missing-namesake", binding.create(refers("Role", "team")).await?)
}

/// A user with those rights in the namespace, once the authorizer knows them.
async fn granted(server: &Server, user: &str, rules: Value) -> Result<Server> {
    let role: Object = server.object(RBAC, "Role", "roles", user);
    role.made(json!({ "rules": rules })).await?;
    let binding = server.object(RBAC, "RoleBinding", "rolebindings", user);
    binding
        .made(json!({
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": user },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user }],
        }))
        .await?;
    let somebody = Server::of(&Identity::user(user, &[]), &server.namespace).await?;
    eventually("the authorizer knows the rights", async || {
        let (_, read) = somebody.config_map("settings").read().await?;
        let code = read.err().map(|status| status.code);
        ensure!(code == Some(404), "{code:?}");
        Ok(())
    })
    .await?;
    Ok(somebody)
}
