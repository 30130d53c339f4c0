//! Events for people (class.md C38).

use anyhow::{Result, ensure};
use k8s_openapi::api::events::v1::Event;
use kube::Api;
use kube::api::{DeleteParams, ListParams};
use nsclass_tests::eventually;
use serde_json::json;

use crate::stage::{Stage, config_map, items, maps};

/// Waits for an event about an object of that name.
async fn event(world: &Stage, about: &str, reason: &str, note: &str) -> Result<Event> {
    let events: Api<Event> = Api::namespaced(world.client(), "default");
    eventually(format!("{reason} is told about {about}"), async || {
        let all = events.list(&ListParams::default()).await?;
        let is_about = |event: &&Event| event.regarding.as_ref().and_then(|r| r.name.as_deref()) == Some(about);
        let seen: Vec<_> = all.iter().filter(is_about).collect();
        let found = seen.iter().find(|event| {
            event.reason.as_deref() == Some(reason) && event.note.as_ref().is_some_and(|text| text.contains(note))
        });
        ensure!(found.is_some(), "{:?}", seen.iter().map(|e| (&e.reason, &e.note)).collect::<Vec<_>>());
        Ok((*found.into_iter().next().unwrap_or(&seen[0])).clone())
    })
    .await
}

#[tokio::test]
async fn c38_what_was_created_repaired_refused_and_deleted_is_told_on_namespace_and_class() -> Result<()> {
    let world = Stage::open("c38").await?;
    let map = |name: &str| config_map(name, &json!({ "k": "1" }));
    world.class("std", items(&[map("a"), map("b")])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let (pay, std) = (world.name("pay"), world.name("std"));
    let created = event(&world, &pay, "Created", "ConfigMap a, ConfigMap b").await?;
    ensure!(created.reporting_controller.as_deref() == Some("nsclass.io/controller"), "{created:?}");
    event(&world, &std, "Created", &format!("namespace {pay}: created ConfigMap a")).await?;
    maps(&world, "pay").delete("a", &DeleteParams::default()).await?;
    event(&world, &pay, "Repaired", "set back ConfigMap a: somebody deleted it").await?;
    event(&world, &std, "Repaired", "ConfigMap a").await?;
    world.class("std", items(&[map("a")])).await?;
    event(&world, &pay, "Deleted", "deleted ConfigMap b").await?;
    world.class("std", items(&[config_map("a", &json!({ "k": 1 }))])).await?;
    world.not_ready("pay", "InvalidManifest").await?;
    event(&world, &pay, "InvalidManifest", "ConfigMap a").await?;
    Ok(())
}
