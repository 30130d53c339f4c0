//! A controller of its own configuration: it looks at live objects every ten seconds, and namespaces never carry its finalizer.

use anyhow::{Context, Result, anyhow, ensure};
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_shared::api::get_condition;
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, Options, World, eventually};
use serde_json::json;
use tokio::sync::OnceCell;

use crate::{cluster_role, config_map, config_maps, ensure_held, role_of};

const CONFIG: &str = "controller: { periodicPassSeconds: 10, namespaceFinalizer: Never }\n";

/// The control plane of this file's tests; it ends with the process.
async fn started() -> Result<&'static ControlPlane> {
    static STARTED: OnceCell<Result<(ControlPlane, Operator), String>> = OnceCell::const_new();
    let start = async || {
        let cp = ControlPlane::start(Options::default()).await?;
        let options = OperatorOptions { config: CONFIG.into(), ..OperatorOptions::default() };
        let operator = Operator::start(&cp, options).await?;
        anyhow::Ok((cp, operator))
    };
    let started = STARTED.get_or_init(|| async { start().await.map_err(|error| format!("{error:#}")) }).await;
    started.as_ref().map(|(cp, _)| cp).map_err(|error| anyhow!("{error}"))
}

#[tokio::test]
async fn the_periodic_pass_brings_back_what_was_deleted_and_forces_changed_fields_back() -> Result<()> {
    let world = World::new(started().await?, "periodic");
    world.class("std", json!({ "resources": [config_map("deleted", "1"), config_map("changed", "1")] })).await?;
    world.class("lax", json!({ "drift": "Ignore", "resources": [config_map("changed", "1")] })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.class("told", json!({ "drift": "Report", "resources": [config_map("changed", "1")] })).await?;
    world.namespace("own").of_class("lax").create().await?;
    world.namespace("seen").of_class("told").create().await?;
    world.ready("pay", "std").await?;
    world.ready("own", "lax").await?;
    world.ready("seen", "told").await?;
    let change = json!({ "data": { "value": "2", "more": "mine" } });
    for namespace in ["pay", "own", "seen"] {
        let patch = Patch::Merge(&change);
        config_maps(&world, namespace).patch("changed", &PatchParams::default(), &patch).await?;
    }
    config_maps(&world, "pay").delete("deleted", &DeleteParams::default()).await?;
    eventually("both objects are as the class says", async || {
        let maps = config_maps(&world, "pay");
        ensure!(maps.get_opt("deleted").await?.is_some(), "not made again");
        let data = maps.get("changed").await?.data.context("no data")?;
        ensure!(data["value"] == "1" && data["more"] == "mine", "{data:?}");
        Ok(())
    })
    .await?;
    let ready = world.ready("pay", "std").await?.status.context("no status")?;
    let uid = config_maps(&world, "pay").get("deleted").await?.uid();
    ensure!(
        ready.inventory.iter().any(|e| e.name == "deleted" && Some(&e.uid) == uid.as_ref()),
        "{:?}",
        ready.inventory
    );
    eventually("the change is said and not undone", async || {
        let status = world.ready("seen", "told").await?.status.context("no status")?;
        let drifted = get_condition(&status.conditions, "Drifted").context("nothing said")?;
        ensure!(drifted.status == "True" && drifted.message.contains("ConfigMap changed"), "{drifted:?}");
        let data = config_maps(&world, "seen").get("changed").await?.data.context("no data")?;
        ensure!(data["value"] == "2", "undone: {data:?}");
        Ok(())
    })
    .await?;
    let ignored = config_maps(&world, "own").get("changed").await?.data.context("no data")?;
    ensure!(ignored["value"] == "2", "drift: Ignore was not heeded: {ignored:?}");
    Ok(())
}

#[tokio::test]
async fn c42_without_the_finalizer_cluster_scoped_objects_are_collected_all_the_same() -> Result<()> {
    let world = World::new(started().await?, "never");
    world.class("std", json!({ "resources": [cluster_role()] })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    ensure_held(&world, "pay", false).await?;
    world.delete_namespace("pay").await?;
    world.gone("pay").await?;
    world.unbound("pay").await?;
    ensure!(role_of(&world, "pay").await?.is_none(), "the cluster role is left");
    Ok(())
}
