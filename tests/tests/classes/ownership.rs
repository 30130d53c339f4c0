//! Objects of an item's name that are somebody else's (class.md C33).

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::{Api, ResourceExt};
use nsclass_tests::eventually;
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, ensure_maps, follows, for_objects, items, maps, says};

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// A config map that a chart made, with an owner.
async fn foreign(world: &Stage, namespace: &str, name: &str) -> Result<ConfigMap> {
    let owner = maps(world, namespace);
    let params = PatchParams::apply("helm");
    let owner = owner.patch("owner", &params, &Patch::Apply(config_map("owner", &json!({})))).await?;
    let mut map = config_map(name, &json!({ "k": "theirs", "more": "theirs" }));
    map["metadata"]["ownerReferences"] =
        json!([{ "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.uid() }]);
    Ok(maps(world, namespace).patch(name, &params, &Patch::Apply(map)).await?)
}

fn class(adoption: &str) -> Value {
    let taken = config_map("taken", &json!({ "k": "ours" }));
    json!({ "resources": [taken, config_map("z-free", &json!({}))], "adoption": adoption })
}

#[tokio::test]
async fn c33_what_somebody_else_has_is_named_and_left_alone_and_the_rest_is_applied() -> Result<()> {
    let world = Stage::open("c33").await?;
    world.namespace("pay").create().await?;
    let before = foreign(&world, "pay", "taken").await?;
    world.class("std", class("Refuse")).await?;
    let mark = world.mark().await?;
    world.join("pay", "std").await?;
    let message = world.not_ready("pay", "NotOwned").await?;
    says(&message, &["ConfigMap taken", "owner: ConfigMap/owner", "field managers: helm", "adoption: Adopt"])?;
    ensure!(maps(&world, "pay").get("taken").await? == before, "it was touched");
    ensure_maps(&world, "pay", &["owner", "taken", "z-free"]).await?;
    // The create that must not succeed where something is, and a look at what is there.
    let asked = for_objects(&world.asked(mark, "pay").await?).named("taken");
    let codes: Vec<_> = asked.iter().take(2).map(|r| (r.verb.as_str(), r.code)).collect();
    ensure!(codes == [("patch", 409), ("get", 200)], "{codes:?}");
    // Gone at last, ours is made without anything else happening.
    maps(&world, "pay").delete("taken", &DeleteParams::default()).await?;
    world.ready("pay", "std").await?;
    let data = maps(&world, "pay").get("taken").await?.data.context("data")?;
    ensure!(data.len() == 1 && data["k"] == "ours", "{data:?}");
    Ok(())
}

#[tokio::test]
async fn c33_adopt_takes_over_what_is_there_and_keeps_what_others_have_in_it() -> Result<()> {
    let world = Stage::open("c33-adopt").await?;
    world.namespace("pay").create().await?;
    let before = foreign(&world, "pay", "taken").await?;
    world.class("std", class("Refuse")).await?;
    world.join("pay", "std").await?;
    world.not_ready("pay", "NotOwned").await?;
    let adopting = world.class("std", class("Adopt")).await?;
    let binding = follows(&world, "pay", &adopting).await?;
    let after = maps(&world, "pay").get("taken").await?;
    let data = after.data.clone().context("data")?;
    ensure!(after.uid() == before.uid() && data["k"] == "ours" && data["more"] == "theirs", "{after:?}");
    ensure!(after.owner_references().len() == 1, "{:?}", after.owner_references());
    let inventory = binding.status.context("status")?.inventory;
    let entry = inventory.iter().find(|e| e.name == "taken").context("entry")?;
    ensure!(Some(&entry.uid) == before.uid().as_ref(), "{entry:?}");
    Ok(())
}

#[tokio::test]
async fn c33_what_another_namespace_has_is_not_adopted_either() -> Result<()> {
    let world = Stage::open("c33-other").await?;
    let role = world.name("shared");
    let shared = json!({ "apiVersion": RBAC, "kind": "ClusterRole", "metadata": { "name": role }, "rules": [] });
    world.class("std", json!({ "resources": [shared, config_map("a", &json!({}))], "adoption": "Adopt" })).await?;
    world.namespace("first").of_class("std").create().await?;
    world.ready("first", "std").await?;
    let roles: Api<ClusterRole> = Api::all(world.client());
    let before = roles.get(&role).await?;
    world.namespace("second").of_class("std").create().await?;
    let message = world.not_ready("second", "NotOwned").await?;
    says(&message, &["ClusterRole", &role, &format!("belongs to namespace {:?}", world.name("first"))])?;
    ensure_maps(&world, "second", &["a"]).await?;
    ensure!(roles.get(&role).await? == before, "it was touched");
    // The loser leaves, and takes nothing of the winner's with it.
    world.label("second", "nsclass.io/name", None).await?;
    world.not_ready("second", "OptingOut").await?;
    ensure!(roles.get(&role).await? == before, "it was touched");
    world.delete_namespace("first").await?;
    world.unbound("first").await
}

#[tokio::test]
async fn c33_marks_copied_from_another_object_are_nobodys() -> Result<()> {
    let world = Stage::open("c33-copied").await?;
    world.class("std", items(&[config_map("source", &json!({}))])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let source = maps(&world, "pay").get("source").await?;
    let mut copy = config_map("copy", &json!({ "k": "theirs" }));
    copy["metadata"]["labels"] = json!(source.labels());
    copy["metadata"]["annotations"] = json!(source.annotations());
    maps(&world, "pay").patch("copy", &PatchParams::apply("copier"), &Patch::Apply(copy)).await?;
    let copying = items(&[config_map("source", &json!({})), config_map("copy", &json!({ "k": "ours" }))]);
    world.class("std", copying).await?;
    says(&world.not_ready("pay", "NotOwned").await?, &["ConfigMap copy", "copier"])?;
    let less = world.class("std", items(&[config_map("source", &json!({}))])).await?;
    follows(&world, "pay", &less).await?;
    let copy = maps(&world, "pay").get("copy").await?;
    ensure!(copy.data.as_ref().is_some_and(|d| d["k"] == "theirs"), "{copy:?}");
    eventually("the inventory holds what is ours", async || {
        let status = world.binding("pay").await?.context("binding")?.status.context("status")?;
        ensure!(status.inventory.len() == 1, "{:?}", status.inventory);
        Ok(())
    })
    .await
}
