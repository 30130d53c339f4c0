//! The author of a class must be able to do what the class will do (admission.md A01), asked of the real authorizer by the real webhook.

use anyhow::{Result, bail, ensure};
use kube::Client;
use nsclass_tests::eventually;
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::stage::Stage;
use crate::webhook;

const CLASSES: &str = "/apis/nsclass.io/v1alpha1/namespaceclasses";

fn class(name: &str, items: &[Value]) -> Value {
    json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass", "metadata": { "name": name },
        "spec": { "resources": items },
    })
}

fn map(value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "about" }, "data": { "value": value } })
}

fn cluster_role() -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": "reads-{{ .Namespace.Name }}" },
        "rules": [{ "apiGroups": [""], "resources": ["secrets"], "verbs": ["get"] }],
    })
}

fn grant(role: &str) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": { "name": "team" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "team" }],
    })
}

/// The webhook's denial, which holds all of `parts`.
async fn refused(client: &Client, ask: &Ask, parts: &[&str]) -> Result<String> {
    let status = match ask.send(client).await? {
        Ok(object) => bail!("{ask} was allowed: {object}"),
        Err(status) => status,
    };
    ensure!(status.code == 403, "{ask}: {} {}", status.code, status.message);
    for part in [&["namespaceclasses.nsclass.io\" denied the request"], parts].concat() {
        ensure!(status.message.contains(part), "{part:?} is not in {}", status.message);
    }
    Ok(status.message)
}

/// Waits until the webhook is asked.
async fn in_force(stage: &Stage, client: &Client) -> Result<()> {
    let trial = Ask::post(CLASSES, class(&stage.name("trial"), &[cluster_role()])).dry();
    eventually("classes are judged", async || refused(client, &trial, &[]).await).await.map(drop)
}

#[tokio::test]
async fn a01_a_tenant_gets_no_more_by_a_class_than_they_have_and_an_admin_writes_what_they_like() -> Result<()> {
    let stage = webhook::open("a01").await?;
    let tenant = stage.somebody("tenant").await?;
    tenant.may(&["get", "create", "update", "patch"], "nsclass.io", "namespaceclasses", &[]).await?;
    in_force(&stage, &tenant.client).await?;
    let name = stage.name("std");
    let path = format!("{CLASSES}/{name}");

    // What the stock role `edit` holds everywhere.
    Ask::post(CLASSES, class(&name, &[map("1")])).done(&tenant.client).await?;
    // A05: every missing pair, in one answer.
    let items = [map("2"), cluster_role(), grant("admin"), grant("{{ .Namespace.Name }}")];
    let says = [
        &*format!("user \"{}\"", tenant.user),
        "spec.resources[1] (rbac.authorization.k8s.io/v1/ClusterRole",
        "may not create, patch, delete, escalate clusterroles.rbac.authorization.k8s.io",
        "spec.resources[2] (rbac.authorization.k8s.io/v1/RoleBinding team): user",
        "may not bind clusterroles.rbac.authorization.k8s.io/admin",
        "may not create, patch, delete rolebindings.rbac.authorization.k8s.io",
        "grant it by a ClusterRole and a ClusterRoleBinding",
    ];
    let named = class(&name, &items[..3]);
    for way in [
        Ask::merge(&path, json!({ "spec": named["spec"] })),
        Ask::apply(&path, "somebody", named.clone()),
        Ask::operations(&path, json!([{ "op": "replace", "path": "/spec", "value": named["spec"] }])),
    ] {
        refused(&tenant.client, &way, &says).await?;
        refused(&tenant.client, &way.dry(), &says).await?;
    }
    // The controller may write the status in between, and then the replacement is of an old object.
    eventually("a replacement is judged", async || {
        let mut whole = stage.live(&path).await?;
        whole["spec"] = named["spec"].clone();
        refused(&tenant.client, &Ask::put(&path, whole), &says).await
    })
    .await?;
    let templated = Ask::merge(&path, json!({ "spec": { "resources": [items[3]] } }));
    refused(&tenant.client, &templated, &["may not bind clusterroles.rbac.authorization.k8s.io in all namespaces"])
        .await?;

    // What an admin put there stays when the tenant edits the rest, and the tenant may not change it.
    Ask::merge(&path, json!({ "spec": { "resources": [cluster_role(), map("2")] } })).done(&stage.admin).await?;
    Ask::merge(&path, json!({ "spec": { "resources": [map("3"), cluster_role()] } })).done(&tenant.client).await?;
    let mut more = cluster_role();
    more["rules"][0]["verbs"] = json!(["*"]);
    let more = Ask::merge(&path, json!({ "spec": { "resources": [map("3"), more] } }));
    refused(&tenant.client, &more, &["escalate"]).await?;
    // Neither spec: not judged.
    Ask::merge(&path, json!({ "metadata": { "labels": { "team": "blue" } } })).done(&tenant.client).await?;
    // A kind that is not served takes the right on its group.
    let later = json!({ "apiVersion": "later.example/v1", "kind": "Later", "metadata": { "name": "x" } });
    let later = Ask::merge(&path, json!({ "spec": { "resources": [later] } }));
    refused(&tenant.client, &later, &["may not create, patch, delete *.later.example"]).await?;
    later.dry().done(&stage.admin).await?;
    Ok(())
}

#[tokio::test]
async fn a01_of_a_robot_it_is_the_robot_that_must_be_able() -> Result<()> {
    let stage = webhook::open("a01-robot").await?;
    let room = stage.namespace_with("gitops", json!({})).await?;
    let robot = stage.cp.client(&stage.cp.service_account(&room, "robot").await?);
    let rights = |verbs: &str| {
        format!(
            "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{ name: {room} }}
rules:
- {{ apiGroups: [nsclass.io], resources: [namespaceclasses], verbs: [get, create, patch] }}
- {{ apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], verbs: [{verbs}] }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{ name: {room} }}
roleRef: {{ apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {room} }}
subjects: [{{ kind: ServiceAccount, namespace: {room}, name: robot }}]
"
        )
    };
    let class =
        Ask::apply(format!("{CLASSES}/{}", stage.name("std")), "flux", class(&stage.name("std"), &[cluster_role()]));
    stage.cp.apply_yaml(&rights("create, patch, delete")).await?;
    let who = format!("system:serviceaccount:{room}:robot");
    let lacks = ["may not escalate clusterroles.rbac.authorization.k8s.io", &*who];
    eventually("the robot lacks one right", async || refused(&robot, &class, &lacks).await).await?;
    stage.cp.apply_yaml(&rights("create, patch, delete, escalate")).await?;
    eventually("the robot may", async || class.done(&robot).await).await?;
    Ok(())
}
