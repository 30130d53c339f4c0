//! What needs a control plane of its own: restarts, and our own definitions changed under the controller.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::DeleteParams;
use kube::{Api, ResourceExt};
use nsclass_shared::api::{crds, get_condition};
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, Options, World, eventually, holds_for};
use serde_json::{Value, json};

use crate::stage::{about, class_says, config_map, ensure_maps, follows, items, maps, of_controller, refused, says};

/// Our definitions as they were before any rule: every field is kept and none is looked at.
fn lax() -> Result<Vec<CustomResourceDefinition>> {
    let mut all = serde_json::to_value(crds())?;
    for crd in all.as_array_mut().context("list")? {
        if crd["spec"]["names"]["kind"] == "NamespaceClass" {
            crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = json!({
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            });
        }
    }
    Ok(serde_json::from_value(all)?)
}

#[tokio::test]
async fn bad14_a_class_stored_before_a_rule_existed_gets_a_condition_and_the_others_go_on() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    cp.install_crds(&lax()?).await?;
    let world = World::new(&cp, "bad14");
    // What no rule of today lets through, in four ways.
    let map = || config_map("a", &json!({}));
    let bad = [
        ("word", json!({ "resources": [map()], "drift": "Perhaps" })),
        ("delay", json!({ "resources": [map()], "optOutDelay": "soon" })),
        ("shape", json!({ "resources": { "a": "map" } })),
        ("empty", json!({ "resources": [] })),
    ];
    for (short, spec) in bad.clone() {
        world.class(short, spec).await?;
        world.namespace(short).of_class(short).create().await?;
    }
    world.class("good", items(&[map()])).await?;
    world.namespace("good").of_class("good").create().await?;
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    world.ready("good", "good").await?;
    for (short, _) in bad {
        let message = refused(&world, short).await.with_context(|| short.to_owned())?;
        says(&message, &["spec"])?;
        says(&world.not_ready(short, "ClassInvalid").await?, &[&world.name(short), "not accepted"])?;
        ensure_maps(&world, short, &[]).await?;
    }
    // Corrected, it works like any other.
    let mended = world.class("word", items(&[map()])).await?;
    follows(&world, "word", &mended).await?;
    // And one that cannot be read can be deleted.
    world.delete_class("shape").await?;
    eventually("the unreadable class is gone", async || {
        ensure!(world.classes().get_opt(&world.name("shape")).await?.is_none(), "it is there");
        Ok(())
    })
    .await?;
    operator.program().ensure_running()
}

#[tokio::test]
async fn c31_nothing_is_written_at_rest_nor_over_a_restart() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    let world = World::new(&cp, "c31-restart");
    let policy = json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": { "name": "deny" },
        "spec": { "podSelector": {}, "policyTypes": ["Ingress"], "ingress": [] },
    });
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": "reader-of-{{ .Namespace.Name }}" }, "rules": [],
    });
    let class: Value = items(&[policy, role, config_map("a", &json!({ "ns": "{{ .Namespace.Name }}" }))]);
    world.class("std", class).await?;
    for short in ["x", "y"] {
        world.namespace(short).of_class("std").create().await?;
        world.ready(short, "std").await?;
    }
    // Some that are not as desired, and some that only wait.
    world.class("bad", items(&[config_map("b", &json!({ "number": 1 }))])).await?;
    world.namespace("bad").of_class("bad").create().await?;
    world.not_ready("bad", "InvalidManifest").await?;
    world.namespace("absent").of_class("absent").create().await?;
    world.not_ready("absent", "ClassNotFound").await?;
    class_says(&world, "std", |status| {
        ensure!(status.namespaces.ready == 2, "{status:?}");
        Ok(())
    })
    .await?;
    class_says(&world, "bad", |status| {
        let ready = get_condition(&status.conditions, "Ready").context("Ready")?;
        ensure!(status.namespaces.failing == 1, "{status:?}");
        says(&ready.message, &["InvalidManifest"])
    })
    .await?;
    let mark = cp.audit().mark().await?;
    ensure!(operator.program().terminate().await?.success(), "it did not stop in order");
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    eventually("it has looked at every namespace", async || {
        let rest = operator.metric("nsclass_passes_total{end=\"rest\"}").await?;
        ensure!(rest >= 4.0, "{rest}");
        Ok(())
    })
    .await?;
    holds_for(Duration::from_secs(4), "the objects stay", async || ensure_maps(&world, "x", &["a"]).await).await?;
    let asked = of_controller(&cp.audit().since(mark).await?);
    let writes = asked.writes();
    // The one that the server could not read is asked about once by each process.
    let attempts = writes.named("b");
    ensure!(attempts.len() <= 1 && writes.len() == attempts.len(), "at rest, and yet:\n{writes}");
    let objects = about(&cp, mark, &world.name("x")).await?;
    ensure!(objects.is_empty(), "at rest, and yet:\n{objects}");
    Ok(())
}

#[tokio::test]
async fn fault12_our_own_definition_of_bindings_removed_and_restored_loses_nothing() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    let world = World::new(&cp, "fault12-own");
    let class = |v: &str| items(&[config_map("a", &json!({ "v": v })), config_map("b", &json!({}))]);
    world.class("std", class("1")).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let before = maps(&world, "pay").get("a").await?;
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client());
    let name = "namespaceclassbindings.nsclass.io";
    definitions.delete(name, &DeleteParams::default()).await?;
    eventually("our definition is gone", async || {
        ensure!(definitions.get_opt(name).await?.is_none(), "it is there");
        Ok(())
    })
    .await?;
    let same = async || {
        let map = maps(&world, "pay").get("a").await?;
        ensure!(map.uid() == before.uid() && map.metadata.deletion_timestamp.is_none(), "{:?}", map.metadata);
        Ok(())
    };
    holds_for(Duration::from_secs(3), "nothing is touched", same).await?;
    cp.install_crds(&crds()).await?;
    let edited = world.class("std", class("2")).await?;
    follows(&world, "pay", &edited).await?;
    let after = maps(&world, "pay").get("a").await?;
    ensure!(after.uid() == before.uid() && after.data.as_ref().is_some_and(|d| d["v"] == "2"), "{after:?}");
    ensure_maps(&world, "pay", &["a", "b"]).await?;
    operator.program().ensure_running()
}
