//! A class goes (class.md C03).

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_shared::names::FINALIZER;
use nsclass_tests::{World, eventually};
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, ensure_maps, maps, of_controller, says};

fn class(on_delete: &str) -> Value {
    json!({ "resources": [config_map("a", &json!({ "k": "v" }))], "onDelete": on_delete })
}

async fn until_class_is_gone(world: &World, short: &str) -> Result<()> {
    eventually(format!("class {short} is gone"), async || {
        let class = world.classes().get_opt(&world.name(short)).await?;
        ensure!(class.is_none(), "{:?}", class.map(|c| c.metadata));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn c03_a_deleted_class_takes_its_objects_then_the_bindings_then_its_finalizer() -> Result<()> {
    let world = Stage::open("c03").await?;
    world.class("std", class("Delete")).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.namespace("tax").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    world.ready("tax", "std").await?;
    let stored = world.classes().get(&world.name("std")).await?;
    ensure!(stored.finalizers() == [FINALIZER], "a bound class is not protected: {:?}", stored.finalizers());
    let mark = world.mark().await?;
    world.delete_class("std").await?;
    until_class_is_gone(&world, "std").await?;
    for namespace in ["pay", "tax"] {
        ensure_maps(&world, namespace, &[]).await?;
    }
    let asked = of_controller(&world.cp.audit().since(mark).await?);
    let released = asked.on("namespaceclasses.nsclass.io").named(&world.name("std")).verb("patch");
    let released = released.filter(|r| r.subresource.is_empty() && r.is_accepted());
    let released = released.iter().map(|r| r.received).max().context("the finalizer was not taken off")?;
    for namespace in ["pay", "tax"] {
        let about = asked.filter(|r| r.namespace == world.name(namespace) || r.name == world.name(namespace));
        let deletes = about.verb("delete").accepted();
        let (object, binding) = (deletes.named("a"), deletes.named(&world.name(namespace)));
        let (object, binding) = (object.iter().next().context("object")?, binding.iter().next().context("binding")?);
        ensure!(object.answered <= binding.received && binding.answered <= released, "{about}");
    }
    Ok(())
}

#[tokio::test]
async fn c03_a_deleted_class_leaves_what_it_orphans_without_marks() -> Result<()> {
    let world = Stage::open("c03-orphan").await?;
    world.class("std", class("Delete")).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let before = maps(&world, "pay").get("a").await?;
    // What counts is what it says now.
    world.class("std", class("Orphan")).await?;
    world.delete_class("std").await?;
    until_class_is_gone(&world, "std").await?;
    let map: ConfigMap = maps(&world, "pay").get("a").await?;
    ensure!(map.uid() == before.uid() && map.data == before.data, "{map:?}");
    let ours = map.labels().keys().chain(map.annotations().keys()).filter(|key| key.contains("nsclass.io")).count();
    ensure!(ours == 0, "marks are left: {:?} {:?}", map.labels(), map.annotations());
    Ok(())
}

#[tokio::test]
async fn c03_a_class_whose_finalizer_was_forced_away_is_only_absent() -> Result<()> {
    let world = Stage::open("c03-forced").await?;
    world.class("std", class("Delete")).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let before = maps(&world, "pay").get("a").await?;
    // While the controller stands still, or it would put the finalizer back first.
    world.operator.program().pause()?;
    let name = world.name("std");
    let none = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    let forced = world.classes().patch(&name, &PatchParams::default(), &none).await;
    let deleted = world.classes().delete(&name, &DeleteParams::default()).await;
    world.operator.program().resume()?;
    forced?;
    deleted?;
    says(&world.not_ready("pay", "ClassNotFound").await?, &["does not exist"])?;
    ensure!(maps(&world, "pay").get("a").await? == before, "the object changed");
    // Back again, nothing has to be made anew.
    world.class("std", class("Delete")).await?;
    world.ready("pay", "std").await?;
    ensure!(maps(&world, "pay").get("a").await?.uid() == before.uid(), "the object was made anew");
    Ok(())
}
