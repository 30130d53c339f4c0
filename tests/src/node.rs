//! A whole Kubernetes node: real pods, Services and probes, in namespaces of its own (network, mounts, processes), without a container
//! engine's daemon and without any other machine.
//!
//! [`enclosure::run`] starts a program of ours again inside such namespaces; there [`Node::start`] gives a control plane with scheduler,
//! kubelet, containerd and kube-proxy. Nothing in it can reach another machine: there is loopback, a bridge, and the addresses of pods
//! and Services. All of it ends with the enclosure, however that ends. It takes root, a few packages ([`programs::ensure_all`]) and about
//! 700 MB of memory; to a ready node it is 5 to 15 s.

mod cgroup;
mod containerd;
pub mod enclosure;
pub mod image;
mod kubelet;
mod network;
pub mod programs;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Node as NodeObject;
use kube::Api;

use crate::assets;
use crate::control_plane::{ControlPlane, Identity, Options};
use crate::process::{Launch, Process, ScratchDir};

/// What the node is called.
pub const NAME: &str = "n1";

/// A running node with its control plane. Fields are dropped in this order.
#[derive(Debug)]
pub struct Node {
    kubelet: Process,
    _proxy: Process,
    _containerd: Process,
    _scheduler: Process,
    plane: ControlPlane,
    _dir: ScratchDir,
}

impl Node {
    /// Starts it, with these images (docker archives) in its store. To be called once, inside an enclosure.
    ///
    /// # Errors
    /// When a program is missing or does not get ready, with the end of its log.
    pub async fn start(images: &[&Path]) -> Result<Self> {
        network::up().await?;
        let programs = tokio::task::spawn_blocking(|| assets::find(&assets::NODE)).await??;
        let plane = ControlPlane::start(Options::default().with_node(network::NETWORK)).await?;
        let dir = ScratchDir::new("node-")?;
        let launch = |program: &str, args: Vec<String>| {
            let log = dir.path().join(format!("{program}.log"));
            Process::start(Launch {
                name: program.to_owned(),
                program: programs.join(program),
                args: args.into_iter().map(Into::into).collect(),
                envs: Vec::new(),
                dir: Some(dir.path().to_owned()),
                stdout: log.clone(),
                stderr: log,
            })
        };
        let kubeconfig = |name: &str, user: &str, groups: &[&str]| {
            let path = plane.kubeconfig(name, &Identity::user(user, groups))?;
            anyhow::Ok(format!("--kubeconfig={}", path.display()))
        };
        let scheduler = launch(
            "kube-scheduler",
            vec![
                kubeconfig("scheduler", "system:kube-scheduler", &[])?,
                "--leader-elect=false".to_owned(),
                "--secure-port=0".to_owned(),
            ],
        )?;
        let containerd = containerd::start(dir.path()).await?;
        for image in images {
            containerd::import(dir.path(), image).await?;
        }
        let config = kubelet::configure(dir.path(), plane.authority())?;
        let mut flags = vec![kubeconfig("kubelet", &format!("system:node:{NAME}"), &["system:nodes"])?];
        flags.extend(kubelet::flags(dir.path(), &config));
        let kubelet = launch("kubelet", flags)?;
        let mut flags = vec![kubeconfig("kube-proxy", "system:kube-proxy", &[])?];
        flags.extend(kubelet::proxy_flags());
        let proxy = launch("kube-proxy", flags)?;

        let node = Self { kubelet, _proxy: proxy, _containerd: containerd, _scheduler: scheduler, plane, _dir: dir };
        node.until_ready().await?;
        Ok(node)
    }

    /// Its control plane.
    pub fn plane(&self) -> &ControlPlane {
        &self.plane
    }

    async fn until_ready(&self) -> Result<()> {
        let nodes: Api<NodeObject> = Api::all(self.plane.admin());
        let ready = async || {
            let conditions = nodes.get(NAME).await?.status.and_then(|status| status.conditions).unwrap_or_default();
            let ready = conditions.iter().find(|it| it.type_ == "Ready").context("no condition Ready")?;
            ensure!(ready.status == "True", "{}", ready.message.as_deref().unwrap_or_default());
            Ok(())
        };
        self.kubelet.eventually("the node is ready", ready).await
    }
}

/// What went wrong in a command of ours, or nothing.
async fn command(program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Result<String> {
    let program = program.as_ref();
    let shown = || format!("{} {}", program.to_string_lossy(), args.join(" "));
    let output = tokio::process::Command::new(program).args(args).output().await;
    let output = output.with_context(|| format!("{} cannot be run", shown()))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {}: {}", shown(), output.status, complaint.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Waits until a command succeeds.
async fn until_it_succeeds(process: &Process, program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Result<()> {
    let program = program.as_ref();
    let what = format!("{} answers", process.name());
    process.eventually(what, async || command(program, args).await.map(drop)).await
}
