//! The webhook beside the policies: its process with exactly its rights, and the template of its configuration with an address.

use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use k8s_openapi::ByteString;
use nsclass_tests::ControlPlane;
use nsclass_tests::webhook::{ServingFiles, Webhook, template_at};
use serde_json::json;
use tokio::sync::OnceCell;

use crate::stage::Stage;

const RIGHTS: &str = "
apiVersion: v1
kind: Namespace
metadata: { name: nsclass-system }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: nsclass-webhook }
rules:
- { apiGroups: [''], resources: [namespaces], verbs: [get, list, watch] }
- { apiGroups: [nsclass.io], resources: [namespaceclasses, namespaceclassbindings], verbs: [get, list, watch] }
- { apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: nsclass-webhook }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: nsclass-webhook }
subjects: [{ kind: ServiceAccount, namespace: nsclass-system, name: nsclass-webhook }]
";

/// A world whose classes are judged; the webhook ends with the process.
pub(crate) async fn open(prefix: &str) -> Result<Stage> {
    static RUNNING: OnceCell<Result<(Webhook, ServingFiles), Arc<anyhow::Error>>> = OnceCell::const_new();
    let stage = Stage::open(prefix).await?;
    let running = RUNNING.get_or_init(async || start(stage.cp).await.map_err(Arc::new)).await;
    running.as_ref().map_err(|error| anyhow!("{error:#}"))?.0.program().ensure_running()?;
    Ok(stage)
}

/// Whoever writes a class after this is judged, so the webhook is ready before.
async fn start(cp: &ControlPlane) -> Result<(Webhook, ServingFiles)> {
    cp.apply_yaml(RIGHTS).await?;
    let identity = cp.service_account("nsclass-system", "nsclass-webhook").await?;
    let files = ServingFiles::new()?;
    let webhook = Webhook::start_unready_as(cp, &files, "", &identity).await?;
    webhook.until_ready().await?;
    let mut configuration = template_at(webhook.address())?;
    for hook in configuration["webhooks"].as_array_mut().context("no webhooks")? {
        hook["clientConfig"]["caBundle"] = json!(ByteString(files.ca().as_bytes().to_vec()));
    }
    cp.apply_yaml(&configuration.to_string()).await?;
    Ok((webhook, files))
}
