//! The control plane as a whole.

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, ResourceExt};
use nsclass_tests::{ControlPlane, Options, World, eventually, eventually_within};

use crate::ps;

#[tokio::test]
async fn the_server_is_one_that_the_operator_supports() -> Result<()> {
    let version = ControlPlane::shared().await?.admin().apiserver_version().await?;
    ensure!(version.major == "1" && version.minor.parse::<u32>()? >= 33, "{version:?}");
    Ok(())
}

#[tokio::test]
async fn a_namespace_gets_its_account_and_root_certificate_and_really_terminates() -> Result<()> {
    let world = World::new(ControlPlane::shared().await?, "lifecycle");
    let namespace = world.namespace("a").create().await?.name_any();
    let accounts: Api<ServiceAccount> = Api::namespaced(world.client(), &namespace);
    let config_maps: Api<ConfigMap> = Api::namespaced(world.client(), &namespace);
    eventually("what every namespace gets", async || {
        accounts.get("default").await?;
        config_maps.get("kube-root-ca.crt").await?;
        Ok(())
    })
    .await?;
    world.delete_namespace("a").await?;
    eventually("the namespace is gone", async || match world.namespaces().get_opt(&namespace).await? {
        None => Ok(()),
        Some(namespace) => bail!("{:?}", namespace.status),
    })
    .await
}

#[tokio::test]
async fn the_api_server_comes_back_with_its_data_on_its_port_and_with_its_flags() -> Result<()> {
    let flag = "--runtime-config=autoscaling/v1=false";
    let mut cp = ControlPlane::start(Options::default().api_server_flag(flag)).await?;
    let (url, client) = (cp.url().to_owned(), cp.admin());
    let objects: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let metadata = ObjectMeta { name: Some("kept".to_owned()), ..ObjectMeta::default() };
    let uid = objects.create(&PostParams::default(), &ConfigMap { metadata, ..ConfigMap::default() }).await?.uid();

    cp.stop_api_server()?;
    ensure!(objects.get("kept").await.is_err(), "a stopped server answered");
    ensure!(cp.stop_api_server().is_err(), "it was stopped twice");
    cp.start_api_server().await?;
    ensure!(cp.start_api_server().await.is_err(), "it was started twice");

    ensure!(cp.url() == url && objects.get("kept").await?.uid() == uid, "another server or other data");
    let answer = client.list_api_group_resources("autoscaling/v1").await;
    ensure!(matches!(&answer, Err(kube::Error::Api(status)) if status.code == 404), "{answer:?}");
    let audit = cp.audit().all().await?;
    let kept = audit.writes().on("configmaps").named("kept");
    ensure!(kept.len() == 1, "the audit log goes on over the restart: {kept}");
    Ok(())
}

#[tokio::test]
async fn a_paused_api_server_answers_nothing_and_then_goes_on() -> Result<()> {
    let mut cp = ControlPlane::start(Options::default()).await?;
    let client = cp.admin();
    cp.pause_api_server()?;
    let look = async || Ok(client.apiserver_version().await?);
    let answer = eventually_within(Duration::from_secs(1), "an answer", look).await;
    ensure!(answer.is_err(), "a paused server answered {answer:?}");
    cp.resume_api_server()?;
    eventually("an answer", look).await?;
    Ok(())
}

#[tokio::test]
async fn a_component_that_does_not_start_is_told_with_the_end_of_its_log() -> Result<()> {
    let Err(error) = ControlPlane::start(Options::default().api_server_flag("--no-such-flag=1")).await else {
        bail!("it started with an unknown flag");
    };
    let message = format!("{error:#}");
    ensure!(message.contains("kube-apiserver ended") && message.contains("unknown flag: --no-such-flag"), "{message}");
    Ok(())
}

#[tokio::test]
async fn a_dropped_control_plane_leaves_nothing() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let (pids, dir) = (cp.pids(), cp.dir().to_owned());
    ensure!(ps::still_running(&pids)?.len() == 3 && dir.is_dir(), "{pids:?} in {}", dir.display());
    drop(cp);
    let left = ps::still_running(&pids)?;
    ensure!(left.is_empty() && !dir.exists(), "left: {left:?}, {}", dir.display());
    Ok(())
}
