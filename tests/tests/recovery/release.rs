//! `nsclass release` (class.md C46, scope.md S35).

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, ResourceExt, api::DeleteParams};
use nsclass_shared::names::{FINALIZER, RELEASED_ANNOTATION, controller_lease};
use nsclass_tests::{
    ControlPlane, GENEROUS, Identity, Operator, OperatorOptions, Options, Program, World, eventually, holds_for,
};

use crate::{class, objects};

/// Runs `nsclass` as the admin; returns what it printed.
async fn nsclass(cp: &ControlPlane, arguments: &[&str]) -> Result<String> {
    let kubeconfig = cp.kubeconfig("nsclass", &Identity::Admin)?;
    let program = Program::named("nsclass").args(arguments).env("KUBECONFIG", kubeconfig).start().await?;
    let status = program.wait(GENEROUS).await?;
    let (out, complaints) = (program.stdout()?, program.stderr()?);
    ensure!(status.success(), "{status}: {out}\n{complaints}");
    Ok(out)
}

async fn lease(world: &World, instance: &str) -> Result<Lease> {
    let leases: Api<Lease> = Api::namespaced(world.client(), "nsclass-system");
    Ok(leases.get(&controller_lease(instance)).await?)
}

async fn held(world: &World) -> Result<(usize, usize)> {
    let is_held = |finalizers: &[String]| finalizers.iter().any(|finalizer| finalizer == FINALIZER);
    let (mut classes, mut namespaces) = (0, 0);
    for short in ["pay", "tax"] {
        namespaces += usize::from(is_held(world.namespaces().get(&world.name(short)).await?.finalizers()));
    }
    classes += usize::from(is_held(world.classes().get(&world.name("std")).await?.finalizers()));
    Ok((classes, namespaces))
}

#[tokio::test]
async fn c46_a_released_installation_is_stopped_and_leaves_nothing_stuck() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let operator = Operator::start(&cp, OperatorOptions::default()).await?;
    let world = World::new(&cp, "c46");
    world.class("std", class(&["a"])).await?;
    for short in ["pay", "tax"] {
        world.namespace(short).of_class("std").create().await?;
        world.ready(short, "std").await?;
    }
    let before = objects(&world, "pay").await?;
    ensure!(held(&world).await? == (1, 2), "nothing to release: {:?}", held(&world).await?);

    let said = nsclass(&cp, &["release", "--dry-run"]).await?;
    ensure!(said.contains("2 namespaces") && said.contains("nothing was changed"), "{said}");
    ensure!(
        held(&world).await? == (1, 2) && lease(&world, "default").await?.annotations().is_empty(),
        "it was no dry run"
    );

    let said = nsclass(&cp, &["release"]).await?;
    ensure!(said.contains("nobody leads") && said.contains("2 namespaces") && said.contains("1 class"), "{said}");
    ensure!(held(&world).await? == (0, 0), "{:?}", held(&world).await?);
    for short in ["pay", "tax"] {
        let binding = world.binding(short).await?.context("no binding")?;
        ensure!(binding.spec.instance.is_empty(), "{:?}", binding.spec);
    }
    ensure!(objects(&world, "pay").await? == before, "an object went");
    operator.program().wait(GENEROUS).await?;
    ensure!(operator.log()?.contains("the instance is released"), "it does not say why it ended");

    // Started again, it stands by and writes nothing. Doing it twice changes nothing.
    let again = Operator::start(&cp, OperatorOptions::default()).await?;
    let mark = cp.audit().mark().await?;
    nsclass(&cp, &["release"]).await?;
    holds_for(Duration::from_secs(3), "it stands by", async || {
        again.program().ensure_running()?;
        ensure!(held(&world).await? == (0, 0), "a finalizer came back");
        Ok(())
    })
    .await?;
    let writes = cp.audit().since(mark).await?.writes().by_agent("nsclass-controller");
    ensure!(writes.is_empty(), "released, and yet:\n{writes}");
    let (_, told) = again.get("/readyz?verbose").await?;
    ensure!(told.contains("released"), "{told}");

    // Nothing is stuck: with the controller as it is, a namespace and the class go.
    world.delete_namespace("tax").await?;
    world.gone("tax").await?;
    world.delete_class("std").await?;
    eventually("the class is gone", async || {
        ensure!(world.classes().get_opt(&world.name("std")).await?.is_none(), "it is there");
        Ok(())
    })
    .await?;

    // An uninstallation takes the Lease away while the controller still runs: whoever saw the mark makes none without it.
    let leases: Api<Lease> = Api::namespaced(world.client(), "nsclass-system");
    leases.delete(&controller_lease("default"), &DeleteParams::default()).await?;
    holds_for(Duration::from_secs(5), "nobody makes the Lease anew", async || {
        ensure!(leases.get_opt(&controller_lease("default")).await?.is_none(), "it is there");
        Ok(())
    })
    .await?;

    // Undone, it leads again.
    let said = nsclass(&cp, &["release", "--undo"]).await?;
    ensure!(said.contains("its Lease was gone and is made anew without the mark"), "{said}");
    eventually("it leads", async || {
        let lease = lease(&world, "default").await?;
        ensure!(!lease.annotations().contains_key(RELEASED_ANNOTATION), "still marked");
        ensure!(
            lease.spec.and_then(|spec| spec.holder_identity).is_some_and(|holder| !holder.is_empty()),
            "nobody leads"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn s35_the_bindings_of_a_dead_instance_are_freed_and_another_one_goes_on_with_them() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let config = "instance: blue\nleaderElection: { leaseDurationSeconds: 5, renewDeadlineSeconds: 4, retryPeriodSeconds: 1, requestTimeoutSeconds: 2 }\n";
    let blue = Operator::start(&cp, OperatorOptions { config: config.into(), ..OperatorOptions::default() }).await?;
    let world = World::new(&cp, "s35-dead");
    world.class("std", class(&["a"])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let before = objects(&world, "pay").await?;
    blue.program().kill()?;
    let _green = Operator::start(&cp, OperatorOptions::default()).await?;
    holds_for(Duration::from_secs(2), "what is another instance's is left alone", async || {
        let binding = world.binding("pay").await?.context("no binding")?;
        ensure!(binding.spec.instance == "blue", "{:?}", binding.spec);
        Ok(())
    })
    .await?;
    let said = nsclass(&cp, &["release", "--instance", "blue"]).await?;
    ensure!(said.contains("is dead") && said.contains("1 binding free"), "{said}");
    eventually("the other one goes on with the binding", async || {
        let binding = world.ready("pay", "std").await?;
        ensure!(binding.spec.instance == "default", "{:?}", binding.spec);
        Ok(())
    })
    .await?;
    ensure!(objects(&world, "pay").await? == before, "an object was made anew");
    Ok(())
}
