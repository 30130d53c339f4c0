//! `nsclass.io/suspend: "true"` (class.md C39).

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_shared::api::get_condition;
use nsclass_shared::names::SUSPEND_ANNOTATION;
use nsclass_tests::{Operator, World, eventually, holds_for};
use serde_json::json;

use crate::{annotate, class, having, status};

async fn suspend(world: &World, namespace: &str, value: Option<&str>) -> Result<()> {
    let patch = Patch::Merge(json!({ "metadata": { "annotations": { SUSPEND_ANNOTATION: value } } }));
    world.namespaces().patch(&world.name(namespace), &PatchParams::default(), &patch).await?;
    Ok(())
}

#[tokio::test]
async fn c39_a_suspended_namespace_is_left_alone_visibly_and_converges_when_it_goes_on() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c39");
    world.class("std", class(&["a"])).await?;
    for name in ["pay", "tax"] {
        world.namespace(name).of_class("std").create().await?;
        world.ready(name, "std").await?;
    }
    suspend(&world, "pay", Some("true")).await?;
    let message = world.not_ready("pay", "Suspended").await?;
    ensure!(message.contains("namespace") && message.contains(SUSPEND_ANNOTATION), "{message}");
    let mark = cp.audit().mark().await?;
    world.class("std", class(&["b"])).await?;
    world.leave("pay").await?;
    let names = ["pay".to_owned(), "tax".to_owned()];
    eventually("the other one follows", async || {
        ensure!(having(&world, &names, "a").await? == ["pay"] && having(&world, &names, "b").await? == ["tax"]);
        Ok(())
    })
    .await?;
    holds_for(Duration::from_secs(3), "the suspended one stays", async || {
        ensure!(having(&world, &names, "a").await? == ["pay"]);
        Ok(())
    })
    .await?;
    let writes = cp.audit().since(mark).await?.writes().by_agent("nsclass-controller").in_namespace(&world.name("pay"));
    ensure!(writes.is_empty(), "suspended, and yet:\n{writes}");
    world.join("pay", "std").await?;
    suspend(&world, "pay", None).await?;
    world.ready("pay", "std").await?;
    ensure!(having(&world, &names, "b").await? == names, "it did not converge");
    Ok(())
}

#[tokio::test]
async fn c39_a_suspended_class_stops_its_namespaces_and_says_so_also_while_it_is_deleted() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c39-class");
    world.class("std", class(&["a"])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    annotate(&world, SUSPEND_ANNOTATION, Some("true")).await?;
    let message = world.not_ready("pay", "Suspended").await?;
    ensure!(message.contains(&world.name("std")), "{message}");
    eventually("the class says so", async || {
        let status = status(&world).await?;
        let ready = get_condition(&status.conditions, "Ready").context("no condition")?;
        ensure!(ready.status == "False" && ready.reason == "Suspended", "{ready:?}");
        Ok(())
    })
    .await?;
    let maps: Api<ConfigMap> = Api::namespaced(world.client(), &world.name("pay"));
    maps.delete("a", &DeleteParams::default()).await?;
    world.namespace("new").of_class("std").create().await?;
    world.not_ready("new", "Suspended").await?;
    world.delete_class("std").await?;
    let names = ["pay".to_owned(), "new".to_owned()];
    holds_for(Duration::from_secs(2), "nothing is made, and the class waits", async || {
        ensure!(having(&world, &names, "a").await?.is_empty());
        world.classes().get(&world.name("std")).await?;
        Ok(())
    })
    .await?;
    // A namespace that goes is not held up, and then nothing has the class any more.
    world.delete_namespace("pay").await?;
    world.gone("pay").await?;
    eventually("the class is gone", async || {
        ensure!(world.classes().get_opt(&world.name("std")).await?.is_none(), "it is there");
        Ok(())
    })
    .await
}
