//! The two webhooks, and what stands around them in a cluster: a Service, a mounted `Secret`, the template of their configuration.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use nsclass_shared::config::CertificatesConfig;
use nsclass_tests::webhook::{Balancer, Mount, ServingFiles, Webhook, template_at};
use nsclass_tests::{ControlPlane, OPERATOR_NAMESPACE};
use serde_json::json;

/// Two replicas behind one port. Only a control plane on this machine reaches them.
pub struct Admission {
    pub webhooks: [Webhook; 2],
    service: Balancer,
    _mount: Mount,
    /// Last, so that it is removed after its readers have ended.
    _files: ServingFiles,
}

impl Admission {
    /// Starts both; they are not ready before the leader has issued what they serve by.
    ///
    /// # Errors
    /// When one does not start.
    pub async fn start(plane: &ControlPlane, config: &str) -> Result<Self> {
        let files = ServingFiles::empty()?;
        let secrets: Api<Secret> = Api::namespaced(plane.admin(), OPERATOR_NAMESPACE);
        let mount = files.mount(secrets, CertificatesConfig::default().serving_secret());
        let service = Balancer::start().await?;
        let one = Webhook::start_unready(plane, &files, config).await?;
        let two = Webhook::start_unready(plane, &files, config).await?;
        service.send_to(&[one.address(), two.address()]);
        Ok(Self { webhooks: [one, two], service, _mount: mount, _files: files })
    }

    /// Where each of them listens.
    pub fn addresses(&self) -> [SocketAddr; 2] {
        self.webhooks.each_ref().map(Webhook::address)
    }

    /// Puts the template of the webhook configuration where the leader looks for it.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn install_template(&self, plane: &ControlPlane) -> Result<()> {
        let template = template_at(self.service.address())?;
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": CertificatesConfig::default().template_config_map(), "namespace": OPERATOR_NAMESPACE },
            "data": { "webhook-configuration.yaml": template.to_string() },
        });
        plane.apply_yaml(&map.to_string()).await.context("the template of the webhook configuration")?;
        Ok(())
    }

    /// Fails when one has ended.
    pub fn ensure_running(&self) -> Result<()> {
        self.webhooks.iter().try_for_each(|webhook| webhook.program().ensure_running())
    }
}
