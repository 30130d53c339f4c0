//! The operator's parts in the cluster, as the chart names them for a release `nsclass`.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{ListParams, Patch, PatchParams};
use kube::{Api, ResourceExt};
use nsclass_shared::names::controller_lease;
use serde_json::json;

use crate::stage::Stage;

pub const RELEASE: &str = "nsclass";
pub const NAMESPACE: &str = "nsclass-system";
pub const CONTROLLER: &str = "controller";
pub const WEBHOOK: &str = "webhook";
/// The webhook configuration, and the other cluster-scoped objects' stem.
pub const CONFIGURATION: &str = "nsclass-default";
/// The Service of the admission port.
pub const SERVICE: &str = "nsclass-webhook";

impl Stage<'_> {
    fn deployments(&self) -> Api<Deployment> {
        Api::namespaced(self.client.clone(), NAMESPACE)
    }

    /// The pods of a component that are not being deleted.
    pub async fn pods(&self, component: &str) -> Result<Vec<Pod>> {
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), NAMESPACE);
        let pods = pods.list(&ListParams::default().labels(&selector(component))).await?.items;
        Ok(pods.into_iter().filter(|pod| pod.metadata.deletion_timestamp.is_none()).collect())
    }

    /// Fails unless exactly `count` pods of a component are there and ready, and the deployment has finished rolling.
    pub async fn ensure_pods(&self, component: &str, count: usize) -> Result<Vec<Pod>> {
        let deployment = self.deployments().get(&deployment(component)).await?;
        let status = deployment.status.unwrap_or_default();
        let observed = status.observed_generation >= deployment.metadata.generation;
        let updated = status.updated_replicas.unwrap_or_default();
        ensure!(
            observed && usize::try_from(updated)? == count,
            "{updated} of {count} {component} pods are of the newest kind"
        );
        let pods = self.pods(component).await?;
        let ready = pods.iter().filter(|pod| is_ready(pod)).count();
        ensure!(pods.len() == count && ready == count, "{} {component} pods, {ready} ready", pods.len());
        Ok(pods)
    }

    /// Waits until pods have ended, after they were told to.
    pub async fn ended(&self, component: &str, names: &[String]) -> Result<()> {
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), NAMESPACE);
        let wanted = ListParams::default().labels(&selector(component));
        self.claim(format!("the old {component} pods have ended"), async || {
            let left =
                pods.list(&wanted).await?.iter().map(ResourceExt::name_any).filter(|pod| names.contains(pod)).count();
            ensure!(left == 0, "{left} are ending");
            Ok(())
        })
        .await
    }

    /// `kubectl scale`.
    pub async fn scale(&self, component: &str, replicas: u32) -> Result<()> {
        let name = deployment(component);
        self.screen.command(&format!("kubectl -n {NAMESPACE} scale deployment {name} --replicas {replicas}"));
        let patch = Patch::Merge(json!({ "spec": { "replicas": replicas } }));
        self.deployments().patch_scale(&name, &PatchParams::default(), &patch).await?;
        Ok(())
    }

    /// `kubectl rollout restart`.
    pub async fn restart(&self, component: &str) -> Result<()> {
        let name = deployment(component);
        self.screen.command(&format!("kubectl -n {NAMESPACE} rollout restart deployment {name}"));
        self.deployments().restart(&name).await?;
        Ok(())
    }

    /// The pod that leads, by the lease.
    pub async fn leader(&self) -> Result<String> {
        let leases: Api<Lease> = Api::namespaced(self.client.clone(), NAMESPACE);
        let spec = leases.get(&controller_lease("default")).await?.spec.context("an empty lease")?;
        let holder = spec.holder_identity.filter(|holder| !holder.is_empty()).context("nobody leads")?;
        let pods = self.pods(CONTROLLER).await?;
        let pod = pods.iter().map(ResourceExt::name_any).find(|pod| holder.starts_with(pod.as_str()));
        pod.with_context(|| format!("{holder} is no controller pod of now"))
    }
}

fn deployment(component: &str) -> String {
    format!("{RELEASE}-{component}")
}

fn selector(component: &str) -> String {
    format!("app.kubernetes.io/instance={RELEASE},app.kubernetes.io/component={component}")
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.as_ref().and_then(|status| status.conditions.as_ref());
    conditions.into_iter().flatten().any(|it| it.type_ == "Ready" && it.status == "True")
}
