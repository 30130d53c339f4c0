//! Where the demo plays: a control plane of its own, or a cluster that is there.

use std::cell::OnceCell;
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use nsclass_tests::{ControlPlane, Identity, Options, assets};
use tempfile::TempDir;

use crate::admission::Admission;
use crate::args::Args;
use crate::pair::Pair;
use crate::preflight::Preflight;
use crate::processes::RunningProcess;
use nsclass_tests::Screen;

/// Between two looks at whether the processes run.
const LOOK: Duration = Duration::from_millis(250);

/// The cluster, and what runs beside it. Fields are dropped in this order: the operator, then its cluster.
pub struct Stage {
    /// The controllers. Set by the step that starts them.
    pub pair: OnceCell<Pair>,
    /// The webhooks. Set by the same step, on a control plane of our own.
    pub admission: OnceCell<Admission>,
    /// For the demo's own requests.
    pub client: Client,
    /// What `KUBECONFIG` must be for kubectl and for the controller: a file, or several.
    pub kubeconfig: PathBuf,
    /// What a cluster that is not ours was like before; none for our own, which needs no cleaning.
    pub guest_of: Option<Preflight>,
    /// The control plane, where it is our own.
    pub plane: Option<ControlPlane>,
    /// Where controllers keep their copies of repositories.
    pub git: TempDir,
    _context: Option<TempDir>,
}

impl Stage {
    /// Starts a control plane.
    ///
    /// # Errors
    /// When its programs are neither there nor buildable, or do not get ready.
    pub async fn own(screen: &Screen) -> Result<Self> {
        screen.step(
            "A control plane",
            "etcd, kube-apiserver and kube-controller-manager on free ports of this machine; no containers, no nodes.",
        );
        // A build says itself how far it is.
        tokio::task::spawn_blocking(|| assets::find(&assets::CONTROL_PLANE)).await??;
        let start = ControlPlane::start(Options::default());
        let plane = screen.while_waiting("the control plane starts", String::new, start).await?;
        let stage = Self {
            pair: OnceCell::new(),
            admission: OnceCell::new(),
            client: plane.admin(),
            kubeconfig: plane.kubeconfig("admin", &Identity::Admin)?,
            guest_of: None,
            plane: Some(plane),
            git: scratch()?,
            _context: None,
        };
        stage.introduce(screen).await?;
        Ok(stage)
    }

    /// Looks at a cluster that is there, and changes nothing.
    ///
    /// # Errors
    /// When it cannot be reached, or the demo would be in somebody's way there.
    pub async fn guest(screen: &Screen, file: &Path, args: &Args) -> Result<Self> {
        screen.step("A cluster that is there", "The demo looks first whether it would be in somebody's way.");
        let file = std::path::absolute(file)?;
        let place = || file.display().to_string();
        let options = KubeConfigOptions { context: args.context.clone(), ..KubeConfigOptions::default() };
        let config = Config::from_custom_kubeconfig(Kubeconfig::read_from(&file).with_context(place)?, &options);
        let client = Client::try_from(config.await.with_context(place)?).with_context(place)?;
        let (kubeconfig, context) = with_context(file, args.context.as_deref())?;
        let (pair, admission) = (OnceCell::new(), OnceCell::new());
        let git = scratch()?;
        let mut stage =
            Self { pair, admission, client, kubeconfig, guest_of: None, plane: None, git, _context: context };
        stage.introduce(screen).await?;
        stage.guest_of = Some(Preflight::look(&stage.client).await?);
        screen.tick("nothing is there under the names that the demo uses, and no class, binding or labelled namespace");
        Ok(stage)
    }

    async fn introduce(&self, screen: &Screen) -> Result<()> {
        screen.command(&format!("export KUBECONFIG={}", self.kubeconfig.display()));
        let version = self.client.apiserver_version();
        let version = screen.while_waiting("the API server answers", String::new, version).await;
        let version = version.context("the API server does not answer")?;
        screen.tick(&format!("the API server answers: Kubernetes {}", version.git_version));
        Ok(())
    }

    /// The operator's processes, as far as they were started and the demo did not kill them; the controllers first.
    pub fn processes(&self) -> Vec<RunningProcess> {
        let controllers = self.pair.get().map(Pair::alive).unwrap_or_default().into_iter();
        let webhooks = self.admission.get().into_iter().flat_map(|admission| &admission.webhooks);
        let controllers = controllers.map(|it| ("nsclass-controller", it.program().pid(), it.admin()));
        let webhooks = webhooks.map(|it| ("nsclass-webhook", it.program().pid(), it.admin()));
        controllers.chain(webhooks).map(|(name, pid, admin)| RunningProcess { name, pid, admin }).collect()
    }

    /// Fails when a process has ended that the demo did not kill.
    ///
    /// # Errors
    /// Which one, and the end of its log.
    pub fn ensure_running(&self) -> Result<()> {
        self.pair.get().map_or(Ok(()), Pair::ensure_running)?;
        self.admission.get().map_or(Ok(()), Admission::ensure_running)
    }

    /// Waits until a process ends that should not; for ever while there is none.
    pub async fn process_ended(&self) -> anyhow::Error {
        loop {
            tokio::time::sleep(LOOK).await;
            if let Err(ended) = self.ensure_running() {
                return ended;
            }
        }
    }

    /// Whether there is a controller that could still work.
    pub fn has_controller(&self) -> bool {
        self.pair.get().is_some_and(Pair::is_any_running)
    }

    /// Waits until there is no controller that could still work.
    pub async fn controllers_ended(&self) {
        while self.has_controller() {
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Of several files the first that names a current context decides, so a file with nothing else chooses one, and no secret is copied.
fn with_context(file: PathBuf, context: Option<&str>) -> Result<(PathBuf, Option<TempDir>)> {
    let Some(context) = context else { return Ok((file, None)) };
    let dir = scratch()?;
    let choice = dir.path().join("context");
    let text = serde_json::json!({ "apiVersion": "v1", "kind": "Config", "current-context": context });
    std::fs::write(&choice, text.to_string())?;
    let joined = env::join_paths([choice, file]).context("--kubeconfig: the path cannot stand in KUBECONFIG")?;
    Ok((joined.into(), Some(dir)))
}

fn scratch() -> std::io::Result<TempDir> {
    tempfile::Builder::new().prefix("nsclass-demo-").tempdir()
}
