//! Whose an object is: preconditions and field conflicts.

use anyhow::Result;
use serde_json::json;

use crate::server::Server;

const NOBODY: &str = "6e2a5f4c-0000-4000-8000-000000000000";

#[tokio::test]
async fn c33_a_create_only_apply_of_what_exists_is_refused_also_with_force() -> Result<()> {
    let server = Server::open("c33").await?;
    let settings = server.config_map("settings");
    settings.made(json!({ "data": { "a": "1" } })).await?;
    settings.check("create-exists", settings.create(json!({ "data": { "a": "2" } })).await?)?;
    let forced = settings.clone().forced();
    forced.check("create-exists-forced", forced.create(json!({ "data": { "a": "2" } })).await?)?;
    // Also where it would be a conflict, which the server sees first.
    let ours = server.config_map("theirs");
    ours.clone().by("kubectl").made(json!({ "data": { "a": "1" } })).await?;
    ours.check("create-exists-conflict", ours.create(json!({ "data": { "a": "2" } })).await?)
}

#[tokio::test]
async fn c33_an_apply_or_delete_with_the_uid_of_another_object_is_refused() -> Result<()> {
    let server = Server::open("c33-uid").await?;
    let settings = server.config_map("settings").forced();
    settings.made(json!({ "data": { "a": "1" } })).await?;
    settings.check("update-other-uid", settings.update(NOBODY, json!({ "data": { "a": "2" } })).await?)?;
    let role = |name: &str| json!({ "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name } });
    let binding = server.object("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", "team").forced();
    binding.made(role("view")).await?;
    binding.check("update-other-uid-immutable", binding.update(NOBODY, role("edit")).await?)?;
    let gear = crate::absence::serve(&server, "Gear", "gears").await?.forced();
    gear.made(json!({ "spec": { "size": 1, "zone": "a" } })).await?;
    let other = json!({ "spec": { "size": 1, "zone": "b" } });
    gear.check("update-other-uid-custom", gear.update(NOBODY, other).await?)?;
    settings.check("delete-other-uid", settings.delete(NOBODY).await?)?;
    let absent = server.config_map("absent").forced();
    absent.check("update-absent", absent.update(NOBODY, json!({ "data": { "a": "2" } })).await?)
}

#[tokio::test]
async fn c37_a_binding_that_somebody_else_wrote_is_refused() -> Result<()> {
    let server = Server::open("c37-record").await?;
    let record = server.config_map("record");
    record.check("record-absent", record.put(json!({ "metadata": { "resourceVersion": "1" } })).await?)?;
    record.made(json!({ "data": { "a": "1" } })).await?;
    record.check("record-exists", record.post(json!({})).await?)?;
    record.check("record-stale", record.put(json!({ "metadata": { "resourceVersion": "1" } })).await?)?;
    let other = json!({ "metadata": { "uid": NOBODY } });
    record.check("record-other-uid", record.put(other).await?)
}

#[tokio::test]
async fn c35_a_conflict_names_each_manager_and_field() -> Result<()> {
    let server = Server::open("c35").await?;
    let settings = server.config_map("settings");
    let uid = settings.clone().by("helm").made(json!({ "data": { "a": "1", "b": "1" } })).await?;
    let ours = json!({ "data": { "a": "2" } });
    settings.check("conflict-one-field", settings.update(&uid, ours).await?)?;
    settings.clone().by("kubectl-edit").merge(json!({ "data": { "c": "1" } })).await?;
    let ours = json!({ "data": { "a": "2", "b": "2", "c": "2" } });
    settings.check("conflict-two-managers", settings.update(&uid, ours).await?)?;
    settings.check("conflict-other-uid", settings.update(NOBODY, json!({ "data": { "a": "2" } })).await?)?;
    let web = server.object("apps/v1", "Deployment", "deployments", "web");
    let container = |image: &str| {
        json!({ "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "web", "image": image }] },
            },
        } })
    };
    let uid = web.clone().by("argocd-controller").made(container("web:1")).await?;
    web.check("conflict-in-list", web.update(&uid, container("web:2")).await?)
}
