//! A class that a namespace has left.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kube::{Api, ResourceExt};
use nsclass_shared::api::NamespaceClass;
use nsclass_tests::{Operator, World, eventually, holds_for};
use serde_json::json;

/// The class of `short`, when `bound` namespaces are counted; and whether it is protected.
async fn counted(world: &World, short: &str, bound: u32) -> Result<bool> {
    let classes: Api<NamespaceClass> = Api::all(world.client());
    let class = classes.get(&world.name(short)).await?;
    let counts = class.status.as_ref().context("no status")?.namespaces;
    ensure!(counts.bound == bound && counts.ready == bound, "{counts:?}");
    Ok(!class.finalizers().is_empty())
}

/// The status of a class is written at most every five seconds; what is pending then must not be what tells it of the switch.
#[tokio::test]
async fn c03_a_class_that_its_last_namespace_left_is_free_also_when_it_was_at_rest() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "left");
    for (class, item) in [("a", "one"), ("b", "two")] {
        let item = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": item } });
        world.class(class, json!({ "resources": [item] })).await?;
    }
    world.namespace("pay").of_class("a").create().await?;
    world.ready("pay", "a").await?;
    let protected = eventually("class a counts its namespace", async || counted(&world, "a", 1).await).await?;
    ensure!(protected, "a bound class carries the finalizer");
    holds_for(Duration::from_secs(6), "class a is at rest", async || counted(&world, "a", 1).await.map(drop)).await?;

    world.join("pay", "b").await?;
    world.ready("pay", "b").await?;
    eventually("class a is free, and counts nobody", async || {
        let protected = counted(&world, "a", 0).await?;
        ensure!(!protected, "it carries the finalizer");
        Ok(())
    })
    .await
}
