//! What a class says of itself.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_shared::api::{NamespaceCounts, get_condition};
use nsclass_tests::holds_for;
use serde_json::json;

use crate::stage::{Stage, class_says, config_map, items, maps, of_controller, says};

#[tokio::test]
async fn a_class_counts_its_namespaces_and_writes_its_status_at_most_every_five_seconds() -> Result<()> {
    let world = Stage::open("status").await?;
    let name = world.name("std");
    let mark = world.mark().await?;
    world.class("std", items(&[config_map("a", &json!({}))])).await?;
    class_says(&world, "std", |status| {
        let accepted = get_condition(&status.conditions, "Accepted").context("Accepted")?;
        ensure!(accepted.status == "True" && status.namespaces.bound == 0, "{status:?}");
        Ok(())
    })
    .await?;
    // One that fails, and others one after the other.
    world.namespace("n0").create().await?;
    let theirs = Patch::Apply(config_map("a", &json!({ "k": "theirs" })));
    maps(&world, "n0").patch("a", &PatchParams::apply("somebody"), &theirs).await?;
    world.join("n0", "std").await?;
    for short in ["n1", "n2", "n3"] {
        world.namespace(short).of_class("std").create().await?;
        world.ready(short, "std").await?;
    }
    world.not_ready("n0", "NotOwned").await?;
    let status = class_says(&world, "std", |status| {
        let counts = NamespaceCounts { bound: 4, ready: 3, failing: 1 };
        ensure!(status.namespaces == counts, "{:?}", status.namespaces);
        Ok(())
    })
    .await?;
    let ready = get_condition(&status.conditions, "Ready").context("Ready")?;
    ensure!(ready.status == "False" && ready.observed_generation == status.observed_generation, "{ready:?}");
    says(&ready.message, &["1 of 4 namespaces", &format!("{} (NotOwned)", world.name("n0"))])?;
    maps(&world, "n0").delete("a", &DeleteParams::default()).await?;
    world.ready("n0", "std").await?;
    class_says(&world, "std", |status| {
        let ready = get_condition(&status.conditions, "Ready").context("Ready")?;
        ensure!(status.namespaces.ready == 4 && ready.status == "True", "{status:?}");
        says(&ready.message, &["all 4 namespaces"])
    })
    .await?;
    let writes = of_controller(&world.cp.audit().since(mark).await?).writes().named(&name);
    let times: Vec<_> = writes.filter(|r| r.subresource == "status").iter().map(|r| r.received).collect();
    let gaps: Vec<f64> = times.windows(2).map(|w| w[1].duration_since(w[0]).as_secs_f64()).collect();
    // The pause is counted from the answer on the controller's own clock.
    ensure!(times.len() >= 3 && gaps.iter().all(|gap| *gap >= 4.9), "{gaps:?}");
    let mark = world.mark().await?;
    holds_for(Duration::from_secs(6), "it says no more", async || Ok(())).await?;
    let writes = of_controller(&world.cp.audit().since(mark).await?).writes().named(&name);
    ensure!(writes.is_empty(), "at rest, and yet:\n{writes}");
    Ok(())
}
