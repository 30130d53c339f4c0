//! An API server that is away: killed, started again, and silent.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kube::ResourceExt;
use nsclass_tests::{ControlPlane, Operator, Options, eventually, eventually_within};

use crate::stage::{LABEL, Stage, class, debug, verdict};

/// Longer than the watch of namespaces is ever silent while all is well (30 s), and shorter than the renew deadline of this test.
const TOO_OLD: f64 = 35.0;

async fn age(operator: &Operator) -> Result<f64> {
    operator.metric("nsclass_scope_age_seconds").await
}

#[tokio::test]
async fn fault08_while_the_api_server_is_away_age_rises_the_snapshot_answers_and_nothing_is_deleted() -> Result<()> {
    let mut cp = ControlPlane::start(Options::default()).await?;
    let world = Stage::on(&cp, "f08");
    let operator = world.patient_operator("one", &["in"]).await?;
    world.class("std", class(&["a"], "1")).await?;
    for (namespace, value) in [("pay", "in"), ("shop", "out")] {
        world.namespace(namespace).of_class("std").label(LABEL, world.value(value)).create().await?;
    }
    world.kept_by("pay", "one").await?;
    let uid = world.maps("pay").get("a").await?.uid();
    let (pay, shop) = (world.name("pay"), world.name("shop"));
    let (in_value, out_value, world_name) = (world.value("in"), world.value("out"), world.name("std"));
    let admin = world.client();
    drop(world);

    // Silent: connections stay open, and nothing comes.
    cp.pause_api_server()?;
    eventually_within(Duration::from_secs(120), "the age says that nothing was heard for too long", async || {
        let age = age(&operator).await?;
        ensure!(age > TOO_OLD, "{age}");
        Ok(())
    })
    .await?;
    ensure!(
        verdict(&operator, &pay).await? == "InScope" && verdict(&operator, &shop).await? == "OutOfScope",
        "forgotten"
    );
    cp.resume_api_server()?;
    young_again(&operator).await?;

    // Away: connections are refused, then it is there again.
    cp.stop_api_server()?;
    eventually("the broken watch is counted", async || {
        ensure!(operator.metric("nsclass_scope_watch_errors_total").await? >= 1.0, "not yet");
        Ok(())
    })
    .await?;
    ensure!(verdict(&operator, &pay).await? == "InScope", "forgotten");
    ensure!(debug(&operator, "").await?["seeded"] == true, "no longer seeded");
    cp.start_api_server().await?;

    // What is labelled the moment it is back counts.
    let namespaces: kube::Api<k8s_openapi::api::core::v1::Namespace> = kube::Api::all(admin.clone());
    for (name, value) in [(&pay, &out_value), (&shop, &in_value)] {
        let patch = kube::api::Patch::Merge(serde_json::json!({ "metadata": { "labels": { LABEL: value } } }));
        namespaces.patch(name, &kube::api::PatchParams::default(), &patch).await?;
    }
    let bindings: kube::Api<nsclass_shared::api::NamespaceClassBinding> = kube::Api::all(admin.clone());
    eventually("both follow their labels", async || {
        let left = bindings.get(&pay).await?;
        ensure!(left.spec.instance.is_empty(), "{:?}", left.spec);
        let came = bindings.get(&shop).await?;
        ensure!(came.spec.class_name == world_name && came.status.is_some_and(|s| s.objects == 1), "{:?}", came.spec);
        Ok(())
    })
    .await?;
    young_again(&operator).await?;
    let maps: kube::Api<k8s_openapi::api::core::v1::ConfigMap> = kube::Api::namespaced(admin, &pay);
    ensure!(maps.get("a").await.context("what left the scope is gone")?.uid() == uid, "made anew");
    let deleted = cp.audit().all().await?.by_agent("nsclass-controller").verb("delete");
    ensure!(deleted.is_empty(), "{deleted}");
    operator.program().ensure_running()
}

async fn young_again(operator: &Operator) -> Result<()> {
    eventually_within(Duration::from_secs(120), "the API server is heard of again", async || {
        let age = age(operator).await?;
        ensure!(age < 30.0, "{age}");
        Ok(())
    })
    .await
}
