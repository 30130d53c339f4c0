//! The guard across restarts, and against the removal of our own definitions, on a control plane of its own.

use std::time::Duration;

use anyhow::{Result, ensure};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::DeleteParams;
use nsclass_shared::api::crds;
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, Options, World, eventually, holds_for};

use crate::{class, fill, having, held, settles_at, status};

#[tokio::test]
async fn c47_neither_a_killed_controller_nor_a_removed_definition_is_a_way_round_the_guard() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    let world = World::new(&cp, "c47-restart");
    world.class("std", class(&["keep", "drop"])).await?;
    let names = fill(&world, 8).await?;
    world.class("std", class(&["keep"])).await?;
    settles_at(&world, &names, "drop", 5).await?;
    let change = held(&world, 5).await?;
    let passed = status(&world).await?.guard.passed;
    ensure!(passed.as_ref().is_some_and(|passed| passed.namespaces >= 3 && passed.bound == 8), "{passed:?}");

    // Whoever takes over counts what was let through before, and holds what was held.
    operator.program().kill()?;
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    holds_for(Duration::from_secs(4), "nothing more goes", async || {
        ensure!(having(&world, &names, "drop").await?.len() == 5);
        Ok(())
    })
    .await?;
    ensure!(held(&world, 5).await?.digest == change.digest, "another change after the restart");
    // Another small change meets a full window and waits.
    world.leave("n0").await?;
    world.not_ready("n0", "GuardEngaged").await?;
    ensure!(having(&world, &names, "keep").await?.len() == 8, "it went at once");
    world.join("n0", "std").await?;

    // Our definition goes, and every class with it: nobody decided that of any of them.
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client());
    definitions.delete("namespaceclasses.nsclass.io", &DeleteParams::default()).await?;
    eventually("the definition is gone", async || {
        ensure!(definitions.get_opt("namespaceclasses.nsclass.io").await?.is_none(), "it is there");
        Ok(())
    })
    .await?;
    holds_for(Duration::from_secs(2), "nothing goes", async || {
        let (keep, drop) = (having(&world, &names, "keep").await?, having(&world, &names, "drop").await?);
        ensure!(keep.len() == 8 && drop.len() == 5, "{keep:?} {drop:?}");
        Ok(())
    })
    .await?;
    cp.install_crds(&crds()).await?;
    operator.program().ensure_running()
}
