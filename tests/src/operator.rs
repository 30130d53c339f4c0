//! The operator on a control plane: our definitions installed, the controller running beside it as a cluster would run it.

use std::ffi::OsStr;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, anyhow};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use kube::api::DeleteParams;
use nsclass_shared::api::crds;
use nsclass_shared::names::controller_lease;
use tokio::sync::OnceCell;

use crate::http::http_get;
use crate::install::ensure_namespace;
use crate::process::ScratchDir;
use crate::{ControlPlane, Identity, Program, eventually};

/// Controllers that this process started, to keep their files apart.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// Where an operator is that says nothing else.
pub const OPERATOR_NAMESPACE: &str = "nsclass-system";

/// A running controller.
#[derive(Debug)]
pub struct Operator {
    program: Program,
    admin: SocketAddr,
    config_file: PathBuf,
    /// Last, so that it is removed after its reader has ended.
    _dir: ScratchDir,
}

/// How a controller is started.
#[derive(Debug, Clone, Default)]
pub struct OperatorOptions {
    /// Text of the configuration file.
    pub config: String,
    /// Further arguments.
    pub args: Vec<String>,
    /// Who it is to the API server; the admin where none.
    pub identity: Option<Identity>,
}

impl Operator {
    /// The controller that all tests of this test binary share, on the shared control plane. It ends with the process. Its periodic
    /// pass is hours away, so that it asks for nothing but what a test caused.
    ///
    /// # Errors
    /// As [`Self::start`]; every caller gets the first one's error.
    pub async fn shared() -> Result<(&'static ControlPlane, &'static Self)> {
        static SHARED: OnceCell<Result<Operator, Arc<anyhow::Error>>> = OnceCell::const_new();
        let cp = ControlPlane::shared().await?;
        let args = ["--periodic-pass-seconds", "86400"].map(str::to_owned).to_vec();
        let options = OperatorOptions { args, ..OperatorOptions::default() };
        let start = async || Self::start(cp, options).await.map_err(Arc::new);
        let shared = SHARED.get_or_init(start).await.as_ref();
        Ok((cp, shared.map_err(|error| anyhow!("{error:#}"))?))
    }

    /// Installs the definitions, makes the operator's namespace and starts a controller of its own; ready when it says so, as leader or
    /// as standby.
    ///
    /// # Errors
    /// When it does not get ready, with the end of its log.
    pub async fn start(cp: &ControlPlane, options: OperatorOptions) -> Result<Self> {
        cp.install_crds(&crds()).await?;
        ensure_namespace(&cp.admin(), OPERATOR_NAMESPACE).await?;
        let identity = options.identity.unwrap_or(Identity::Admin);
        let name = format!("operator-{}", STARTED.fetch_add(1, Ordering::Relaxed));
        let kubeconfig = cp.kubeconfig(&name, &identity)?;
        Self::start_with(kubeconfig, &options.config, &options.args).await
    }

    /// Starts a controller for the cluster of a kubeconfig, where the definitions are installed.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn start_with(kubeconfig: PathBuf, config: &str, args: &[String]) -> Result<Self> {
        let dir = ScratchDir::new("nsclass-config-")?;
        let config_file = dir.path().join("nsclass.yaml");
        fs::write(&config_file, config)?;
        // Steps are logged, unless somebody measures what they cost.
        let log = if args.iter().any(|arg| arg == "--log") { "" } else { "--log=info,nsclass_controller=debug" };
        let program = Program::named("nsclass-controller")
            .args(["--log-format", "text", "--admin-address", "127.0.0.1:0"])
            .args(Some(log).filter(|log| !log.is_empty()))
            .args([OsStr::new("--config"), config_file.as_os_str()])
            .args(args)
            .env("KUBECONFIG", kubeconfig)
            .start()
            .await?;
        let address = eventually("the controller says where its admin port is", async || {
            program.ensure_running()?;
            let log = program.stderr()?;
            let address = log.split_once("starting address=").and_then(|(_, rest)| rest.split_whitespace().next());
            Ok(address.context("not yet")?.parse()?)
        });
        let admin = address.await?;
        let operator = Self { program, admin, config_file, _dir: dir };
        let ready = eventually("the controller is ready", async || {
            operator.program.ensure_running()?;
            let (status, body) = operator.get("/readyz").await?;
            anyhow::ensure!(status == 200, "{body}");
            Ok(())
        });
        ready.await.with_context(|| operator.log_tail())?;
        Ok(operator)
    }

    /// Its admin port: status and body of a GET.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn get(&self, path: &str) -> Result<(u16, String)> {
        http_get(self.admin, path).await
    }

    /// Where its admin port is.
    pub fn admin(&self) -> SocketAddr {
        self.admin
    }

    /// One metric's value, by its name with labels as in the exposition.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn metric(&self, series: &str) -> Result<f64> {
        let (_, text) = self.get("/metrics").await?;
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        Ok(line.with_context(|| format!("no series {series}"))?.trim().parse()?)
    }

    /// Replaces its configuration file, as a mounted `ConfigMap` would be.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn reconfigure(&self, config: &str) -> Result<()> {
        let next = self.config_file.with_extension("next");
        fs::write(&next, config)?;
        Ok(fs::rename(next, &self.config_file)?)
    }

    /// Kills it (SIGKILL) and deletes its lease, as an admin would who knows that it is dead: the next one need not wait for the lease to
    /// run out.
    ///
    /// # Errors
    /// When the kernel or the server refuses.
    pub async fn kill_for_good(&self, cp: &ControlPlane) -> Result<()> {
        self.program.kill()?;
        let leases: Api<Lease> = Api::namespaced(cp.admin(), OPERATOR_NAMESPACE);
        leases.delete(&controller_lease("default"), &DeleteParams::default()).await?;
        Ok(())
    }

    /// The process.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What it logged so far.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn log(&self) -> Result<String> {
        self.program.stderr()
    }

    fn log_tail(&self) -> String {
        let log = self.log().unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}
