//! Counting in the audit log.

use anyhow::{Context, Result, ensure};
use futures::StreamExt;
use futures::future::try_join_all;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams, VersionMatch, WatchParams};
use kube::{Api, Client, ResourceExt};
use nsclass_tests::{ControlPlane, Identity, World, eventually};
use serde_json::json;

/// A namespace and a client in it that nobody else is.
async fn writer(cp: &ControlPlane, world: &World) -> Result<(String, Api<ConfigMap>)> {
    let namespace = world.namespace("a").create().await?.name_any();
    let client = cp.impersonate(&world.name("writer"), &["system:masters"]);
    Ok((namespace.clone(), Api::namespaced(client, &namespace)))
}

fn config_map(name: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    let data = [("text".to_owned(), "x".repeat(2000))].into();
    ConfigMap { metadata, data: Some(data), ..ConfigMap::default() }
}

#[tokio::test]
async fn every_write_is_counted_once_by_user_verb_and_object() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let world = World::new(cp, "writes");
    let (namespace, objects) = writer(cp, &world).await?;
    let start = cp.audit().mark().await?;
    let names: Vec<String> = (0..50).map(|index| format!("c{index}")).collect();
    let (create, patch) = (PostParams::default(), PatchParams::default());
    try_join_all(names.iter().map(async |name| objects.create(&create, &config_map(name)).await)).await?;
    let change = Patch::Merge(json!({ "data": { "a": "b" } }));
    try_join_all(names.iter().take(10).map(async |name| objects.patch(name, &patch, &change).await)).await?;
    objects.delete("c0", &DeleteParams::default()).await?;

    let writes = cp.audit().since(start).await?.writes().by_user(&world.name("writer"));
    ensure!(writes.len() == 61 && writes.counts().len() == 61 && writes.counts().values().all(|n| *n == 1), "{writes}");
    ensure!(writes.verb("create").on("configmaps").in_namespace(&namespace).len() == 50, "{writes}");
    ensure!(writes.verb("patch").len() == 10 && writes.named("c1").len() == 2, "{writes}");
    ensure!(writes.verb("delete").named("c0").len() == 1 && writes.accepted().len() == 61, "{writes}");
    ensure!(writes.iter().all(|request| request.received <= request.answered), "{writes:?}");
    ensure!(
        format!("{writes}").contains(&format!("1 × {} delete configmaps/{namespace}/c0\n", world.name("writer"))),
        "{writes}"
    );
    Ok(())
}

#[tokio::test]
async fn refused_writes_are_counted_and_dry_runs_are_told_apart() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let world = World::new(cp, "refused");
    let (_, objects) = writer(cp, &world).await?;
    objects.create(&PostParams::default(), &config_map("a")).await?;
    let start = cp.audit().mark().await?;
    ensure!(objects.create(&PostParams::default(), &config_map("a")).await.is_err(), "it was there already");
    objects.create(&PostParams { dry_run: true, ..PostParams::default() }, &config_map("b")).await?;

    let seen = cp.audit().since(start).await?.by_user(&world.name("writer"));
    ensure!(seen.writes().len() == 1 && seen.writes().accepted().is_empty(), "{seen}");
    ensure!(seen.writes().iter().all(|request| request.code == 409), "{seen:?}");
    ensure!(seen.dry_runs().len() == 1, "{seen}");
    Ok(())
}

/// A client that calls itself `agent` and takes the first answer for the last.
fn client_of(cp: &ControlPlane, agent: &str) -> Result<Client> {
    let mut config = cp.client_config(&Identity::Admin)?;
    config.headers = vec![("user-agent".parse()?, agent.parse()?)];
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

#[tokio::test]
async fn a_request_that_is_still_being_served_is_waited_for() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let agent = World::new(cp, "slow").name("reader");
    let objects: Api<ConfigMap> = Api::all(client_of(cp, &agent)?);
    let start = cp.audit().mark().await?;
    // The server holds a list from the future for some seconds before it gives up.
    let future = ListParams::default().at("999999999").matching(VersionMatch::NotOlderThan);
    let list = tokio::spawn(async move { objects.list(&future).await });
    eventually("the server has received it", async || {
        ensure!(std::fs::read_to_string(cp.dir().join("audit.log"))?.contains(&agent), "not yet");
        Ok(())
    })
    .await?;
    ensure!(!list.is_finished(), "it was answered at once, and shows nothing");
    let lists = cp.audit().since(start).await?.reads().by_agent(&agent);
    ensure!(lists.len() == 1 && lists.iter().all(|request| request.code == 504), "{lists:?}");
    ensure!(list.await?.is_err(), "it was answered");
    Ok(())
}

#[tokio::test]
async fn what_a_program_reads_is_counted_by_its_agent_and_a_watch_when_it_begins() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let agent = World::new(cp, "agent").name("reader");
    let objects: Api<ConfigMap> = Api::namespaced(client_of(cp, &format!("{agent}/1"))?, "default");
    let start = cp.audit().mark().await?;
    objects.list(&ListParams::default()).await?;
    let mut watch = Box::pin(objects.watch(&WatchParams::default(), "0").await?);
    watch.next().await.context("the watch ended")??;
    let expected = |verb: &str| ((format!("{agent}/1"), verb.to_owned(), "configmaps".to_owned()), 1);
    let reads = cp.audit().since(start).await?.reads().by_agent(&agent);
    ensure!(reads.per_agent() == [expected("list"), expected("watch")].into(), "{reads}");
    drop(watch);
    objects.list(&ListParams::default()).await?;
    let reads = cp.audit().since(start).await?.reads().by_agent(&agent);
    ensure!(reads.verb("watch").len() == 1 && reads.verb("list").len() == 2, "{reads}");
    Ok(())
}
