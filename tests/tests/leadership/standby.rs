//! A replica that stands by: warm, visible, and silent.

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use nsclass_tests::{Replica, World, eventually};

use crate::{QUICK, Turn, class};

async fn ensure_value(world: &World, namespace: &str, value: &str) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(world.client(), &world.name(namespace));
    let map = maps.get("about").await?;
    ensure!(map.data.as_ref().is_some_and(|data| data["value"] == value), "{:?}", map.data);
    Ok(())
}

#[tokio::test]
async fn s40_a_standby_is_ready_and_says_so_and_writes_nothing() -> Result<()> {
    let turn = Turn::wait().await?;
    let mark = turn.cp.audit().mark().await?;
    let (leader, standby) = Replica::pair(turn.cp, ["quiet-a", "quiet-b"], QUICK).await?;
    let world = World::new(turn.cp, "quiet");
    world.class("std", class("1")).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let (status, verbose) = standby.get("/readyz?verbose").await?;
    ensure!(
        status == 200 && verbose.contains("[+] lease") && verbose.contains("[i] standby; the leader is "),
        "{verbose}"
    );
    let (_, verbose) = leader.get("/readyz?verbose").await?;
    ensure!(verbose.contains("[i] leader"), "{verbose}");
    // It has seen what happened, and holds nothing back for later.
    eventually("the standby's caches follow", async || {
        let bound = standby.metric("nsclass_bindings{reason=\"BindingRecorded\"}").await?;
        ensure!(bound >= 1.0, "{bound} bindings");
        Ok(())
    })
    .await?;
    ensure!(standby.metric("nsclass_queue_depth{queue=\"namespaces\"}").await? == 0.0, "it queues");
    let requests = turn.cp.audit().since(mark).await?;
    let (of_standby, of_leader) = (standby.writes(&requests), leader.writes(&requests));
    ensure!(of_standby.is_empty() && !of_leader.is_empty(), "the standby:\n{of_standby}the leader:\n{of_leader}");
    // In order, so that the next test's pair finds the lease free.
    standby.program().terminate().await?;
    ensure!(leader.program().terminate().await?.success(), "the leader did not stop in order");
    Ok(())
}

#[tokio::test]
async fn s23_what_happened_while_a_replica_stood_by_is_done_once_it_is_elected() -> Result<()> {
    let turn = Turn::wait().await?;
    let (leader, standby) = Replica::pair(turn.cp, ["flips-a", "flips-b"], QUICK).await?;
    let world = World::new(turn.cp, "flips");
    world.class("std", class("1")).await?;
    world.class("other", class("other")).await?;
    world.class("ending", class("ending")).await?;
    for (namespace, of) in
        [("edited", "std"), ("moved", "std"), ("left", "std"), ("deleted", "std"), ("ended", "ending")]
    {
        world.namespace(namespace).of_class(of).create().await?;
        world.ready(namespace, of).await?;
    }
    leader.program().pause()?;
    // Everything that the standby sees from here on it sees as one who drops it.
    world.class("std", class("2")).await?;
    world.namespace("new").of_class("std").create().await?;
    world.join("moved", "other").await?;
    world.leave("left").await?;
    world.delete_namespace("deleted").await?;
    world.delete_class("ending").await?;
    standby.until_it_leads().await?;
    for (namespace, of, value) in [("edited", "std", "2"), ("new", "std", "2"), ("moved", "other", "other")] {
        eventually(format!("{namespace} is as it was asked for"), async || {
            ensure_value(&world, namespace, value).await
        })
        .await?;
        world.ready(namespace, of).await?;
    }
    // Its objects go after a delay; that they are on their way is enough.
    world.not_ready("left", "OptingOut").await?;
    world.not_ready("ended", "ClassNotFound").await?;
    world.unbound("deleted").await?;
    eventually("the class is gone", async || {
        ensure!(world.classes().get_opt(&world.name("ending")).await?.is_none(), "it is there");
        Ok(())
    })
    .await?;
    leader.program().resume()?;
    leader.until_it_gives_up().await?;
    standby.program().terminate().await?;
    Ok(())
}
