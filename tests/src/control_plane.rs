//! A real control plane: etcd, kube-apiserver and kube-controller-manager on loopback, for as long as this value lives.

mod api_server;
mod clients;
mod components;
mod kubeconfig;
mod node;
mod options;
mod pki;
mod ports;

use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::{Result, anyhow};
use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
use kube::Api;
use tokio::sync::OnceCell;

pub use clients::Identity;
pub use node::NodeNetwork;
pub use options::Options;
pub(crate) use ports::Port;

use crate::assets;
use crate::audit::{Audit, AuditLog};
use crate::process::{Process, ScratchDir};
use components::Components;

/// A running control plane.
///
/// Fields are dropped in this order: the programs, then what they wrote.
#[derive(Debug)]
pub struct ControlPlane {
    controller_manager: Option<Process>,
    /// `None` while it is stopped.
    api_server: Option<Process>,
    etcd: Process,
    components: Components,
    audit_log: Arc<Mutex<AuditLog>>,
    dir: ScratchDir,
}

impl ControlPlane {
    /// Starts a control plane of its own, for tests that stop it, fill it, or need flags. Ready in seconds, once the programs are
    /// built.
    ///
    /// # Errors
    /// When the programs are neither there nor buildable (see [`assets::find`]), or one of them does not get ready: with the tail
    /// of its log.
    pub async fn start(options: Options) -> Result<Self> {
        // Fails when a provider is there already, and any is right.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let programs = tokio::task::spawn_blocking(|| assets::find(&assets::CONTROL_PLANE)).await??;
        let dir = ScratchDir::new("nsclass-control-plane-")?;
        let components = Components::prepare(programs, dir.path(), options)?;

        let etcd = components.start_etcd().await?;
        let api_server = components.start_api_server().await?;
        let audit_log = Arc::new(Mutex::new(AuditLog::new(api_server::audit_log(dir.path()))));
        let api_server = Some(api_server);
        let mut plane = Self { controller_manager: None, api_server, etcd, components, audit_log, dir };
        let controller_manager = plane.components.start_controller_manager()?;
        plane.wait_for_controllers(&controller_manager).await?;
        plane.controller_manager = Some(controller_manager);
        Ok(plane)
    }

    /// The control plane that all tests of this test binary share; the first caller starts it. It ends with the process.
    ///
    /// # Errors
    /// As [`ControlPlane::start`]; every caller gets the first one's error.
    pub async fn shared() -> Result<&'static Self> {
        static SHARED: OnceCell<Result<ControlPlane, Arc<anyhow::Error>>> = OnceCell::const_new();
        let shared = SHARED.get_or_init(|| async { Self::start(Options::default()).await.map_err(Arc::new) }).await;
        shared.as_ref().map_err(|error| anyhow!("{error:#}"))
    }

    /// Where the API server listens: `https://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        self.components.url()
    }

    /// Its audit log, for the current runtime.
    pub fn audit(&self) -> Audit {
        Audit::new(Arc::clone(&self.audit_log), self.admin())
    }

    /// The certificate that its clients trust, and that the clients it trusts are issued by, as a file.
    pub(crate) fn authority(&self) -> &Path {
        &self.components.pki.ca
    }

    /// The directory of everything it reads and writes; gone with it.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The process ids of what is running.
    pub fn pids(&self) -> Vec<u32> {
        let etcd = Some(&self.etcd);
        [self.controller_manager.as_ref(), self.api_server.as_ref(), etcd]
            .into_iter()
            .flatten()
            .map(Process::pid)
            .collect()
    }

    /// It has done its first work when the namespace `default` has what every namespace gets from it.
    async fn wait_for_controllers(&self, controller_manager: &Process) -> Result<()> {
        let client = self.admin();
        let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), "default");
        let config_maps: Api<ConfigMap> = Api::namespaced(client, "default");
        let served = async || {
            accounts.get("default").await?;
            config_maps.get("kube-root-ca.crt").await?;
            Ok(())
        };
        controller_manager.eventually("the controller-manager serves the namespace default", served).await
    }
}
