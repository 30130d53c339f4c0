//! Processes that die in the middle, and namespaces that go in the middle.

use std::{collections::BTreeSet, time::Duration};

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, ResourceExt,
    api::{ListParams, Patch, PatchParams},
};
use nsclass_shared::{guard::digest_of_edit, names::CONFIRM_ANNOTATION};
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, Options, World, eventually};
use serde_json::{Value, json};

use crate::{cluster_role, config_map};

const NAMESPACES: usize = 12;
const KILLS: u32 = 10;

/// The set of items for a round: some come, some go, some change.
fn items(round: u32) -> Vec<Value> {
    let mut items = vec![cluster_role()];
    for i in 0..4 {
        if !(round + i).is_multiple_of(3) {
            items.push(config_map(&format!("map-{i}"), &(round + i).div_euclid(2).to_string()));
        }
    }
    items
}

/// Every object with our marks is in an inventory, now.
async fn ensure_nothing_untracked(world: &World) -> Result<()> {
    // Objects first: one that is created in between is in the inventory that is read after it.
    let maps: Api<ConfigMap> = Api::all(world.client());
    let managed = maps.list(&ListParams::default().labels("nsclass.io/managed=true")).await?;
    let recorded: BTreeSet<String> = world
        .bindings()
        .list(&ListParams::default())
        .await?
        .into_iter()
        .filter_map(|binding| binding.status)
        .flat_map(|status| status.inventory)
        .map(|entry| entry.identity().to_string())
        .collect();
    for map in managed {
        let object = &map.annotations()["nsclass.io/object"];
        // It may have been deleted, and its entry with it, between the two lists.
        let there = || async { maps_in(world, &map).get_opt(&map.name_any()).await };
        ensure!(recorded.contains(object) || there().await?.is_none(), "{object} is ours and in no inventory");
    }
    Ok(())
}

fn maps_in(world: &World, map: &ConfigMap) -> Api<ConfigMap> {
    Api::namespaced(world.client(), &map.namespace().unwrap_or_default())
}

#[tokio::test]
async fn fault01_sigkill_at_any_moment_leaves_nothing_untracked_and_ends_the_same() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let world = World::new(&cp, "kill");
    let mut operator = Operator::start(&cp, OperatorOptions::default()).await?;
    world.class("std", json!({ "resources": items(0) })).await?;
    let names: Vec<String> = (0..NAMESPACES).map(|i| format!("n{i}")).collect();
    for name in &names {
        world.namespace(name).of_class("std").create().await?;
    }
    for round in 1..=KILLS {
        let class = world.class("std", json!({ "resources": items(round) })).await?;
        // All namespaces lose objects, which is meant.
        let (uid, generation) = (class.uid().context("no uid")?, class.metadata.generation.context("no generation")?);
        let confirm =
            json!({ "metadata": { "annotations": { CONFIRM_ANNOTATION: digest_of_edit(&uid, generation) } } });
        world.classes().patch(&world.name("std"), &PatchParams::default(), &Patch::Merge(confirm)).await?;
        // Spread over the time that a round takes; where it falls is the machine's dice.
        tokio::time::sleep(Duration::from_millis(u64::from(round * 37 % 250))).await;
        operator.kill_for_good(&cp).await?;
        ensure_nothing_untracked(&world).await.with_context(|| format!("after kill {round}"))?;
        operator = Operator::start(&cp, OperatorOptions::default()).await?;
    }
    let wanted: BTreeSet<String> =
        items(KILLS).iter().filter_map(|i| i["metadata"]["name"].as_str()).map(str::to_owned).collect();
    for name in &names {
        let expected: BTreeSet<String> =
            wanted.iter().map(|w| w.replace("{{ .Namespace.Name }}", &world.name(name))).collect();
        eventually(format!("{name} has exactly the last round"), async || {
            let binding = world.ready(name, "std").await?;
            let status = binding.status.context("no status")?;
            let recorded: BTreeSet<String> = status.inventory.into_iter().map(|entry| entry.name).collect();
            ensure!(recorded == expected, "{recorded:?}");
            let maps: Api<ConfigMap> = Api::namespaced(world.client(), &world.name(name));
            let live = maps.list(&ListParams::default().labels("nsclass.io/managed=true")).await?;
            let live: BTreeSet<String> = live.iter().map(ResourceExt::name_any).collect();
            ensure!(live.len() + 1 == expected.len() && live.is_subset(&expected), "{live:?}");
            Ok(())
        })
        .await?;
    }
    ensure_nothing_untracked(&world).await
}

#[tokio::test]
async fn fault13_a_namespace_deleted_in_the_middle_of_its_filling_leaves_nothing() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "mid");
    let mut many: Vec<Value> = (0..30).map(|i| config_map(&format!("map-{i}"), "1")).collect();
    many.push(cluster_role());
    world.class("std", json!({ "resources": many })).await?;
    for round in 0..4_u64 {
        world.namespace("pay").of_class("std").create().await?;
        tokio::time::sleep(Duration::from_millis(20 + 40 * round)).await;
        world.delete_namespace("pay").await?;
        world.gone("pay").await?;
    }
    world.unbound("pay").await?;
    eventually("nothing of the cluster is left", async || {
        ensure!(crate::role_of(&world, "pay").await?.is_none(), "the cluster role is left");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn fault13_a_namespace_deleted_and_made_again_at_once_is_filled() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "again");
    world.class("std", json!({ "resources": [config_map("about", "1"), cluster_role()] })).await?;
    for _ in 0..3 {
        let namespace =
            eventually("the name is free", async || Ok(world.namespace("pay").of_class("std").create().await?)).await?;
        eventually("the new namespace is filled", async || {
            let binding = world.ready("pay", "std").await?;
            let seen = binding.status.context("no status")?.observed_namespace_uid;
            ensure!(Some(&seen) == namespace.uid().as_ref(), "{seen}");
            Ok(())
        })
        .await?;
        world.delete_namespace("pay").await?;
    }
    world.unbound("pay").await
}

#[tokio::test]
async fn an_api_server_that_goes_away_and_comes_back_finds_everything_kept_and_going_on() -> Result<()> {
    let mut cp = ControlPlane::start(Options::default()).await?;
    // A lease that outlasts the outage: else the leader would stop itself, as it should (scope.md S42), and there is no standby here.
    let config = "leaderElection: { leaseDurationSeconds: 240, renewDeadlineSeconds: 200 }".to_owned();
    let operator = Operator::start(&cp, OperatorOptions { config, ..OperatorOptions::default() }).await?;
    let world = World::new(&cp, "away");
    world.class("std", json!({ "resources": [config_map("about", "1"), cluster_role()] })).await?;
    for name in ["a", "b", "c"] {
        world.namespace(name).of_class("std").create().await?;
    }
    for name in ["a", "b", "c"] {
        world.ready(name, "std").await?;
    }
    let uid = crate::config_maps(&world, "a").get("about").await?.uid();
    cp.stop_api_server()?;
    // Long enough for watches to break and be taken up in vain.
    tokio::time::sleep(Duration::from_secs(5)).await;
    operator.program().ensure_running()?;
    cp.start_api_server().await?;
    world
        .class("std", json!({ "resources": [config_map("about", "2"), config_map("more", "1"), cluster_role()] }))
        .await?;
    for name in ["a", "b", "c"] {
        eventually(format!("{name} follows the edit"), async || {
            operator.program().ensure_running()?;
            let about = crate::config_maps(&world, name).get("about").await?;
            ensure!(about.data.as_ref().is_some_and(|data| data["value"] == "2"), "{about:?}");
            ensure!(crate::config_maps(&world, name).get_opt("more").await?.is_some(), "more is not there");
            Ok(())
        })
        .await?;
        world.ready(name, "std").await?;
    }
    ensure!(crate::config_maps(&world, "a").get("about").await?.uid() == uid, "made anew");
    let deleted = cp.audit().all().await?.by_agent("nsclass-controller").verb("delete");
    ensure!(deleted.is_empty(), "{deleted}");
    operator.program().ensure_running()?;
    ensure_nothing_untracked(&world).await
}
