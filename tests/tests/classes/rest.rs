//! How many requests a namespace costs, and that rest is rest (class.md C30, C31).

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kube::ResourceExt;
use nsclass_tests::holds_for;
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, ensure_maps, follows, for_objects, items};

/// As an admin writes "nothing comes in": an apply that changes nothing raises its resourceVersion all the same.
fn deny_all() -> Value {
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": { "name": "deny" },
        "spec": { "podSelector": {}, "policyTypes": ["Ingress"], "ingress": [] },
    })
}

#[tokio::test]
async fn c31_a_convergence_of_n_objects_is_n_and_two_requests_and_an_edit_one_less() -> Result<()> {
    let world = Stage::open("c31").await?;
    let class = |v: &str| items(&[deny_all(), config_map("a", &json!({ "v": v })), config_map("b", &json!({}))]);
    world.class("std", class("1")).await?;
    // A second namespace, so that the class has its finalizer before the first one that is counted.
    world.namespace("before").of_class("std").create().await?;
    world.ready("before", "std").await?;
    let mark = world.mark().await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let first = world.asked(mark, "pay").await?;
    ensure!(first.len() == 3 + 2 && first.writes().len() == 5, "not N + 2:\n{first}");
    let mark = world.mark().await?;
    let edited = world.class("std", class("2")).await?;
    follows(&world, "pay", &edited).await?;
    let edit = world.asked(mark, "pay").await?;
    ensure!(edit.len() == 1 + 1, "not one apply and one record:\n{edit}");
    let mark = world.mark().await?;
    holds_for(Duration::from_secs(5), "the objects stay", async || ensure_maps(&world, "pay", &["a", "b"]).await)
        .await?;
    let rest = world.asked(mark, "pay").await?;
    ensure!(rest.is_empty(), "at rest, and yet:\n{rest}");
    // The record has one writer: of it the server keeps no field owners, which would be half of its bytes and of the work on it.
    let record = world.bindings().get(&world.name("pay")).await?;
    ensure!(record.managed_fields().is_empty(), "{:?}", record.managed_fields());
    Ok(())
}

#[tokio::test]
async fn c30_the_union_is_written_then_applied_then_the_stale_deleted_then_the_end_written() -> Result<()> {
    let world = Stage::open("c30").await?;
    world.class("std", items(&[config_map("kept", &json!({ "v": "1" })), config_map("old", &json!({}))])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let mark = world.mark().await?;
    let next = items(&[deny_all(), config_map("kept", &json!({ "v": "2" })), config_map("new", &json!({}))]);
    let edited = world.class("std", next).await?;
    follows(&world, "pay", &edited).await?;
    let asked = world.asked(mark, "pay").await?;
    let records = asked.on("namespaceclassbindings.nsclass.io").writes();
    let (applies, deletes) = (for_objects(&asked).verb("patch"), for_objects(&asked).verb("delete"));
    ensure!(records.len() == 2 && applies.len() == 3 && deletes.len() == 1, "{asked}");
    let (union, end) = (records.iter().next().context("union")?, records.iter().last().context("end")?);
    let delete = deletes.iter().next().context("delete")?;
    for apply in applies.iter() {
        ensure!(union.answered <= apply.received && apply.answered <= delete.received, "{apply:?}");
    }
    ensure!(delete.name == "old" && delete.answered <= end.received, "{delete:?}, {end:?}");
    ensure_maps(&world, "pay", &["kept", "new"]).await
}
