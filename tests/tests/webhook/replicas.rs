//! Two replicas behind a Service: one stops, each is replaced, both are away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use nsclass_tests::webhook::{Balancer, ServingFiles, Webhook, ask_about_classes};
use nsclass_tests::{ControlPlane, World, eventually, holds_for};
use serde_json::json;

use crate::stage::config_map;

/// Takes a replica out of the Service as Kubernetes does: it is sent SIGTERM, and a moment after it says that it is not ready, nobody
/// new is sent there.
async fn retire(balancer: &Balancer, old: &Webhook, others: &[&Webhook]) -> Result<()> {
    let (ended, noticed) = tokio::join!(old.program().terminate(), async {
        eventually("the replica says that it is not ready", async || {
            ensure!(old.get("/readyz").await?.0 == 503, "ready");
            Ok(())
        })
        .await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        balancer.send_to(&others.iter().map(|webhook| webhook.address()).collect::<Vec<_>>());
        anyhow::Ok(())
    });
    noticed?;
    ensure!(ended?.success(), "{}", old.log()?);
    Ok(())
}

#[tokio::test]
async fn fault02_sigterm_of_one_replica_and_a_rolling_restart_lose_no_request_under_load() -> Result<()> {
    let (cp, files) = (ControlPlane::shared().await?, ServingFiles::new()?);
    let (balancer, world) = (Balancer::start().await?, World::new(cp, "fault02"));
    let first = Webhook::start(cp, &files, "").await?;
    let second = Webhook::start(cp, &files, "").await?;
    balancer.send_to(&[first.address(), second.address()]);
    ask_about_classes(cp, "fault02-", balancer.address(), files.ca()).await?;
    world.class("std", json!({ "resources": [config_map("a")] })).await?;

    let (stop, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let load: Vec<_> = (0..4)
        .map(|worker| {
            let (classes, name) = (world.classes(), world.name("std"));
            let (stop, asked) = (Arc::clone(&stop), Arc::clone(&asked));
            tokio::spawn(async move {
                let params = PatchParams { dry_run: true, ..PatchParams::default() };
                for round in 0.. {
                    if stop.load(Relaxed) {
                        break;
                    }
                    let item = config_map(&format!("w{worker}-{round}"));
                    let patch = Patch::Merge(json!({ "spec": { "resources": [item] } }));
                    classes.patch(&name, &params, &patch).await?;
                    asked.fetch_add(1, Relaxed);
                }
                anyhow::Ok(())
            })
        })
        .collect();
    retire(&balancer, &first, &[&second]).await?;
    let third = Webhook::start(cp, &files, "").await?;
    balancer.send_to(&[second.address(), third.address()]);
    retire(&balancer, &second, &[&third]).await?;
    let before = asked.load(Relaxed);
    eventually("the third one is asked", async || {
        ensure!(asked.load(Relaxed) > before + 20, "{}", asked.load(Relaxed));
        Ok(())
    })
    .await?;
    stop.store(true, Relaxed);
    for worker in load {
        worker.await??;
    }
    let shown = third.get("/metrics").await?.1;
    let mut failures = shown.lines().filter(|line| line.starts_with("nsclass_admission_failures_total{"));
    ensure!(failures.all(|line| line.ends_with(" 0")), "{shown}");
    Ok(())
}

#[tokio::test]
async fn fault18_with_all_replicas_away_the_cluster_works_and_they_come_back_alone() -> Result<()> {
    let (cp, files) = (ControlPlane::shared().await?, ServingFiles::new()?);
    let (balancer, world) = (Balancer::start().await?, World::new(cp, "fault18"));
    let webhook = Webhook::start(cp, &files, "").await?;
    balancer.send_to(&[webhook.address()]);
    ask_about_classes(cp, "fault18-", balancer.address(), files.ca()).await?;
    world.class("std", json!({ "resources": [config_map("a")] })).await?;
    webhook.program().kill()?;
    balancer.send_to(&[]);

    let edit = async |drift: &str| {
        let patch = Patch::Merge(json!({ "spec": { "drift": drift } }));
        world.classes().patch(&world.name("std"), &PatchParams::default(), &patch).await
    };
    let error = edit("Report").await.map(drop).unwrap_err().to_string();
    ensure!(error.contains("failed calling webhook"), "{error}");
    // All that the operator needs to start again, and what a cluster does besides.
    world.namespace("nsclass-system").create().await?;
    for namespace in [world.name("nsclass-system"), "kube-system".to_owned()] {
        let maps: Api<ConfigMap> = Api::namespaced(cp.admin(), &namespace);
        let metadata = ObjectMeta { name: Some(world.name("map")), ..ObjectMeta::default() };
        maps.create(&PostParams::default(), &ConfigMap { metadata, ..ConfigMap::default() }).await?;
        maps.delete(&world.name("map"), &DeleteParams::default()).await?;
    }
    let labels = json!({ "metadata": { "labels": { "a": "b" }, "finalizers": ["nsclass.io/finalizer"] } });
    let params = PatchParams::default();
    world.classes().patch(&world.name("std"), &params, &Patch::Merge(labels)).await?;
    let released = json!({ "metadata": { "finalizers": null } });
    world.classes().patch(&world.name("std"), &params, &Patch::Merge(released)).await?;
    holds_for(Duration::from_secs(1), "classes cannot be edited", async || {
        ensure!(edit("Report").await.is_err(), "it was edited");
        Ok(())
    })
    .await?;

    let again = Webhook::start(cp, &files, "").await?;
    balancer.send_to(&[again.address()]);
    eventually("classes can be edited", async || Ok(edit("Report").await?)).await?;
    Ok(())
}
