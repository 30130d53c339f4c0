//! Namespaces that go, and come again.

use anyhow::{Context, Result, ensure};
use k8s_openapi::{
    api::core::v1::ConfigMap, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, ResourceExt,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use nsclass_shared::api::crds;
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, Options, World, eventually};
use serde_json::json;

use crate::{cluster_role, config_map, config_maps, ensure_held, role_of};

#[tokio::test]
async fn c42_a_deleted_namespace_takes_its_cluster_scoped_objects_along() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c42");
    world.class("std", json!({ "resources": [cluster_role(), config_map("about", "1")] })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    ensure!(role_of(&world, "pay").await?.is_some(), "no cluster role");
    ensure_held(&world, "pay", true).await?;

    world.delete_namespace("pay").await?;
    world.gone("pay").await?;
    world.unbound("pay").await?;
    ensure!(role_of(&world, "pay").await?.is_none(), "the cluster role is left");
    Ok(())
}

#[tokio::test]
async fn c42_the_finalizer_stands_only_while_something_of_the_cluster_is_owed() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c42-owed");
    world.class("plain", json!({ "optOutDelay": "1s", "resources": [config_map("about", "1")] })).await?;
    world.class("wide", json!({ "resources": [cluster_role()] })).await?;
    world.namespace("pay").of_class("plain").create().await?;
    world.ready("pay", "plain").await?;
    ensure_held(&world, "pay", false).await?;
    world.join("pay", "wide").await?;
    world.ready("pay", "wide").await?;
    ensure_held(&world, "pay", true).await?;
    world.join("pay", "plain").await?;
    world.ready("pay", "plain").await?;
    ensure_held(&world, "pay", false).await?;
    ensure!(role_of(&world, "pay").await?.is_none(), "the cluster role is left");
    Ok(())
}

#[tokio::test]
async fn c42_a_finalizer_that_somebody_removed_loses_nothing() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c42-forced");
    world.class("std", json!({ "resources": [cluster_role()] })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let none = json!({ "metadata": { "finalizers": null } });
    world.namespaces().patch(&world.name("pay"), &PatchParams::default(), &Patch::Merge(none)).await?;
    world.delete_namespace("pay").await?;
    world.unbound("pay").await?;
    ensure!(role_of(&world, "pay").await?.is_none(), "the cluster role is left");
    Ok(())
}

#[tokio::test]
async fn c43_in_a_terminating_namespace_nothing_is_created_or_repaired() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c43");
    world.class("std", json!({ "resources": [config_map("about", "1")] })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    // Somebody else's finalizer keeps the namespace in that state.
    let hold = json!({ "metadata": { "finalizers": ["example.com/hold"] } });
    world.namespaces().patch(&world.name("pay"), &PatchParams::default(), &Patch::Merge(hold)).await?;
    world.delete_namespace("pay").await?;
    world.not_ready("pay", "NamespaceTerminating").await?;
    let mark = cp.audit().mark().await?;
    world.class("std", json!({ "resources": [config_map("about", "2"), config_map("more", "1")] })).await?;
    world.namespace("witness").of_class("std").create().await?;
    world.ready("witness", "std").await?;
    let requests = cp.audit().since(mark).await?.writes().by_agent("nsclass").in_namespace(&world.name("pay"));
    ensure!(requests.is_empty(), "{requests}");
    let free = json!({ "metadata": { "finalizers": null } });
    world.namespaces().patch(&world.name("pay"), &PatchParams::default(), &Patch::Merge(free)).await?;
    world.unbound("pay").await
}

#[tokio::test]
async fn c44_a_namespace_made_again_starts_afresh_and_the_old_ones_cluster_objects_go() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    let world = World::new(&cp, "c44");
    world.class("std", json!({ "resources": [cluster_role(), config_map("about", "1")] })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let old = role_of(&world, "pay").await?.context("no cluster role")?;

    // While the controller is stopped, the namespace goes and comes again.
    operator.program().pause()?;
    let none = json!({ "metadata": { "finalizers": null } });
    world.namespaces().patch(&world.name("pay"), &PatchParams::default(), &Patch::Merge(none)).await?;
    world.delete_namespace("pay").await?;
    world.gone("pay").await?;
    let new = world.namespace("pay").of_class("std").create().await?;
    operator.program().resume()?;
    eventually("the binding speaks of the new namespace", async || {
        let binding = world.ready("pay", "std").await?;
        let seen = binding.status.context("no status")?.observed_namespace_uid;
        ensure!(Some(&seen) == new.uid().as_ref(), "{seen}");
        Ok(())
    })
    .await?;
    let role = role_of(&world, "pay").await?.context("no cluster role")?;
    ensure!(role.uid() != old.uid(), "the old one was kept");
    ensure!(
        role.annotations()["nsclass.io/owner-namespace-uid"] == new.uid().unwrap_or_default(),
        "{:?}",
        role.metadata
    );
    ensure!(config_maps(&world, "pay").get_opt("about").await?.is_some(), "the new namespace is not filled");
    Ok(())
}

#[tokio::test]
async fn c03_removing_our_definitions_deletes_nothing_and_their_return_goes_on() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let _operator = Operator::start(&cp, OperatorOptions::default()).await?;
    let world = World::new(&cp, "c03-crd");
    let spec = json!({ "resources": [cluster_role(), config_map("about", "1")] });
    world.class("std", spec.clone()).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let before =
        (role_of(&world, "pay").await?.and_then(|r| r.uid()), config_maps(&world, "pay").get("about").await?.uid());

    let definitions: Api<CustomResourceDefinition> = Api::all(world.client());
    for name in ["namespaceclasses.nsclass.io", "namespaceclassbindings.nsclass.io"] {
        definitions.delete(name, &DeleteParams::default()).await?;
        eventually(format!("the definition {name} is gone"), async || {
            let there = definitions.get_opt(name).await?;
            ensure!(there.is_none(), "{:?}", there.and_then(|d| d.status).map(|s| s.conditions));
            Ok(())
        })
        .await?;
    }
    let after =
        (role_of(&world, "pay").await?.and_then(|r| r.uid()), config_maps(&world, "pay").get("about").await?.uid());
    ensure!(before == after, "{before:?} became {after:?}");

    cp.install_crds(&crds()).await?;
    world.class("std", spec).await?;
    world.ready("pay", "std").await?;
    let back =
        (role_of(&world, "pay").await?.and_then(|r| r.uid()), config_maps(&world, "pay").get("about").await?.uid());
    ensure!(before == back, "{before:?} became {back:?}");
    Ok(())
}

#[tokio::test]
async fn c44_restored_objects_are_taken_over_and_marked_again() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c44-restore");
    let namespace = world.namespace("pay").create().await?;
    let name = world.name("pay");
    let mut restored = ConfigMap::default();
    restored.metadata.name = Some("about".into());
    restored.metadata.labels = Some(
        [("nsclass.io/managed", "true"), ("nsclass.io/class", "former"), ("nsclass.io/namespace", &name)]
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .into(),
    );
    let object = format!("/ConfigMap/{name}/about");
    restored.metadata.annotations = Some(
        [
            ("nsclass.io/object", object.as_str()),
            ("nsclass.io/owner-namespace-uid", "00000000-dead-4000-8000-000000000000"),
        ]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .into(),
    );
    let maps = config_maps(&world, "pay");
    let before = maps.create(&PostParams::default(), &restored).await?;
    world.class("std", json!({ "resources": [config_map("about", "1")] })).await?;
    world.join("pay", "std").await?;
    world.ready("pay", "std").await?;
    let after = maps.get("about").await?;
    ensure!(after.uid() == before.uid(), "made anew instead of taken over");
    ensure!(
        after.annotations().get("nsclass.io/owner-namespace-uid") == namespace.uid().as_ref(),
        "{:?}",
        after.metadata
    );
    ensure!(after.labels()["nsclass.io/class"] == world.name("std"), "{:?}", after.labels());
    Ok(())
}
