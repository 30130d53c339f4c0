//! What happened while nobody watched (class.md C31, C34).

use anyhow::{Context, Result, ensure};
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, Options, World, eventually};
use serde_json::json;

use crate::stage::{config_map, items, maps, objects, of_controller};

#[tokio::test]
async fn c34_what_others_did_while_the_operator_was_down_is_undone_and_each_kind_is_listed_once() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    let world = World::new(&cp, "c34-restart");
    let policy = json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": { "name": "deny" },
        "spec": { "podSelector": {}, "policyTypes": ["Ingress"], "ingress": [] },
    });
    let class = items(&[policy, config_map("a", &json!({ "k": "1" })), config_map("b", &json!({ "k": "1" }))]);
    world.class("std", class).await?;
    for short in ["pay", "shop", "idle"] {
        world.namespace(short).of_class("std").create().await?;
        world.ready(short, "std").await?;
    }
    ensure!(operator.program().terminate().await?.success(), "it did not stop in order");
    maps(&world, "pay").delete("a", &DeleteParams::default()).await?;
    let change = Patch::Merge(json!({ "data": { "k": "2" } }));
    maps(&world, "pay").patch("b", &PatchParams::default(), &change).await?;
    let policies = |short: &str| objects(&world, short, "networking.k8s.io/v1", "NetworkPolicy", "networkpolicies");
    let open = Patch::Merge(json!({ "spec": { "egress": [{}] } }));
    policies("shop").patch("deny", &PatchParams::default(), &open).await?;
    let mark = cp.audit().mark().await?;
    let _operator = Operator::start(&cp, OperatorOptions::default()).await?;
    eventually("all is as the class says", async || {
        for name in ["a", "b"] {
            let data = maps(&world, "pay").get(name).await?.data.context("no data")?;
            ensure!(data["k"] == "1", "{name}: {data:?}");
        }
        let spec = policies("shop").get("deny").await?.data["spec"].clone();
        ensure!(spec["egress"].is_null(), "{spec}");
        Ok(())
    })
    .await?;
    world.ready("pay", "std").await?;
    let asked = of_controller(&cp.audit().since(mark).await?);
    for resource in ["networkpolicies.networking.k8s.io", "configmaps"] {
        let lists = asked.on(resource).verb("list").filter(|r| r.uri.contains("labelSelector=nsclass.io%2Fmanaged"));
        ensure!(lists.len() == 1, "{resource} is listed more than once:\n{lists}");
    }
    let idle = asked.in_namespace(&world.name("idle"));
    ensure!(idle.is_empty(), "nothing happened there, and yet:\n{idle}");
    Ok(())
}
