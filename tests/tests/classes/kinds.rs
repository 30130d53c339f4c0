//! Kinds that come and go (class.md C37, fault 12).

use std::time::Duration;

use anyhow::{Result, ensure};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::DeleteParams;
use nsclass_tests::{eventually, holds_for};
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, ensure_maps, follows, items, objects, of_controller, refused, says};

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

#[tokio::test]
async fn fault12_a_kind_that_comes_later_is_applied_then_and_its_end_is_in_nobodys_way() -> Result<()> {
    let world = Stage::open("fault12").await?;
    let group = format!("{}.example", world.name("later"));
    let class = world
        .class("std", json!({ "resources": [widget(&group), config_map("a", &json!({}))], "optOutDelay": "0s" }))
        .await?;
    world.namespace("pay").of_class("std").create().await?;
    let message = world.not_ready("pay", "KindNotFound").await?;
    says(&message, &["Widget w", &format!("does not serve {group}/v1/Widget"), "install the CRD"])?;
    ensure_maps(&world, "pay", &["a"]).await?;
    let mark = world.mark().await?;
    holds_for(Duration::from_secs(4), "the rest stays", async || ensure_maps(&world, "pay", &["a"]).await).await?;
    let asked = of_controller(&world.cp.audit().since(mark).await?).filter(|r| r.uri.contains(&group));
    ensure!(asked.len() <= 2, "it waits, and yet asks:\n{asked}");

    let crd = definition(&group)?;
    world.cp.install_crds(std::slice::from_ref(&crd)).await?;
    follows(&world, "pay", &class).await?;
    let widgets = objects(&world, "pay", &format!("{group}/v1"), "Widget", "widgets");
    ensure!(widgets.get("w").await?.data["spec"]["size"] == 3, "{:?}", widgets.get("w").await?.data);

    let definitions: Api<CustomResourceDefinition> = Api::all(world.client());
    let name = format!("widgets.{group}");
    definitions.delete(&name, &DeleteParams::default()).await?;
    eventually("the definition is gone", async || {
        ensure!(definitions.get_opt(&name).await?.is_none(), "it is there");
        Ok(())
    })
    .await?;
    // Leaving, and a deletion of the namespace, have nothing to wait for.
    world.leave("pay").await?;
    world.unbound("pay").await?;
    ensure_maps(&world, "pay", &[]).await
}

#[tokio::test]
async fn fault12_a_kind_that_went_and_came_back_is_applied_again_after_an_edit() -> Result<()> {
    let world = Stage::open("fault12-back").await?;
    let group = format!("{}.example", world.name("back"));
    let crd = definition(&group)?;
    world.cp.install_crds(std::slice::from_ref(&crd)).await?;
    let class = |v: &str| items(&[widget(&group), config_map("a", &json!({ "v": v }))]);
    world.class("std", class("1")).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client());
    let name = format!("widgets.{group}");
    definitions.delete(&name, &DeleteParams::default()).await?;
    eventually("the definition is gone", async || {
        ensure!(definitions.get_opt(&name).await?.is_none(), "it is there");
        Ok(())
    })
    .await?;
    let edited = world.class("std", class("2")).await?;
    says(&world.not_ready("pay", "KindNotFound").await?, &["Widget w"])?;
    world.cp.install_crds(&[crd]).await?;
    follows(&world, "pay", &edited).await?;
    let widgets = objects(&world, "pay", &format!("{group}/v1"), "Widget", "widgets");
    eventually("the widget is there again", async || {
        widgets.get("w").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn bad08_an_unknown_kind_is_a_warning_and_an_unknown_version_too() -> Result<()> {
    let world = Stage::open("bad08-kind").await?;
    let typo = json!({ "apiVersion": "v1", "kind": "ConfgMap", "metadata": { "name": "x" } });
    let old = json!({ "apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget", "metadata": { "name": "x" } });
    world.class("std", items(&[typo, old, config_map("a", &json!({}))])).await?;
    world.namespace("pay").of_class("std").create().await?;
    let message = world.not_ready("pay", "KindNotFound").await?;
    says(&message, &["does not serve v1/ConfgMap", "does not serve policy/v1beta1/PodDisruptionBudget"])?;
    ensure_maps(&world, "pay", &["a"]).await?;
    // It can be right later, so the class as such is.
    let accepted = tokio::time::timeout(Duration::from_secs(1), refused(&world, "std")).await;
    ensure!(accepted.is_err(), "the class is refused");
    Ok(())
}
