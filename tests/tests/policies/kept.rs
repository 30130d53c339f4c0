//! What the controller keeps under the policies, and what a tenant can do to it (faults.md, bad input 7 and 12).

use anyhow::{Context, Result, ensure};
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_shared::names::{CLASS_LABEL, FINALIZER};
use nsclass_tests::{World, eventually};
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::controller;
use crate::lock::switch_on_as;
use crate::stage::{Stage, at};

fn map(name: &str, value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "value": value } })
}

fn items(items: &[Value]) -> Value {
    json!({ "resources": items })
}

/// Takes everything but the marks and the data from a live map.
fn copy_of(live: &Value, name: &str) -> Value {
    let Value::Object(labels) = &live["metadata"]["labels"] else { return Value::Null };
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": live["data"],
        "metadata": { "name": name, "labels": labels, "annotations": live["metadata"]["annotations"] },
    })
}

async fn gone(stage: &Stage, path: &str) -> Result<()> {
    eventually(format!("{path} is gone"), async || {
        ensure!(Ask::get(path).send(&stage.admin).await?.is_err(), "it is there");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn bad12_forged_and_copied_marks_never_bring_an_object_into_the_operators_hands() -> Result<()> {
    let stage = controller::open("bad12").await?;
    let tenant = stage.somebody("tenant").await?;
    stage.class("std", items(&[map("ours", "1"), map("also", "1")])).await?;
    let room = stage.namespace("pay").of_class("std").create().await?.name_any();
    let other = stage.namespace("tax").create().await?.name_any();
    stage.ready("pay", "std").await?;
    let path = |room: &str, name: &str| at(room, &format!("/configmaps/{name}"));

    // Copies, in the same namespace and in another one, and what is left of an attempt to forge.
    let live = stage.live(&path(&room, "ours")).await?;
    for (room, name) in [(&room, "copy"), (&other, "ours")] {
        Ask::post(at(room, "/configmaps"), copy_of(&live, name)).done(&tenant.client).await?;
    }
    let mut forged = copy_of(&live, "forged");
    forged["metadata"]["annotations"]["nsclass.io/object"] = json!(format!("/ConfigMap/{room}/forged"));
    Ask::post(at(&room, "/configmaps"), forged.clone()).denied(&tenant.client, "marks", &["verb manage"]).await?;
    // One that was forged before the policies were there proves itself, and is in no inventory.
    Ask::post(at(&room, "/configmaps"), forged).done(&stage.admin).await?;

    // The record, its status and the marks withstand.
    let binding = format!("/apis/nsclass.io/v1alpha1/namespaceclassbindings/{room}");
    let entry = json!({ "group": "", "version": "v1", "kind": "ConfigMap", "namespace": room, "name": "copy", "uid": "u", "applied": "a" });
    let more = json!([{ "op": "add", "path": "/status/inventory/-", "value": entry }]);
    Ask::operations(&binding, more).denied(&tenant.client, "bindings", &["verb manage"]).await?;
    Ask::delete(&binding).denied(&tenant.client, "bindings", &["verb manage"]).await?;
    let unmarked = json!({ "metadata": { "annotations": null, "labels": null } });
    Ask::merge(path(&room, "ours"), unmarked).denied(&tenant.client, "marks", &["verb manage"]).await?;
    let suspend = json!({ "metadata": { "annotations": { "nsclass.io/suspend": "true" } } });
    Ask::merge(at(&room, ""), suspend).denied(&tenant.client, "namespace-keys", &["verb manage"]).await?;

    // The class loses an item, then the namespace its class: ours go, and nothing else.
    stage.class("std", items(&[map("also", "1")])).await?;
    gone(&stage, &path(&room, "ours")).await?;
    stage.class("std", json!({ "resources": [map("also", "1")], "optOutDelay": "0s" })).await?;
    stage.leave("pay").await?;
    gone(&stage, &path(&room, "also")).await?;
    stage.unbound("pay").await?;
    for path in [path(&room, "copy"), path(&other, "ours"), path(&room, "forged")] {
        stage.live(&path).await.context("what is not the operator's was deleted")?;
    }
    Ok(())
}

#[tokio::test]
async fn the_controller_does_its_work_with_no_right_of_its_own_verbs_but_manage() -> Result<()> {
    let stage = controller::open("works").await?;
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": "of-{{ .Namespace.Name }}" }, "rules": [],
    });
    stage.class("first", items(&[map("a", "1"), role])).await?;
    stage.class("second", items(&[map("a", "2"), map("b", "2")])).await?;
    let room = stage.namespace("pay").of_class("first").create().await?.name_any();
    stage.ready("pay", "first").await?;
    let held = stage.namespaces().get(&room).await?;
    ensure!(held.finalizers().iter().any(|finalizer| finalizer == FINALIZER), "{:?}", held.finalizers());

    // Locked, too.
    switch_on_as(&stage, "lock", "works", json!({ "matchLabels": { "kubernetes.io/metadata.name": room } })).await?;
    let tenant = stage.somebody("tenant").await?;
    let edit = Ask::merge(at(&room, "/configmaps/a"), json!({ "data": { "value": "3" } }));
    eventually("the lock bites", async || edit.clone().dry().denied(&tenant.client, "lock", &[]).await).await?;
    stage.join("pay", "second").await?;
    stage.ready("pay", "second").await?;
    stage.join("pay", "first").await?;
    stage.ready("pay", "first").await?;
    gone(&stage, &at(&room, "/configmaps/b")).await?;
    Ask::delete(at(&room, "")).done(&tenant.client).await?;
    stage.gone("pay").await?;
    stage.unbound("pay").await?;
    gone(&stage, &format!("/apis/rbac.authorization.k8s.io/v1/clusterroles/of-{room}")).await
}

#[tokio::test]
async fn bad07_a_name_that_is_nearly_a_class_and_a_class_that_is_going_are_no_class() -> Result<()> {
    let stage = controller::open("bad07").await?;
    stage.class("std", items(&[map("a", "1")])).await?;
    let class = stage.name("std");
    for (index, near) in [class.to_uppercase(), format!("{class}x"), class[1..].to_owned()].into_iter().enumerate() {
        let short = format!("near{index}");
        stage.namespace(&short).label(CLASS_LABEL, near.clone()).create().await?;
        let message = stage.not_ready(&short, "ClassNotFound").await?;
        ensure!(message.contains(&near), "{message}");
        nothing_in(&stage, &short).await?;
    }
    stage.namespace("empty").label(CLASS_LABEL, "").create().await?;

    // Held by somebody else's finalizer, and then on its way out.
    let hold = Patch::Merge(json!({ "metadata": { "finalizers": ["example.com/hold"] } }));
    stage.classes().patch(&class, &PatchParams::default(), &hold).await?;
    stage.classes().delete(&class, &DeleteParams::default()).await?;
    stage.namespace("late").of_class("std").create().await?;
    stage.not_ready("late", "ClassNotFound").await?;
    for short in ["late", "empty"] {
        nothing_in(&stage, short).await?;
    }
    ensure!(stage.binding("empty").await?.is_none(), "an empty label asks for nothing");
    let let_go = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    stage.classes().patch(&class, &PatchParams::default(), &let_go).await?;
    Ok(())
}

async fn nothing_in(world: &World, short: &str) -> Result<()> {
    let path = at(&world.name(short), "/configmaps?labelSelector=nsclass.io/managed");
    let found = Ask::get(path).done(&world.client()).await?;
    ensure!(found["items"] == json!([]), "{found}");
    Ok(())
}
