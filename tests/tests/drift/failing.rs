//! What cannot be changed is still protected (class.md C02, C50; the tenant's part of bad input 12).

use anyhow::{Context, Result, ensure};
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_tests::eventually;
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, follows, items, maps, objects};

fn policy(team: &str) -> Value {
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": { "name": "deny" },
        "spec": { "podSelector": { "matchLabels": { "team": team } }, "policyTypes": ["Ingress"] },
    })
}

/// Deletes the policy and changes the config map `a`; both come back with what they had.
async fn is_protected(world: &Stage, short: &str, team: &str) -> Result<()> {
    let policies = objects(world, short, "networking.k8s.io/v1", "NetworkPolicy", "networkpolicies");
    let before = policies.get("deny").await?.uid();
    policies.delete("deny", &DeleteParams::default()).await?;
    let change = Patch::Merge(json!({ "data": { "k": "theirs" } }));
    maps(world, short).patch("a", &PatchParams::default(), &change).await?;
    eventually("the policy and the config map are back", async || {
        let now = policies.get("deny").await?;
        ensure!(now.uid() != before, "it was never deleted");
        ensure!(now.data["spec"]["podSelector"]["matchLabels"]["team"] == team, "{}", now.data["spec"]);
        let data = maps(world, short).get("a").await?.data.context("no data")?;
        ensure!(data["k"] == team, "{data:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn c50_a_namespace_that_cannot_be_rendered_any_more_keeps_its_protection() -> Result<()> {
    let world = Stage::open("c50").await?;
    let label = "{{ .Namespace.Labels.team }}";
    let class = items(&[policy(label), config_map("a", &json!({ "k": label }))]);
    world.class("std", class).await?;
    world.namespace("pay").of_class("std").label("team", "blue").create().await?;
    world.ready("pay", "std").await?;
    // A tenant drops the label, and then the NetworkPolicy.
    world.label("pay", "team", None).await?;
    world.not_ready("pay", "RenderFailed").await?;
    is_protected(&world, "pay", "blue").await?;
    world.not_ready("pay", "RenderFailed").await?;
    // With the label back nothing has to be made good.
    let mark = world.mark().await?;
    world.label("pay", "team", Some("blue")).await?;
    world.ready("pay", "std").await?;
    let asked = crate::stage::for_objects(&world.asked(mark, "pay").await?);
    ensure!(asked.is_empty(), "everything was as it should be, and yet:\n{asked}");
    Ok(())
}

#[tokio::test]
async fn c02_while_the_class_that_is_asked_for_is_absent_the_old_ones_objects_are_repaired() -> Result<()> {
    let world = Stage::open("c02-drift").await?;
    world.class("old", items(&[policy("blue"), config_map("a", &json!({ "k": "blue" }))])).await?;
    world.namespace("pay").of_class("old").create().await?;
    world.ready("pay", "old").await?;
    world.join("pay", "absent").await?;
    world.not_ready("pay", "ClassNotFound").await?;
    is_protected(&world, "pay", "blue").await?;
    world.not_ready("pay", "ClassNotFound").await?;
    // It takes effect the moment it is there.
    let absent = world.class("absent", items(&[config_map("b", &json!({}))])).await?;
    follows(&world, "pay", &absent).await?;
    Ok(())
}

#[tokio::test]
async fn c50_an_edit_that_fails_is_not_a_way_to_change_what_is_there() -> Result<()> {
    let world = Stage::open("c50-edit").await?;
    world.class("std", items(&[policy("blue"), config_map("a", &json!({ "k": "blue" }))])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    // The kind is denied for everybody, whatever the class said before.
    let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "{{ .Namespace.Name }}" } });
    world.class("std", items(&[policy("blue"), config_map("a", &json!({ "k": "red" })), node])).await?;
    world.not_ready("pay", "GVKDenied").await?;
    let policies = objects(&world, "pay", "networking.k8s.io/v1", "NetworkPolicy", "networkpolicies");
    policies.delete("deny", &DeleteParams::default()).await?;
    maps(&world, "pay").delete("a", &DeleteParams::default()).await?;
    eventually("the policy, which the edit does not change, is back", async || Ok(policies.get("deny").await?)).await?;
    // The other one would be a change, and nothing changes.
    world.not_ready("pay", "GVKDenied").await?;
    ensure!(maps(&world, "pay").get_opt("a").await?.is_none(), "an item of a refused class was applied");
    Ok(())
}
