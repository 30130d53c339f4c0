//! kube-apiserver: its flags, when it is ready, and taking it away for a while.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use anyhow::{Context, Result, bail};
use http::Request;
use kube::Client;

use super::ControlPlane;
use super::clients::{self, Identity};
use super::components::Components;
use crate::process::Process;

/// Every request, with who and what but without bodies. `RequestReceived` stays in: what was received and is not complete is how a
/// reader knows that the log is still behind (see `audit`). Probes of health are nobody's work.
pub(super) const AUDIT_POLICY: &str = "\
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: None
  nonResourceURLs: ['/healthz*', '/livez*', '/readyz*']
- level: Metadata
";

pub(super) fn audit_policy(dir: &Path) -> PathBuf {
    dir.join("audit-policy.yaml")
}

pub(super) fn audit_log(dir: &Path) -> PathBuf {
    dir.join("audit.log")
}

impl Components {
    pub(super) async fn start_api_server(&self) -> Result<Process> {
        let api_server = self.launch("kube-apiserver", self.api_server_flags())?;
        // With the client's own retries a refusal while it starts would take seconds to be seen.
        let mut config = clients::config(self, &Identity::Admin)?;
        config.default_retry = false;
        let client = Client::try_from(config)?;
        let ready = async || Ok(client.request_text(Request::get("/readyz").body(Vec::new())?).await?);
        api_server.eventually("the API server is ready", ready).await?;
        Ok(api_server)
    }

    fn api_server_flags(&self) -> Vec<String> {
        let Self { dir, pki, .. } = self;
        let mut flags = vec![
            format!("--etcd-servers={}", self.etcd_url()),
            "--bind-address=127.0.0.1".to_owned(),
            "--advertise-address=127.0.0.1".to_owned(),
            format!("--secure-port={}", self.api_server_port.number),
            // Nobody looks for the server through the Service `kubernetes`, and endpoints may not be loopback.
            "--endpoint-reconciler-type=none".to_owned(),
            format!("--tls-cert-file={}", pki.serving.certificate.display()),
            format!("--tls-private-key-file={}", pki.serving.key.display()),
            format!("--client-ca-file={}", pki.ca.display()),
            "--anonymous-auth=false".to_owned(),
            "--authorization-mode=RBAC".to_owned(),
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local".to_owned(),
            format!("--service-account-key-file={}", pki.service_account_public_key.display()),
            format!("--service-account-signing-key-file={}", pki.service_account_key.display()),
            "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
            "--allow-privileged=true".to_owned(),
            format!("--audit-policy-file={}", audit_policy(dir).display()),
            format!("--audit-log-path={}", audit_log(dir).display()),
            // One file, each event written before the request goes on.
            "--audit-log-maxsize=0".to_owned(),
            "--audit-log-mode=blocking".to_owned(),
            // Tests measure the operator, not the limits of a small server.
            "--max-requests-inflight=3000".to_owned(),
            "--max-mutating-requests-inflight=1500".to_owned(),
            "--profiling=false".to_owned(),
        ];
        flags.extend(self.options.node.iter().flat_map(|node| self.node_flags(node)));
        flags.extend(self.options.api_server_flags.iter().cloned());
        flags
    }
}

impl ControlPlane {
    /// Kills the API server: connections break at once and new ones are refused. etcd keeps everything.
    ///
    /// # Errors
    /// When it is stopped already.
    pub fn stop_api_server(&mut self) -> Result<()> {
        let Some(api_server) = self.api_server.take() else { bail!("the API server is stopped already") };
        api_server.kill()?;
        self.audit_log.lock().unwrap_or_else(PoisonError::into_inner).server_died()
    }

    /// Starts it again, on the same port and the same data, and waits until it is ready.
    ///
    /// # Errors
    /// When it is running, or does not get ready.
    pub async fn start_api_server(&mut self) -> Result<()> {
        if self.api_server.is_some() {
            bail!("the API server is running already");
        }
        self.api_server = Some(self.components.start_api_server().await?);
        Ok(())
    }

    /// Stops it where it stands: connections stay open and nothing answers, as with a network that swallows packets.
    ///
    /// # Errors
    /// When it is stopped.
    pub fn pause_api_server(&mut self) -> Result<()> {
        self.api_server.as_ref().context("the API server is stopped")?.pause()
    }

    /// Lets it go on after [`ControlPlane::pause_api_server`].
    ///
    /// # Errors
    /// When it is stopped.
    pub fn resume_api_server(&mut self) -> Result<()> {
        self.api_server.as_ref().context("the API server is stopped")?.resume()
    }
}
