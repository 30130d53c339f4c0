//! Objects of a namespace that leaves its class.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    ResourceExt,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use nsclass_tests::{Operator, World, eventually};
use serde_json::json;

use crate::{config_map, config_maps, inventory};

#[tokio::test]
async fn c40_only_what_the_inventory_names_and_the_marks_prove_is_deleted() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c40");
    let items = ["kept", "remade", "forged", "plain"].map(|name| config_map(name, "1"));
    // Repair would undo all this before the namespace leaves.
    world.class("std", json!({ "optOutDelay": "1s", "drift": "Ignore", "resources": items })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let maps = config_maps(&world, "pay");

    // A tenant takes our marks off one object, makes another one anew, a third one anew with all our marks, and copies marks.
    let no_marks = json!({ "metadata": { "annotations": { "nsclass.io/object": null }, "labels": { "nsclass.io/managed": null } } });
    maps.patch("kept", &PatchParams::default(), &Patch::Merge(no_marks)).await?;
    let original = maps.get("forged").await?;
    for name in ["remade", "forged"] {
        maps.delete(name, &DeleteParams::default()).await?;
    }
    let mut remade = ConfigMap::default();
    remade.metadata.name = Some("remade".into());
    maps.create(&PostParams::default(), &remade).await?;
    let mut forged = ConfigMap::default();
    forged.metadata.name = Some("forged".into());
    forged.metadata.labels = original.metadata.labels.clone();
    forged.metadata.annotations = original.metadata.annotations.clone();
    maps.create(&PostParams::default(), &forged).await?;
    let mut copy = forged.clone();
    copy.metadata.name = Some("copy".into());
    maps.create(&PostParams::default(), &copy).await?;

    world.leave("pay").await?;
    world.unbound("pay").await?;
    ensure!(maps.get_opt("plain").await?.is_none(), "what is ours stays");
    for name in ["kept", "remade", "forged", "copy"] {
        ensure!(maps.get_opt(name).await?.is_some(), "{name} is not ours and was deleted");
    }
    Ok(())
}

#[tokio::test]
async fn c41_an_object_held_by_a_finalizer_is_delete_blocked_until_it_is_gone() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c41");
    world.class("std", json!({ "resources": [config_map("stays", "1"), config_map("goes", "1")] })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let maps = config_maps(&world, "pay");
    let hold = json!({ "metadata": { "finalizers": ["example.com/hold"] } });
    maps.patch("goes", &PatchParams::default(), &Patch::Merge(hold)).await?;

    world.class("std", json!({ "resources": [config_map("stays", "2")] })).await?;
    let message = world.not_ready("pay", "DeleteBlocked").await?;
    ensure!(message.contains("example.com/hold") && message.contains("goes"), "{message}");
    ensure!(inventory(&world, "pay").await?.contains(&"goes".to_owned()), "the entry left before the object did");

    let free = json!({ "metadata": { "finalizers": null } });
    maps.patch("goes", &PatchParams::default(), &Patch::Merge(free)).await?;
    world.ready("pay", "std").await?;
    ensure!(inventory(&world, "pay").await? == ["stays"], "{:?}", inventory(&world, "pay").await?);
    Ok(())
}

#[tokio::test]
async fn c41_what_is_wanted_again_while_it_is_being_deleted_is_made_anew() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c41-again");
    let both = json!({ "resources": [config_map("stays", "1"), config_map("goes", "1")] });
    world.class("std", both.clone()).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let maps = config_maps(&world, "pay");
    let before = maps.get("goes").await?.uid();
    let hold = json!({ "metadata": { "finalizers": ["example.com/hold"] } });
    maps.patch("goes", &PatchParams::default(), &Patch::Merge(hold)).await?;
    world.class("std", json!({ "resources": [config_map("stays", "1")] })).await?;
    world.not_ready("pay", "DeleteBlocked").await?;
    world.class("std", both).await?;
    let message = world.not_ready("pay", "ApplyFailed").await?;
    ensure!(message.contains("being deleted"), "{message}");
    maps.patch("goes", &PatchParams::default(), &Patch::Merge(json!({ "metadata": { "finalizers": null } }))).await?;
    world.ready("pay", "std").await?;
    ensure!(maps.get("goes").await?.uid() != before, "the old object is still there");
    Ok(())
}

#[tokio::test]
async fn c45_a_missing_binding_deletes_nothing_and_is_rebuilt_from_live_objects() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c45");
    world.class("std", json!({ "resources": [config_map("about", "1")] })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let uid = config_maps(&world, "pay").get("about").await?.uid();
    let lost = world.binding("pay").await?.context("no binding")?;
    world.bindings().delete(&world.name("pay"), &DeleteParams::default()).await?;
    eventually("another binding records the same object", async || {
        let binding = world.binding("pay").await?.context("no binding")?;
        ensure!(binding.uid() != lost.uid(), "the old one is still there");
        let entry = binding.status.context("no status")?.inventory.into_iter().next().context("nothing recorded")?;
        ensure!(Some(&entry.uid) == uid.as_ref(), "{entry:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn c48_a_claim_stays_unless_its_item_says_delete() -> Result<()> {
    use k8s_openapi::api::core::v1::PersistentVolumeClaim;
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c48");
    let claim = |name: &str, annotations: serde_json::Value| {
        json!({
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": { "name": name, "annotations": annotations },
            "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } },
        })
    };
    let orphan = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": "left", "annotations": { "nsclass.io/on-delete": "Orphan" } },
    });
    let items = [
        claim("data", json!({})),
        claim("scratch", json!({ "nsclass.io/on-delete": "Delete" })),
        orphan,
        config_map("gone", "1"),
    ];
    world.class("std", json!({ "optOutDelay": "1s", "resources": items })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    // Whoever may edit the live object cannot make it outlive its class.
    let forged = json!({ "metadata": { "annotations": { "nsclass.io/on-delete": "Orphan" } } });
    config_maps(&world, "pay").patch("gone", &PatchParams::default(), &Patch::Merge(forged)).await?;
    // Nothing binds claims here, so the protection finalizer is what a mounted one would keep.
    world.leave("pay").await?;
    let claims: kube::Api<PersistentVolumeClaim> = kube::Api::namespaced(world.client(), &world.name("pay"));
    world.unbound("pay").await?;
    let data = claims.get("data").await?;
    ensure!(!data.labels().contains_key("nsclass.io/managed"), "an orphan keeps no marks: {:?}", data.labels());
    ensure!(claims.get_opt("scratch").await?.is_none(), "scratch said Delete");
    let left = config_maps(&world, "pay").get("left").await?;
    ensure!(!left.annotations().contains_key("nsclass.io/object"), "{:?}", left.annotations());
    ensure!(config_maps(&world, "pay").get_opt("gone").await?.is_none(), "a tenant's annotation kept it");
    Ok(())
}
