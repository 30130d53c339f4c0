//! The main job on the real control plane: a class becomes objects, and they follow it.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, ResourceExt};
use nsclass_tests::{Operator, World, eventually};
use serde_json::{Value, json};

fn config_map(name: &str, data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data })
}

#[tokio::test]
async fn c01_a_labelled_namespace_gets_what_its_class_says() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c01");
    world
        .class("std", json!({ "resources": [config_map("about", &json!({ "team": "{{ .Namespace.Labels.team }}" }))] }))
        .await?;
    world.namespace("pay").of_class("std").label("team", "blue").create().await?;
    let binding = world.ready("pay", "std").await?;
    let status = binding.status.context("status")?;
    ensure!(status.inventory.len() == 1 && !status.inventory[0].uid.is_empty(), "{status:?}");
    let maps: Api<ConfigMap> = Api::namespaced(world.client(), &world.name("pay"));
    let about = maps.get("about").await?;
    ensure!(about.data.as_ref().is_some_and(|d| d["team"] == "blue"), "{about:?}");
    ensure!(about.labels()["nsclass.io/managed"] == "true", "{about:?}");
    Ok(())
}

#[tokio::test]
async fn c04_a_switch_keeps_the_shared_object_and_drops_the_stale_one() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c04");
    world
        .class(
            "a",
            json!({ "resources": [config_map("shared", &json!({ "a": "1" })), config_map("only-a", &json!({}))] }),
        )
        .await?;
    world
        .class(
            "b",
            json!({ "resources": [config_map("shared", &json!({ "b": "2" })), config_map("only-b", &json!({}))] }),
        )
        .await?;
    world.namespace("pay").of_class("a").create().await?;
    world.ready("pay", "a").await?;
    let maps: Api<ConfigMap> = Api::namespaced(world.client(), &world.name("pay"));
    let before = maps.get("shared").await?.uid();
    world.join("pay", "b").await?;
    world.ready("pay", "b").await?;
    let shared = maps.get("shared").await?;
    ensure!(shared.uid() == before, "the shared object was made anew");
    ensure!(shared.data.as_ref().is_some_and(|d| d.len() == 1 && d["b"] == "2"), "{shared:?}");
    ensure!(maps.get_opt("only-a").await?.is_none() && maps.get_opt("only-b").await?.is_some(), "stale or missing");
    eventually("the class a is free", async || {
        let class = world.classes().get(&world.name("a")).await?;
        ensure!(class.finalizers().is_empty(), "{:?}", class.finalizers());
        Ok(())
    })
    .await
}
