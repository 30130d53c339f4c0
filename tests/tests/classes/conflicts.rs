//! Fields that others hold (class.md C31, C37).

use anyhow::{Result, ensure};
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, follows, maps, says};

fn class(drift: &str, value: &str) -> Value {
    json!({ "resources": [config_map("a", &json!({ "k": value }))], "drift": drift })
}

#[tokio::test]
async fn c37_a_field_of_another_manager_is_a_conflict_where_drift_is_only_reported() -> Result<()> {
    let world = Stage::open("c37-conflict").await?;
    world.class("std", class("Report", "1")).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let theirs = Patch::Apply(config_map("a", &json!({ "k": "theirs" })));
    maps(&world, "pay").patch("a", &PatchParams::apply("tenant-tool").force(), &theirs).await?;
    world.class("std", class("Report", "2")).await?;
    let message = world.not_ready("pay", "ApplyConflict").await?;
    says(&message, &["ConfigMap a", "\"tenant-tool\" holds .data.k", "drift: Repair"])?;
    let value =
        async || Ok::<_, anyhow::Error>(maps(&world, "pay").get("a").await?.data.unwrap_or_default()["k"].clone());
    ensure!(value().await? == "theirs", "it was taken");
    let repairing = world.class("std", class("Repair", "2")).await?;
    follows(&world, "pay", &repairing).await?;
    ensure!(value().await? == "2", "it was not taken back");
    Ok(())
}
