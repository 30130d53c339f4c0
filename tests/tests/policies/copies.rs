//! Nothing that must go on is in the way of a policy: controllers that copy labels, the end of a namespace, garbage collection, tools that
//! apply what is not ours.

use anyhow::{Result, ensure};
use nsclass_shared::names::{CLASS_LABEL, OBJECT_ANNOTATION};
use nsclass_tests::eventually;
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::marks::marked;
use crate::stage::{Stage, at, namespace};

const APPS: &str = "/apis/apps/v1/namespaces";

#[tokio::test]
async fn a_marked_service_gets_its_endpoint_slice_and_a_marked_deployment_its_replica_set() -> Result<()> {
    let stage = Stage::open("copies").await?;
    let room = stage.namespace_with("pay", json!({})).await?;
    let ports = json!({ "spec": { "selector": { "app": "web" }, "ports": [{ "port": 80 }] } });
    Ask::post(at(&room, "/services"), marked(&stage, "Service", &room, "web", &ports)).done(&stage.admin).await?;
    let template = json!({ "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "web", "image": "web" }] } });
    let spec = json!({ "spec": { "selector": { "matchLabels": { "app": "web" } }, "template": template } });
    let mut deployment = marked(&stage, "Deployment", &room, "web", &spec);
    deployment["apiVersion"] = json!("apps/v1");
    deployment["metadata"]["annotations"][OBJECT_ANNOTATION] = json!(format!("apps/Deployment/{room}/web"));
    Ask::post(format!("{APPS}/{room}/deployments"), deployment).done(&stage.admin).await?;

    // The first copies labels, the second annotations as well.
    let first = async |path: String, check: &dyn Fn(&Value) -> bool| {
        eventually(format!("{path} holds a copy"), async || {
            let list = Ask::get(&path).done(&stage.admin).await?;
            ensure!(list["items"].get(0).is_some_and(check), "{list}");
            Ok(())
        })
        .await
    };
    let slices = format!("/apis/discovery.k8s.io/v1/namespaces/{room}/endpointslices");
    first(slices, &|slice| slice["metadata"]["labels"]["nsclass.io/managed"] == "true").await?;
    let of = format!("apps/Deployment/{room}/web");
    first(format!("{APPS}/{room}/replicasets"), &|set| set["metadata"]["annotations"][OBJECT_ANNOTATION] == *of)
        .await?;
    // And so on down, to the status of the deployment itself.
    eventually("the deployment controller writes its status", async || {
        let live = stage.live(&format!("{APPS}/{room}/deployments/web")).await?;
        ensure!(
            live["status"]["unavailableReplicas"] == 1 || live["status"]["conditions"].is_array(),
            "{}",
            live["status"]
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_namespace_with_a_class_guarded_keys_and_marked_objects_ends() -> Result<()> {
    let stage = Stage::open("ends").await?;
    let metadata = json!({
        "labels": { CLASS_LABEL: stage.name("class"), "var.nsclass.io/team": "blue" },
        "annotations": { "nsclass.io/suspend": "true" },
    });
    let room = stage.namespace_with("pay", metadata).await?;
    let owner = Ask::post(at(&room, "/configmaps"), marked(&stage, "ConfigMap", &room, "owner", &json!({})))
        .done(&stage.admin)
        .await?;
    // Garbage collection deletes what is ours as anybody's.
    let mut child = marked(&stage, "ConfigMap", &room, "child", &json!({}));
    child["metadata"]["ownerReferences"] = json!([
        { "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"] },
    ]);
    Ask::post(at(&room, "/configmaps"), child).done(&stage.admin).await?;
    let tenant = stage.somebody("tenant").await?;
    Ask::delete(at(&room, "/configmaps/owner")).done(&tenant.client).await?;
    eventually("the child is collected", async || {
        ensure!(Ask::get(at(&room, "/configmaps/child")).send(&stage.admin).await?.is_err(), "it is there");
        Ok(())
    })
    .await?;
    Ask::post(at(&room, "/configmaps"), marked(&stage, "ConfigMap", &room, "last", &json!({})))
        .done(&stage.admin)
        .await?;
    Ask::delete(at(&room, "")).done(&tenant.client).await?;
    stage.gone("pay").await
}

#[tokio::test]
async fn tools_that_apply_what_is_not_ours_pass() -> Result<()> {
    let stage = Stage::open("tools").await?;
    let tenant = stage.somebody("tenant").await?;
    let labels = json!({ CLASS_LABEL: stage.name("class"), "var.nsclass.io/team": "blue" });
    let room = stage
        .namespace_with("pay", json!({ "labels": labels, "annotations": { "nsclass.io/suspend": "true" } }))
        .await?;
    // kubectl annotate and label, of other keys.
    let annotated = json!({ "metadata": { "annotations": { "note": "x" }, "labels": { "note": "x" } } });
    Ask::strategic(at(&room, ""), annotated).done(&tenant.client).await?;
    // A chart that has the namespace and an object of its own, applied with another manager, twice.
    for _ in 0..2 {
        let chart = namespace(json!({ "name": room, "labels": { "app.kubernetes.io/managed-by": "Helm" } }));
        Ask::apply(at(&room, ""), "helm", chart).done(&tenant.client).await?;
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": { "a": "b" },
            "metadata": { "name": "chart", "labels": { "app.kubernetes.io/managed-by": "Helm" } },
        });
        Ask::apply(at(&room, "/configmaps/chart"), "helm", map).done(&tenant.client).await?;
    }
    // A marked object, written back as it is read, and a field of it changed.
    Ask::post(at(&room, "/configmaps"), marked(&stage, "ConfigMap", &room, "ours", &json!({})))
        .done(&stage.admin)
        .await?;
    let mut read: Value = stage.live(&at(&room, "/configmaps/ours")).await?;
    read["data"] = json!({ "a": "b" });
    Ask::put(at(&room, "/configmaps/ours"), read).done(&tenant.client).await?;
    Ok(())
}
