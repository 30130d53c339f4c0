//! The watches themselves: exactly the kinds in use, and no storm when a kind is not there (class.md C34, fault 12).

use std::time::Duration;

use anyhow::{Result, ensure};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{DeleteParams, DynamicObject};
use nsclass_tests::audit::{Mark, Requests};
use nsclass_tests::{eventually, holds_for};
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, items, objects, of_controller};

/// A namespaced kind of a group that only this test has.
fn definition(group: &str) -> Result<CustomResourceDefinition> {
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("widgets.{group}") },
        "spec": {
            "group": group, "scope": "Namespaced", "names": { "plural": "widgets", "singular": "widget", "kind": "Widget" },
            "versions": [{ "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } } }],
        },
    });
    Ok(serde_json::from_value(crd)?)
}

fn widget(group: &str) -> Value {
    json!({ "apiVersion": format!("{group}/v1"), "kind": "Widget", "metadata": { "name": "w" }, "spec": { "size": 3 } })
}

fn widgets(world: &Stage, short: &str, group: &str) -> Api<DynamicObject> {
    objects(world, short, &format!("{group}/v1"), "Widget", "widgets")
}

/// What the controller asked of the whole kind.
async fn of_kind(world: &Stage, since: Mark, group: &str) -> Result<Requests> {
    let of_controller = of_controller(&world.cp.audit().since(since).await?);
    Ok(of_controller.on(&format!("widgets.{group}")).filter(|r| r.namespace.is_empty()))
}

async fn remove_definition(world: &Stage, name: &str) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client());
    definitions.delete(name, &DeleteParams::default()).await?;
    eventually("the definition is gone", async || {
        ensure!(definitions.get_opt(name).await?.is_none(), "it is there");
        Ok(())
    })
    .await
}

/// Deletes the widget and waits for the next one: the kind is watched.
async fn is_watched(world: &Stage, short: &str, group: &str) -> Result<()> {
    let widgets = widgets(world, short, group);
    let before = widgets.get("w").await?.metadata.uid;
    widgets.delete("w", &DeleteParams::default()).await?;
    eventually("another widget is there", async || {
        ensure!(widgets.get("w").await?.metadata.uid != before, "the old one");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn c34_one_watch_with_our_label_serves_all_namespaces_of_a_kind_and_ends_with_the_last() -> Result<()> {
    let world = Stage::open("c34-watch").await?;
    let group = format!("{}.example", world.name("watch"));
    world.cp.install_crds(&[definition(&group)?]).await?;
    let mark = world.mark().await?;
    world.class("std", json!({ "resources": [widget(&group)], "optOutDelay": "0s" })).await?;
    for short in ["pay", "shop"] {
        world.namespace(short).of_class("std").create().await?;
        world.ready(short, "std").await?;
    }
    is_watched(&world, "pay", &group).await?;
    is_watched(&world, "shop", &group).await?;
    let asked = of_kind(&world, mark, &group).await?;
    ensure!(asked.verb("list").len() == 1, "the kind is listed once for all:\n{asked}");
    ensure!(asked.iter().all(|r| r.uri.contains("labelSelector=nsclass.io%2Fmanaged%3Dtrue")), "{asked:?}");
    // Nobody has one any more: the watch ends, and is not taken up again.
    for short in ["pay", "shop"] {
        world.leave(short).await?;
        world.unbound(short).await?;
    }
    eventually("the watch ends", async || {
        let log = world.operator.log()?;
        ensure!(log.lines().any(|l| l.contains("drift watch ends") && l.contains(&group)), "not said");
        Ok(())
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn fault12_a_watched_kind_that_goes_and_comes_back_is_listed_a_few_times_and_its_objects_return() -> Result<()> {
    let world = Stage::open("fault12-watch").await?;
    let (group, name) = (format!("{}.example", world.name("gone")), "widgets");
    let crd = definition(&group)?;
    world.cp.install_crds(std::slice::from_ref(&crd)).await?;
    let resources = items(&[widget(&group), config_map("a", &json!({}))]);
    world.class("std", json!({ "resources": resources["resources"], "optOutDelay": "0s" })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    is_watched(&world, "pay", &group).await?;
    let mark = world.mark().await?;
    remove_definition(&world, &format!("{name}.{group}")).await?;
    world.not_ready("pay", "KindNotFound").await?;
    let there = async || {
        world.not_ready("pay", "KindNotFound").await?;
        Ok(())
    };
    holds_for(Duration::from_secs(4), "the rest stays", there).await?;
    let asked = of_kind(&world, mark, &group).await?;
    ensure!(asked.len() <= 4, "a kind that is not there is asked for again and again:\n{asked}");
    // Back, without any edit: the object is applied and watched as before.
    let mark = world.mark().await?;
    world.cp.install_crds(&[crd]).await?;
    world.ready("pay", "std").await?;
    eventually("the widget is there", async || Ok(widgets(&world, "pay", &group).get("w").await?)).await?;
    eventually("the kind is watched again", async || {
        let asked = of_kind(&world, mark, &group).await?;
        ensure!(!asked.verb("list").accepted().is_empty(), "{asked}");
        Ok(())
    })
    .await?;
    is_watched(&world, "pay", &group).await?;
    let asked = of_kind(&world, mark, &group).await?;
    ensure!(asked.verb("list").len() <= 3, "it is listed again and again:\n{asked}");
    // And gone for good it is not in the way.
    remove_definition(&world, &format!("{name}.{group}")).await?;
    world.leave("pay").await?;
    world.unbound("pay").await?;
    world.delete_namespace("pay").await?;
    world.gone("pay").await
}
