//! `marks.yaml`: marks that name their own object are the operator's alone. Copies are nobody's, and pass.

use anyhow::{Result, ensure};
use nsclass_shared::identity::ObjectIdentity;
use nsclass_shared::marks::{Owner, mark};
use nsclass_shared::names::FIELD_MANAGER;
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::stage::{Stage, at, namespace};

pub(crate) const POLICY: &str = "marks";

/// An object of core/v1 with the marks that the operator would give it.
pub(crate) fn marked(stage: &Stage, kind: &str, room: &str, name: &str, rest: &Value) -> Value {
    let mut object = rest.clone();
    object["apiVersion"] = json!("v1");
    object["kind"] = json!(kind);
    object["metadata"] = json!({ "name": name });
    let identity = ObjectIdentity {
        group: String::new(),
        kind: kind.to_owned(),
        namespace: Some(room.to_owned()),
        name: name.to_owned(),
    };
    mark(&mut object, &identity, &Owner { class: &stage.name("class"), namespace: room, uid: "u-1" });
    object
}

#[tokio::test]
async fn bad12_nobody_forges_marks_on_an_object_of_their_own() -> Result<()> {
    let stage = Stage::open("bad12-forge").await?;
    let tenant = stage.somebody("tenant").await?;
    let room = stage.namespace_with("pay", json!({})).await?;
    let maps = at(&room, "/configmaps");
    let forged = marked(&stage, "ConfigMap", &room, "theirs", &json!({}));
    let says = ["verb manage", &*tenant.user, &*room, "/theirs"];
    Ask::post(&maps, forged.clone()).denied(&tenant.client, POLICY, &says).await?;
    let path = format!("{maps}/theirs");
    Ask::apply(&path, "somebody", forged.clone()).denied(&tenant.client, POLICY, &says).await?;
    // The name is made before it is judged.
    let mut generated = forged.clone();
    generated["metadata"]["name"] = Value::Null;
    generated["metadata"]["generateName"] = json!("theirs-");
    Ask::post(&maps, generated).dry().done(&tenant.client).await?;

    // Little by little: the mark that proves comes last, and is the one that is refused.
    let mut object = forged.clone();
    object["metadata"]["annotations"] = json!({ "nsclass.io/owner-namespace-uid": "u-1" });
    Ask::post(&maps, object).done(&tenant.client).await?;
    let annotations = json!({ "metadata": { "annotations": forged["metadata"]["annotations"] } });
    let proof = json!([
        { "op": "add", "path": "/metadata/annotations/nsclass.io~1object", "value": format!("/ConfigMap/{room}/theirs") },
    ]);
    for way in [
        Ask::put(&path, forged.clone()),
        Ask::merge(&path, annotations.clone()),
        Ask::strategic(&path, annotations),
        Ask::operations(&path, proof),
        Ask::apply(&path, "somebody", forged),
    ] {
        way.denied(&tenant.client, POLICY, &says).await?;
    }
    let live = stage.live(&path).await?;
    ensure!(live["metadata"]["annotations"].get("nsclass.io/object").is_none(), "{live}");
    Ok(())
}

#[tokio::test]
async fn bad12_nobody_changes_or_removes_the_marks_of_what_is_ours() -> Result<()> {
    let stage = Stage::open("bad12-marks").await?;
    let tenant = stage.somebody("tenant").await?;
    let room = stage.namespace_with("pay", json!({})).await?;
    let service = marked(&stage, "Service", &room, "web", &json!({ "spec": { "ports": [{ "port": 80 }] } }));
    Ask::post(at(&room, "/services"), service.clone()).done(&stage.admin).await?;
    let keys = |map: &str| service["metadata"][map].as_object().cloned().unwrap_or_default();
    let mut changes =
        vec![json!({ "labels": { "nsclass.io/new": "x" } }), json!({ "annotations": { "nsclass.io/rendered": "x" } })];
    for map in ["labels", "annotations"] {
        for key in keys(map).keys() {
            changes.push(json!({ map: { key: null } }));
            changes.push(json!({ map: { key: "other" } }));
        }
    }
    for metadata in changes {
        // The status of a Service takes metadata along, as that of most built-in kinds does.
        for path in [at(&room, "/services/web"), at(&room, "/services/web/status")] {
            for way in [
                Ask::merge(&path, json!({ "metadata": metadata })),
                Ask::strategic(&path, json!({ "metadata": metadata })),
            ] {
                way.denied(&tenant.client, POLICY, &["verb manage", &room, "/Service/"]).await?;
            }
        }
    }
    let bare = json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "web" }, "spec": service["spec"] });
    Ask::put(at(&room, "/services/web"), bare).denied(&tenant.client, POLICY, &["verb manage"]).await?;
    // What is no mark may be changed: that is drift, and repaired.
    let other = json!({ "metadata": { "labels": { "team": "x" }, "annotations": { "xnsclass.io/object": "x" } } });
    Ask::merge(at(&room, "/services/web"), other).done(&tenant.client).await?;
    let manager = stage.somebody("manager").await?;
    manager.may_manage(&[&room]).await?;
    let gone = json!({ "metadata": { "annotations": { "nsclass.io/object": null } } });
    Ask::merge(at(&room, "/services/web"), gone).done(&manager.client).await?;
    Ok(())
}

#[tokio::test]
async fn bad12_a_copy_of_marks_is_anybodys_to_make_change_and_remove() -> Result<()> {
    let stage = Stage::open("bad12-copy").await?;
    let tenant = stage.somebody("tenant").await?;
    let (room, other) = (stage.namespace_with("pay", json!({})).await?, stage.namespace_with("tax", json!({})).await?);
    let mut copy = marked(&stage, "ConfigMap", &room, "about", &json!({}));
    for (room, name) in [(&room, "copy"), (&other, "about")] {
        copy["metadata"]["name"] = json!(name);
        copy["metadata"]["namespace"] = Value::Null;
        Ask::post(at(room, "/configmaps"), copy.clone()).done(&tenant.client).await?;
        let path = at(room, &format!("/configmaps/{name}"));
        Ask::merge(&path, json!({ "metadata": { "labels": { "nsclass.io/class": "x" } } }))
            .done(&tenant.client)
            .await?;
        Ask::merge(&path, json!({ "metadata": { "annotations": null, "labels": null } })).done(&tenant.client).await?;
    }
    // Another kind of that name is another object.
    let mut secret = copy.clone();
    secret["kind"] = json!("Secret");
    secret["metadata"]["name"] = json!("about");
    Ask::post(at(&room, "/secrets"), secret).done(&tenant.client).await?;
    Ok(())
}

#[tokio::test]
async fn the_marks_of_cluster_scoped_objects_take_the_right_on_all_bindings() -> Result<()> {
    let stage = Stage::open("marks-cluster").await?;
    let name = stage.name("kept");
    let one = stage.somebody("one").await?;
    one.may_manage(&[&name]).await?;
    let all = stage.somebody("all").await?;
    all.may_manage(&[]).await?;
    // Any cluster-scoped kind that somebody may write: here, a namespace.
    let forged = Ask::post(
        "/api/v1/namespaces",
        namespace(json!({ "name": name, "annotations": { "nsclass.io/object": format!("/Namespace//{name}") } })),
    );
    forged.denied(&one.client, POLICY, &["all NamespaceClassBindings"]).await?;
    forged.dry().done(&all.client).await?;
    Ok(())
}

#[tokio::test]
async fn bad12_nobody_writes_what_is_ours_in_the_name_of_our_field_manager() -> Result<()> {
    let stage = Stage::open("bad12-name").await?;
    let tenant = stage.somebody("tenant").await?;
    let room = stage.namespace_with("pay", json!({})).await?;
    let ours = marked(&stage, "ConfigMap", &room, "ours", &json!({ "data": { "a": "ours" } }));
    let path = at(&room, "/configmaps/ours");
    Ask::apply(&path, FIELD_MANAGER, ours).done(&stage.admin).await?;
    let theirs = json!({ "data": { "a": "theirs" } });
    let mut applied = theirs.clone();
    applied["apiVersion"] = json!("v1");
    applied["kind"] = json!("ConfigMap");
    applied["metadata"] = json!({ "name": "ours" });
    let says = ["field manager nsclass-controller", &*tenant.user, "/ours"];
    let in_our_name = format!("{path}?fieldManager={FIELD_MANAGER}");
    Ask::merge(&in_our_name, theirs.clone()).denied(&tenant.client, POLICY, &says).await?;
    // What leaves the marks alone and says who writes is the operator's to repair, not the policy's to forbid.
    Ask::merge(&path, theirs).done(&tenant.client).await?;
    Ask::post(
        at(&room, "/configmaps?fieldManager=nsclass-controller"),
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "their-own" }
        }),
    )
    .done(&tenant.client)
    .await?;
    Ask::apply(&path, FIELD_MANAGER, applied).denied(&tenant.client, POLICY, &["nsclass.io/", &*tenant.user]).await?;
    Ok(())
}
