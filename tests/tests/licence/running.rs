//! A controller in this process, whose clock a test holds.

use std::ffi::OsString;
use std::net::SocketAddr;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use nsclass_controller::args::Args;
use nsclass_controller::clock::Clock;
use nsclass_controller::licence::Pod;
use nsclass_controller::run::{Surroundings, run};
use nsclass_shared::runtime::ConfigSource;
use nsclass_tests::{ControlPlane, Identity, eventually, http_get};
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A controller. It stops when it is dropped, and in order with [`Running::stop`].
pub(crate) struct Running {
    pub(crate) clock: Clock,
    admin: SocketAddr,
    shutdown: CancellationToken,
    task: Option<JoinHandle<Result<()>>>,
    dir: TempDir,
}

impl Running {
    /// Starts one with this configuration as `identity`, and waits until it is ready and leads.
    pub(crate) async fn start(cp: &ControlPlane, config: &str, identity: &Identity, pod: Option<Pod>) -> Result<Self> {
        let dir = tempfile::tempdir()?;
        let file = dir.path().join("nsclass.yaml");
        std::fs::write(&file, config)?;
        let arguments = ["nsclass-controller", "--periodic-pass-seconds", "86400", "--config"].map(OsString::from);
        let args = Args::try_parse_from(arguments.into_iter().chain([file.into_os_string()]))?;
        let settings = args.check(args.load()?)?;
        let name = settings.config.instance.clone();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (admin, clock, shutdown) = (listener.local_addr()?, Clock::default(), CancellationToken::new());
        let kubeconfig = Some(cp.kubeconfig(&name, identity)?);
        let around = Surroundings { kubeconfig, clock: clock.clone(), pod, admin: Some(listener) };
        let task = Some(tokio::spawn(run(args, settings, around, shutdown.clone())));
        let running = Self { clock, admin, shutdown, task, dir };
        running.until_it_leads().await?;
        Ok(running)
    }

    async fn until_it_leads(&self) -> Result<()> {
        eventually("the controller is ready and leads", async || {
            ensure!(self.task.as_ref().is_some_and(|task| !task.is_finished()), "it has ended");
            let (status, body) = http_get(self.admin, "/readyz?verbose").await?;
            ensure!(status == 200 && body.contains("[i] leader"), "{status}: {body}");
            Ok(())
        })
        .await
    }

    /// Fails where it has ended.
    pub(crate) fn ensure_running(&self) -> Result<()> {
        ensure!(self.task.as_ref().is_some_and(|task| !task.is_finished()), "the controller has ended");
        Ok(())
    }

    /// Stops it as SIGTERM does: the next one leads at once.
    pub(crate) async fn stop(mut self) -> Result<()> {
        self.shutdown.cancel();
        self.task.take().context("it was stopped before")?.await?
    }

    /// Replaces its configuration.
    pub(crate) fn reconfigure(&self, config: &str) -> Result<()> {
        Ok(std::fs::write(self.dir.path().join("nsclass.yaml"), config)?)
    }

    /// One metric's value, by its name with labels as in the exposition.
    pub(crate) async fn metric(&self, series: &str) -> Result<f64> {
        let (_, text) = http_get(self.admin, "/metrics").await?;
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        Ok(line.with_context(|| format!("no series {series}"))?.trim().parse()?)
    }

    /// What `/debug/scope` shows of the licence.
    pub(crate) async fn shown(&self) -> Result<Value> {
        let (_, body) = http_get(self.admin, "/debug/scope").await?;
        Ok(serde_json::from_str::<Value>(&body)?["licence"].clone())
    }

    /// Waits until the licence is in that state, everywhere that it is shown.
    pub(crate) async fn until_it_is(&self, state: &str) -> Result<()> {
        eventually(format!("the licence is {state}"), async || {
            self.ensure_running()?;
            let shown = self.shown().await?;
            ensure!(shown["shown"]["state"] == state, "{shown}");
            let metric = self.metric(&format!("nsclass_licence_state{{state=\"{state}\"}}")).await?;
            ensure!(metric > 0.5, "the metric says {metric}");
            Ok(())
        })
        .await
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}
