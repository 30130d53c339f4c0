//! Another controller fights for a field (class.md C35, fault 15).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kube::api::{Patch, PatchParams};
use nsclass_shared::api::get_condition;
use nsclass_tests::{eventually, holds_for};
use serde_json::json;

use crate::stage::{Stage, config_map, for_objects, items, maps};

#[tokio::test]
async fn fault15_a_fight_for_a_field_is_damped_and_said_with_who_fights_for_what() -> Result<()> {
    let world = Stage::open("fault15").await?;
    world
        .class("std", items(&[config_map("a", &json!({ "k": "ours" })), config_map("b", &json!({ "k": "1" }))]))
        .await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let mark = world.mark().await?;
    let (maps, over, flips) = (maps(&world, "pay"), Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    // As a controller with a wish of its own does it: at once, whenever it finds another value.
    let rival = tokio::spawn({
        let (maps, over, flips) = (maps.clone(), over.clone(), flips.clone());
        async move {
            let params = PatchParams { field_manager: Some("rival".into()), ..PatchParams::default() };
            while !over.load(Ordering::Relaxed) {
                let is_theirs = maps.get("a").await?.data.is_some_and(|data| data["k"] == "theirs");
                if !is_theirs {
                    maps.patch("a", &params, &Patch::Merge(json!({ "data": { "k": "theirs" } }))).await?;
                    flips.fetch_add(1, Ordering::Relaxed);
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            anyhow::Ok(())
        }
    });
    let said = async || {
        let binding = world.binding("pay").await?.context("no binding")?;
        let said = get_condition(&binding.status.context("no status")?.conditions, "Drifted").cloned();
        let said = said.context("nothing is said")?;
        ensure!(said.status == "True" && said.reason == "FoughtFor", "{said:?}");
        ensure!(said.message.contains("ConfigMap a: \"rival\" changed .data.k"), "{}", said.message);
        Ok(binding.metadata.resource_version)
    };
    let first = eventually("the fight is said", said).await?;
    // From here on: one after 2 s, one after 4, one after 8. Others of the namespace are served as ever.
    let before = flips.load(Ordering::Relaxed);
    maps.patch("b", &PatchParams::default(), &Patch::Merge(json!({ "data": { "k": "2" } }))).await?;
    holds_for(Duration::from_secs(10), "the fight is said once", async || {
        ensure!(said().await? == first, "written again");
        Ok(())
    })
    .await?;
    let rounds = flips.load(Ordering::Relaxed) - before;
    ensure!((1..=4).contains(&rounds), "{rounds} rounds in ten seconds");
    let asked = world.asked(mark, "pay").await?;
    let (writes, records) = (for_objects(&asked).writes().named("a"), asked.on("namespaceclassbindings.nsclass.io"));
    ensure!(writes.len() <= 9 && records.writes().len() <= 2, "{asked}");
    let data = maps.get("b").await?.data.context("no data")?;
    ensure!(data["k"] == "1", "another object waited for the fight: {data:?}");
    over.store(true, Ordering::Relaxed);
    rival.await??;
    eventually("the field is set back once more", async || {
        let data = maps.get("a").await?.data.context("no data")?;
        ensure!(data["k"] == "ours", "{data:?}");
        Ok(())
    })
    .await
}
