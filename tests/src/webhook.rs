//! The admission process beside a control plane: its pair, its place in the API server, and a Service's share of the load.

mod balancer;
mod caller;
mod configuration;
mod pair;

use std::ffi::OsStr;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, anyhow, ensure};
use nsclass_shared::api::crds;
use tokio::sync::OnceCell;

use crate::process::ScratchDir;
use crate::{ControlPlane, Identity, Program, eventually, http_get};

pub use balancer::Balancer;
pub use caller::Caller;
pub use configuration::{Asked, ask_about_classes, template_at};
pub use pair::{Mount, ServingFiles};

/// Webhooks that this process started, to keep their files apart.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// A running webhook.
#[derive(Debug)]
pub struct Webhook {
    program: Program,
    admin: SocketAddr,
    address: SocketAddr,
    config_file: PathBuf,
    /// Last, so that it is removed after its reader has ended.
    _dir: ScratchDir,
}

impl Webhook {
    /// The webhook that all tests of this test binary share, with the files that it serves by. It ends with the process.
    ///
    /// # Errors
    /// As [`Self::start`]; every caller gets the first one's error.
    pub async fn shared() -> Result<(&'static ControlPlane, &'static Self, &'static ServingFiles)> {
        static SHARED: OnceCell<Result<(Webhook, ServingFiles), Arc<anyhow::Error>>> = OnceCell::const_new();
        let cp = ControlPlane::shared().await?;
        let start = async || {
            let files = ServingFiles::new()?;
            let webhook = Self::start(cp, &files, "").await?;
            anyhow::Ok((webhook, files))
        };
        let shared = SHARED.get_or_init(async || start().await.map_err(Arc::new)).await.as_ref();
        let (webhook, files) = shared.map_err(|error| anyhow!("{error:#}"))?;
        Ok((cp, webhook, files))
    }

    /// Installs the definitions and starts a webhook of its own; ready when it says so.
    ///
    /// # Errors
    /// When it does not get ready, with the end of its log.
    pub async fn start(cp: &ControlPlane, files: &ServingFiles, config: &str) -> Result<Self> {
        cp.install_crds(&crds()).await?;
        let webhook = Self::start_unready(cp, files, config).await?;
        webhook.until_ready().await?;
        Ok(webhook)
    }

    /// Starts a webhook and waits for nothing but its ports.
    ///
    /// # Errors
    /// When it ends, with the end of its log.
    pub async fn start_unready(cp: &ControlPlane, files: &ServingFiles, config: &str) -> Result<Self> {
        Self::start_unready_as(cp, files, config, &Identity::Admin).await
    }

    /// [`Self::start_unready`], as somebody else than the admin.
    ///
    /// # Errors
    /// As there.
    pub async fn start_unready_as(
        cp: &ControlPlane,
        files: &ServingFiles,
        config: &str,
        identity: &Identity,
    ) -> Result<Self> {
        let name = format!("webhook-{}", STARTED.fetch_add(1, Ordering::Relaxed));
        let kubeconfig = cp.kubeconfig(&name, identity)?;
        let dir = ScratchDir::new("nsclass-webhook-config-")?;
        let config_file = dir.path().join("nsclass.yaml");
        fs::write(&config_file, config)?;
        let program = Program::named("nsclass-webhook")
            .args(["--log-format", "text", "--log", "info,nsclass_webhook=debug"])
            .args(["--address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0"])
            .args([OsStr::new("--config"), config_file.as_os_str()])
            .args([OsStr::new("--certificate-directory"), files.dir().as_os_str()])
            .env("KUBECONFIG", kubeconfig)
            .start()
            .await?;
        let addresses = eventually("the webhook says where its ports are", async || {
            program.ensure_running()?;
            let log = program.stderr()?;
            let after = |word: &str| log.split_once(word).and_then(|(_, rest)| rest.split_whitespace().next());
            let admin = after("starting address=").context("not yet")?.parse()?;
            Ok((admin, after("admission=").context("not yet")?.parse()?))
        });
        let (admin, address) = addresses.await?;
        Ok(Self { program, admin, address, config_file, _dir: dir })
    }

    /// Waits until it is ready.
    ///
    /// # Errors
    /// When it does not get so, with what is missing.
    pub async fn until_ready(&self) -> Result<()> {
        let ready = eventually("the webhook is ready", async || {
            self.program.ensure_running()?;
            let (status, body) = self.get("/readyz").await?;
            ensure!(status == 200, "{body}");
            Ok(())
        });
        ready.await.with_context(|| self.log().unwrap_or_default())
    }

    /// Where reviews are answered.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where its admin port is.
    pub fn admin(&self) -> SocketAddr {
        self.admin
    }

    /// Its admin port: status and body of a GET.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn get(&self, path: &str) -> Result<(u16, String)> {
        http_get(self.admin, path).await
    }

    /// One metric's value, by its name with labels as in the exposition; nothing where it has not been counted yet.
    ///
    /// # Errors
    /// When the port does not answer.
    pub async fn metric(&self, series: &str) -> Result<Option<f64>> {
        let (_, text) = self.get("/metrics").await?;
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        Ok(line.map(|value| value.trim().parse()).transpose()?)
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
}
