//! One item fails (class.md C36), and how often it is tried again.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_tests::{eventually, holds_for};
use serde_json::{Value, json};

use crate::configuration::Configured;
use crate::stage::{Stage, config_map, ensure_maps, follows, for_objects, items, maps, objects, says};

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// The server cannot read it: a number where text must be.
fn unreadable(name: &str) -> Value {
    config_map(name, &json!({ "number": 1 }))
}

fn grant() -> Value {
    json!({
        "apiVersion": RBAC, "kind": "RoleBinding", "metadata": { "name": "grant" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "team" }],
    })
}

async fn theirs(world: &Stage, namespace: &str, name: &str) -> Result<ConfigMap> {
    let apply = Patch::Apply(config_map(name, &json!({ "k": "theirs" })));
    Ok(maps(world, namespace).patch(name, &PatchParams::apply("somebody"), &apply).await?)
}

#[tokio::test]
async fn c36_one_failing_item_stops_no_other_and_holds_back_all_that_is_stale_but_grants() -> Result<()> {
    let world = Stage::open("c36").await?;
    world.class("std", items(&[config_map("old", &json!({})), grant()])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    world.class("std", items(&[config_map("a", &json!({})), unreadable("bad"), config_map("z", &json!({}))])).await?;
    let message = world.not_ready("pay", "InvalidManifest").await?;
    says(&message, &["ConfigMap bad", "stale until then: ConfigMap old"])?;
    ensure!(!message.contains("RoleBinding"), "{message}");
    ensure_maps(&world, "pay", &["a", "old", "z"]).await?;
    let grant = objects(&world, "pay", RBAC, "RoleBinding", "rolebindings").get_opt("grant").await?;
    ensure!(grant.is_none(), "a grant that the class no longer makes is still there");
    let mended = world.class("std", items(&[config_map("a", &json!({})), config_map("z", &json!({}))])).await?;
    follows(&world, "pay", &mended).await?;
    ensure_maps(&world, "pay", &["a", "z"]).await
}

#[tokio::test]
async fn c36_what_somebody_else_has_does_not_hold_pruning_back() -> Result<()> {
    let world = Stage::open("c36-owned").await?;
    world.namespace("pay").create().await?;
    theirs(&world, "pay", "taken").await?;
    world.class("std", items(&[config_map("taken", &json!({})), config_map("old", &json!({}))])).await?;
    world.join("pay", "std").await?;
    world.not_ready("pay", "NotOwned").await?;
    ensure_maps(&world, "pay", &["old", "taken"]).await?;
    world.class("std", items(&[config_map("taken", &json!({})), config_map("new", &json!({}))])).await?;
    eventually("the stale one is gone", async || ensure_maps(&world, "pay", &["new", "taken"]).await).await?;
    let message = world.not_ready("pay", "NotOwned").await?;
    ensure!(!message.contains("stale"), "{message}");
    Ok(())
}

#[tokio::test]
async fn c36_attempts_come_at_growing_intervals_and_one_success_ends_them() -> Result<()> {
    let world = Stage::open("c36-pauses").await?;
    // A reload looks at every namespace, and would be an attempt more.
    let configured = Configured::begin(&world).await?;
    world.namespace("pay").create().await?;
    theirs(&world, "pay", "taken").await?;
    world.class("std", items(&[config_map("taken", &json!({}))])).await?;
    let mark = world.mark().await?;
    world.join("pay", "std").await?;
    let attempts = eventually("five attempts", async || {
        // Each looks whether it is still there.
        let attempts = for_objects(&world.asked(mark, "pay").await?).verb("get");
        ensure!(attempts.len() >= 5, "{} attempts", attempts.len());
        Ok(attempts)
    })
    .await?;
    let times: Vec<_> = attempts.iter().map(|r| r.received).collect();
    let gaps: Vec<f64> = times.windows(2).map(|w| w[1].duration_since(w[0]).as_secs_f64()).collect();
    // Half a second, doubling, a quarter more or less: 0.5, 1, 2, 4.
    ensure!(gaps[0] >= 0.3 && gaps.windows(2).all(|w| w[1] > w[0]), "{gaps:?}");
    maps(&world, "pay").delete("taken", &DeleteParams::default()).await?;
    world.ready("pay", "std").await?;
    configured.end().await
}

#[tokio::test]
async fn c37_an_unreadable_manifest_is_tried_once_and_again_when_the_class_changes() -> Result<()> {
    let world = Stage::open("c37-unreadable").await?;
    world.class("std", items(&[unreadable("bad"), config_map("good", &json!({}))])).await?;
    let mark = world.mark().await?;
    world.namespace("pay").of_class("std").create().await?;
    let message = world.not_ready("pay", "InvalidManifest").await?;
    says(&message, &["ConfigMap bad", "data.number", "not tried again before the class changes"])?;
    holds_for(Duration::from_secs(4), "it is tried once", async || {
        let attempts = world.asked(mark, "pay").await?.named("bad");
        ensure!(attempts.len() == 1, "{attempts}");
        Ok(())
    })
    .await?;
    ensure_maps(&world, "pay", &["good"]).await?;
    let mended = world
        .class("std", items(&[config_map("bad", &json!({ "number": "1" })), config_map("good", &json!({}))]))
        .await?;
    let binding = follows(&world, "pay", &mended).await?;
    ensure!(binding.status.context("status")?.inventory.iter().all(|e| !e.uid.is_empty()), "an entry without UID");
    Ok(())
}
