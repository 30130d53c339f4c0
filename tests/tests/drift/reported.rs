//! `drift: Report` and `drift: Ignore`, and the way back from them (class.md C34).

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_shared::api::get_condition;
use nsclass_tests::{eventually, holds_for};
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, for_objects, maps};

fn class(drift: &str) -> Value {
    json!({ "drift": drift, "resources": [config_map("a", &json!({ "k": "1" })), config_map("b", &json!({ "k": "1" }))] })
}

async fn change(world: &Stage) -> Result<()> {
    let change = Patch::Merge(json!({ "data": { "k": "2" } }));
    maps(world, "pay").patch("a", &PatchParams::default(), &change).await?;
    maps(world, "pay").delete("b", &DeleteParams::default()).await?;
    Ok(())
}

/// Waits for the condition `Drifted` with this status; returns its message.
async fn drifted(world: &Stage, status: &str) -> Result<String> {
    eventually(format!("Drifted is {status}"), async || {
        let binding = world.binding("pay").await?.context("no binding")?;
        let said = get_condition(&binding.status.context("no status")?.conditions, "Drifted").cloned();
        let said = said.context("nothing is said")?;
        ensure!(said.status == status, "{said:?}");
        Ok(said.message)
    })
    .await
}

async fn healed(world: &Stage) -> Result<()> {
    eventually("both are as the class says", async || {
        for name in ["a", "b"] {
            let data = maps(world, "pay").get(name).await?.data.context("no data")?;
            ensure!(data["k"] == "1", "{data:?}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn c34_report_says_it_and_writes_no_object_and_repair_undoes_it_later() -> Result<()> {
    let world = Stage::open("c34-report").await?;
    world.class("std", class("Report")).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let mark = world.mark().await?;
    change(&world).await?;
    eventually("both are named", async || {
        let message = drifted(&world, "True").await?;
        ensure!(message.contains("ConfigMap a, ConfigMap b"), "{message}");
        Ok(())
    })
    .await?;
    let asked = for_objects(&world.asked(mark, "pay").await?);
    ensure!(asked.writes().is_empty(), "an object was written:\n{asked}");
    let mark = world.mark().await?;
    holds_for(Duration::from_secs(2), "it stays", async || drifted(&world, "True").await.map(|_| ())).await?;
    let rest = world.asked(mark, "pay").await?;
    ensure!(rest.is_empty(), "it is said, and yet:\n{rest}");
    world.class("std", class("Repair")).await?;
    healed(&world).await?;
    drifted(&world, "False").await?;
    Ok(())
}

#[tokio::test]
async fn c34_ignore_asks_for_nothing_and_repair_undoes_it_later() -> Result<()> {
    let world = Stage::open("c34-ignore").await?;
    world.class("std", class("Ignore")).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let mark = world.mark().await?;
    change(&world).await?;
    holds_for(Duration::from_secs(2), "it stays", async || {
        ensure!(maps(&world, "pay").get_opt("b").await?.is_none(), "it was made again");
        Ok(())
    })
    .await?;
    let asked = world.asked(mark, "pay").await?;
    ensure!(asked.is_empty(), "it is ignored, and yet:\n{asked}");
    world.class("std", class("Repair")).await?;
    healed(&world).await
}
