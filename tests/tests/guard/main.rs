//! What keeps people from harm: the mass-delete guard (class.md C47) and suspension (C39), on the real control plane.

mod edits;
mod labels;
mod restarts;
mod suspend;

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{ListParams, Patch, PatchParams};
use nsclass_shared::api::{ClassStatus, GuardHeld, get_condition};
use nsclass_shared::names::CONFIRM_ANNOTATION;
use nsclass_tests::{World, eventually, holds_for};
use serde_json::{Value, json};

/// A class of these config maps.
fn class(maps: &[&str]) -> Value {
    let items: Vec<Value> = maps
        .iter()
        .map(|name| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": {} }))
        .collect();
    json!({ "resources": items, "optOutDelay": "0s" })
}

/// Namespaces `n0`, `n1`, … of the class `std`, all ready.
async fn fill(world: &World, count: usize) -> Result<Vec<String>> {
    let names: Vec<String> = (0..count).map(|n| format!("n{n}")).collect();
    try_join_all(names.iter().map(|name| world.namespace(name).of_class("std").create())).await?;
    try_join_all(names.iter().map(|name| world.ready(name, "std"))).await?;
    Ok(names)
}

/// Those of the namespaces in which the config map is.
async fn having(world: &World, names: &[String], map: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for name in names {
        let maps: Api<ConfigMap> = Api::namespaced(world.client(), &world.name(name));
        let list = maps.list(&ListParams::default().fields(&format!("metadata.name={map}"))).await?;
        found.extend(list.items.first().filter(|m| m.metadata.deletion_timestamp.is_none()).map(|_| name.clone()));
    }
    Ok(found)
}

/// Waits until exactly `count` of the namespaces have the config map, and looks that it stays so.
async fn settles_at(world: &World, names: &[String], map: &str, count: usize) -> Result<Vec<String>> {
    eventually(format!("{count} namespaces have {map}"), async || {
        let found = having(world, names, map).await?;
        ensure!(found.len() == count, "{found:?}");
        Ok(())
    })
    .await?;
    holds_for(Duration::from_secs(2), "no more of them go", async || {
        let found = having(world, names, map).await?;
        ensure!(found.len() == count, "{found:?}");
        Ok(())
    })
    .await?;
    having(world, names, map).await
}

/// Waits until the class `std` says that so many namespaces are held, and returns what it says.
async fn held(world: &World, count: u32) -> Result<GuardHeld> {
    eventually(format!("the class says that {count} namespaces are held"), async || {
        let status = status(world).await?;
        let held = status.guard.held.first().context("nothing is held")?;
        ensure!(status.guard.held.len() == 1 && held.namespaces == count, "{:?}", status.guard);
        let engaged = get_condition(&status.conditions, "GuardEngaged").context("no condition")?;
        ensure!(engaged.status == "True" && engaged.message.contains(&held.digest), "{}", engaged.message);
        Ok(held.clone())
    })
    .await
}

/// Waits until the class `std` says that nothing is held.
async fn nothing_held(world: &World) -> Result<()> {
    eventually("the class says that nothing is held", async || {
        let status = status(world).await?;
        let engaged = get_condition(&status.conditions, "GuardEngaged").context("no condition")?;
        ensure!(engaged.status == "False" && status.guard.held.is_empty(), "{:?}", status.guard);
        Ok(())
    })
    .await
}

async fn status(world: &World) -> Result<ClassStatus> {
    let class = world.classes().get(&world.name("std")).await?;
    serde_json::from_value(class.data["status"].clone()).context("no status")
}

/// Confirms a change of the class `std`.
async fn confirm(world: &World, digest: &str) -> Result<()> {
    annotate(world, CONFIRM_ANNOTATION, Some(digest)).await
}

/// Sets or removes an annotation of the class `std`.
async fn annotate(world: &World, key: &str, value: Option<&str>) -> Result<()> {
    let patch = Patch::Merge(json!({ "metadata": { "annotations": { key: value } } }));
    world.classes().patch(&world.name("std"), &PatchParams::default(), &patch).await?;
    Ok(())
}
