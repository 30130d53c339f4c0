//! `optional/lock.yaml`: what is ours is changed and deleted by the operator alone. Here its binding is narrowed to one namespace, or the
//! other tests could change nothing.

use anyhow::{Result, ensure};
use nsclass_tests::{eventually, policies};
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::marks::marked;
use crate::stage::{Stage, at};

const POLICY: &str = "lock";

/// Switches an optional policy on for namespaces that match.
pub(crate) async fn switch_on(stage: &Stage, name: &str, selector: Value) -> Result<()> {
    switch_on_as(stage, name, name, selector).await
}

/// The same, through a binding of this name: each test has one of its own.
pub(crate) async fn switch_on_as(stage: &Stage, name: &str, binding: &str, selector: Value) -> Result<()> {
    for mut document in serde_saphyr::from_multiple::<Value>(&policies::policy(name)?)? {
        if document["kind"] == "ValidatingAdmissionPolicyBinding" {
            document["metadata"]["name"] = json!(format!("nsclass-{binding}"));
            document["spec"]["matchResources"] = json!({ "namespaceSelector": selector });
        }
        stage.cp.apply_yaml(&document.to_string()).await?;
    }
    Ok(())
}

#[tokio::test]
async fn locked_objects_are_changed_and_deleted_by_the_operator_alone_and_their_subresources_by_anybody() -> Result<()>
{
    let stage = Stage::open("lock").await?;
    let room = stage.namespace_with("pay", json!({})).await?;
    switch_on(&stage, POLICY, json!({ "matchLabels": { "kubernetes.io/metadata.name": room } })).await?;
    let tenant = stage.somebody("tenant").await?;
    let manager = stage.somebody("manager").await?;
    manager.may_manage(&[&room]).await?;

    let path = at(&room, "/configmaps/ours");
    Ask::post(at(&room, "/configmaps"), marked(&stage, "ConfigMap", &room, "ours", &json!({})))
        .done(&stage.admin)
        .await?;
    let edit = Ask::merge(&path, json!({ "data": { "a": "b" } }));
    let says = ["managed by Namespace Class", &*stage.name("class"), "locked", &*tenant.user, "verb manage", &*room];
    eventually("the lock bites", async || edit.clone().dry().denied(&tenant.client, POLICY, &says).await).await?;
    edit.denied(&tenant.client, POLICY, &says).await?;
    Ask::delete(&path).denied(&tenant.client, POLICY, &says).await?;
    Ask::delete(at(&room, "/configmaps?labelSelector=nsclass.io/managed"))
        .denied(&tenant.client, POLICY, &says)
        .await?;
    edit.done(&manager.client).await?;

    // Copies, what has no marks, and creations are free.
    let mut copy = marked(&stage, "ConfigMap", &room, "ours", &json!({}));
    copy["metadata"]["name"] = json!("copy");
    Ask::post(at(&room, "/configmaps"), copy).done(&tenant.client).await?;
    Ask::merge(at(&room, "/configmaps/copy"), json!({ "data": { "a": "b" } })).done(&tenant.client).await?;
    Ask::delete(at(&room, "/configmaps/copy")).done(&tenant.client).await?;

    // Subresources: status and scale are written by whoever runs the workload.
    let template = json!({ "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "web", "image": "web" }] } });
    let spec = json!({ "spec": { "selector": { "matchLabels": { "app": "web" } }, "template": template } });
    let mut deployment = marked(&stage, "Deployment", &room, "web", &spec);
    deployment["apiVersion"] = json!("apps/v1");
    deployment["metadata"]["annotations"]["nsclass.io/object"] = json!(format!("apps/Deployment/{room}/web"));
    let deployments = format!("/apis/apps/v1/namespaces/{room}/deployments");
    Ask::post(&deployments, deployment).done(&stage.admin).await?;
    let scale = json!({ "spec": { "replicas": 2 } });
    Ask::merge(format!("{deployments}/web"), scale.clone())
        .denied(&tenant.client, POLICY, &["apps/Deployment"])
        .await?;
    Ask::merge(format!("{deployments}/web/scale"), scale).done(&tenant.client).await?;
    eventually("the deployment controller works on it", async || {
        let live = stage.live(&format!("{deployments}/web")).await?;
        ensure!(live["metadata"]["generation"] == live["status"]["observedGeneration"], "{live}");
        Ok(())
    })
    .await?;

    // The end of the namespace takes all of it along, also by the hand of a tenant.
    Ask::delete(at(&room, "")).done(&tenant.client).await?;
    stage.gone("pay").await
}

#[tokio::test]
async fn a_locked_object_of_a_terminating_namespace_is_deleted_by_anybody() -> Result<()> {
    let stage = Stage::open("lock-end").await?;
    let room = stage.namespace_with("pay", json!({ "labels": { "lock": "end" } })).await?;
    switch_on_as(&stage, POLICY, "lock-end", json!({ "matchLabels": { "lock": "end" } })).await?;
    let tenant = stage.somebody("tenant").await?;
    let mut held = marked(&stage, "ConfigMap", &room, "held", &json!({}));
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    Ask::post(at(&room, "/configmaps"), held).done(&stage.admin).await?;
    let delete = Ask::delete(at(&room, "/configmaps/held"));
    eventually("the lock bites", async || delete.clone().dry().denied(&tenant.client, POLICY, &[]).await).await?;
    Ask::delete(at(&room, "")).done(&tenant.client).await?;
    eventually("the namespace is known to end", async || delete.done(&tenant.client).await).await?;
    let let_go = json!({ "metadata": { "finalizers": null } });
    Ask::merge(at(&room, "/configmaps/held"), let_go).done(&stage.admin).await?;
    stage.gone("pay").await
}
