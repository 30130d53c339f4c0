//! Too much (bad input 9).

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use kube::api::ListParams;
use nsclass_tests::eventually_within;
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, ensure_maps, follows, for_objects, items, maps, refused, says};

/// Config maps of those names.
fn many(prefix: &str, count: usize) -> Vec<Value> {
    (0..count).map(|i| config_map(&format!("{prefix}-{i}"), &json!({}))).collect()
}

#[tokio::test]
async fn bad09_a_class_of_101_items_is_refused_when_it_is_stored() -> Result<()> {
    let world = Stage::open("bad09-items").await?;
    let Err(error) = world.class("std", items(&many("a", 101))).await else { bail!("it is stored") };
    says(&format!("{error:#}"), &["spec.resources", "100"])
}

#[tokio::test]
async fn bad09_a_class_of_more_than_a_megabyte_is_not_accepted_and_says_how_much_it_may_be() -> Result<()> {
    let world = Stage::open("bad09-bytes").await?;
    let large = |i: usize| config_map(&format!("a-{i}"), &json!({ "text": "x".repeat(200_000) }));
    world.class("std", items(&(0..6).map(large).collect::<Vec<_>>())).await?;
    world.namespace("pay").of_class("std").create().await?;
    let parts = ["spec.resources", "a class has at most 1048576", "split the class"];
    says(&world.not_ready("pay", "ClassInvalid").await?, &parts)?;
    says(&refused(&world, "std").await?, &parts)?;
    ensure_maps(&world, "pay", &[]).await
}

#[tokio::test]
async fn bad09_old_and_new_objects_of_more_than_an_inventory_are_refused_before_anything_is_applied() -> Result<()> {
    let world = Stage::open("bad09-union").await?;
    // What fails keeps what is stale, so classes add up.
    let failing = |prefix: &str| {
        let mut all = many(prefix, 99);
        all.push(config_map(&format!("{prefix}-bad"), &json!({ "number": 1 })));
        items(&all)
    };
    let class = world.class("a", items(&many("a", 100))).await?;
    world.class("b", failing("b")).await?;
    world.class("c", failing("c")).await?;
    world.class("d", items(&many("d", 1))).await?;
    world.namespace("pay").of_class("a").create().await?;
    follows(&world, "pay", &class).await?;
    for (short, total, failing) in [("b", 200, 1), ("c", 300, 2)] {
        world.join("pay", short).await?;
        eventually_within(Duration::from_secs(120), format!("{total} objects"), async || {
            let status = world.binding("pay").await?.context("binding")?.status.context("status")?;
            let ready = status.conditions.first().context("condition")?;
            ensure!(
                status.objects == total && ready.reason == "InvalidManifest",
                "{} {}",
                status.objects,
                ready.reason
            );
            let failed = status.inventory.iter().filter(|e| e.uid.is_empty()).count();
            ensure!(failed == failing, "{failed} without UID");
            Ok(())
        })
        .await?;
    }
    let mark = world.mark().await?;
    world.join("pay", "d").await?;
    says(&world.not_ready("pay", "InventoryTooLarge").await?, &["301", "300", "two steps"])?;
    let asked = for_objects(&world.asked(mark, "pay").await?);
    ensure!(asked.is_empty(), "{asked}");
    ensure!(maps(&world, "pay").list(&ListParams::default()).await?.items.len() >= 298, "objects are missing");
    Ok(())
}
