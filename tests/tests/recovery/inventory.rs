//! A damaged inventory and a lost binding (class.md C45).

use anyhow::{Context, Result, ensure};
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_tests::audit::Requests;
use nsclass_tests::{Operator, World, eventually};
use serde_json::json;

use crate::{class, objects};

/// Waits until the inventory lists exactly these names, in their order, each with its UID.
async fn listed(world: &World, namespace: &str, names: &[String]) -> Result<()> {
    eventually(format!("the inventory lists {names:?}"), async || {
        let status = world.binding(namespace).await?.context("no binding")?.status.context("no status")?;
        let mut found: Vec<_> = status.inventory.iter().filter(|e| !e.uid.is_empty()).map(|e| e.name.clone()).collect();
        found.sort();
        ensure!(found == names && status.objects as usize == names.len(), "{found:?} and {}", status.objects);
        Ok(())
    })
    .await
}

fn names(world: &World, maps: &[&str]) -> Vec<String> {
    let role = format!("reader-of-{}", world.name("pay"));
    let mut names: Vec<String> = maps.iter().map(|name| (*name).to_owned()).chain([role]).collect();
    names.sort();
    names
}

fn deletions(requests: &Requests, world: &World) -> Requests {
    requests.by_agent("nsclass-controller").verb("delete").filter(|r| {
        r.name != world.name("pay") && (r.namespace == world.name("pay") || r.name.contains(&world.name("pay")))
    })
}

#[tokio::test]
async fn c45_a_damaged_inventory_deletes_nothing_and_is_rebuilt_from_what_is_ours_by_its_marks() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c45-damaged");
    world.class("std", class(&["a", "b"])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    listed(&world, "pay", &names(&world, &["a", "b"])).await?;
    let before = objects(&world, "pay").await?;
    let mark = cp.audit().mark().await?;
    let inventories = [
        json!({ "status": { "inventory": [] } }),
        json!({ "status": { "inventory": [{ "version": "v1", "kind": "ConfigMap", "namespace": "kube-system", "name": "a", "uid": "x" }], "objects": 1 } }),
        // The API server looks at no entry.
        json!({ "status": { "inventory": [{ "version": 1, "kind": ["ConfigMap"], "name": "a" }], "objects": 1 } }),
        json!({ "status": { "inventory": "none", "conditions": [{ "type": "Ready" }, 7] } }),
        json!({ "status": null }),
    ];
    for damaged in inventories {
        // Its answer would be as hard to read.
        world.bindings().patch_metadata(&world.name("pay"), &PatchParams::default(), &Patch::Merge(&damaged)).await?;
        listed(&world, "pay", &names(&world, &["a", "b"])).await.with_context(|| damaged.to_string())?;
        world.ready("pay", "std").await?;
    }
    ensure!(objects(&world, "pay").await? == before, "something was made anew");
    let deleted = deletions(&cp.audit().since(mark).await?, &world);
    ensure!(deleted.is_empty(), "{deleted}");
    Ok(())
}

#[tokio::test]
async fn c45_what_the_class_no_longer_has_is_found_too_when_the_binding_is_lost() -> Result<()> {
    let (cp, operator) = Operator::shared().await?;
    let world = World::new(cp, "c45-lost");
    world.class("std", class(&["a", "b"])).await?;
    world.namespace("pay").of_class("std").create().await?;
    let lost = world.ready("pay", "std").await?;
    let before = objects(&world, "pay").await?;
    // While the controller stands still, the binding goes and the class is edited: nothing but the marks tells of `b`.
    operator.program().pause()?;
    let gone = world.bindings().delete(&world.name("pay"), &DeleteParams::default()).await;
    let edited = world.class("std", class(&["a"])).await;
    operator.program().resume()?;
    gone?;
    edited?;
    listed(&world, "pay", &names(&world, &["a"])).await?;
    eventually("what the class no longer has is gone, and the rest is as it was", async || {
        let binding = world.ready("pay", "std").await?;
        ensure!(binding.uid() != lost.uid(), "the old binding is there");
        let kept: Vec<_> = before.iter().filter(|(name, _)| name != "b").cloned().collect();
        let after = objects(&world, "pay").await?;
        ensure!(after == kept, "{after:?} instead of {kept:?}");
        Ok(())
    })
    .await
}
