//! The webhook beside the policies: its process with exactly its rights, and the template of its configuration with an address.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use nsclass_tests::{ControlPlane, Program, eventually, http_get};
use rcgen::{CertificateParams, KeyPair, SanType};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::stage::Stage;

const TEMPLATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/webhook-configuration.yaml");

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
    static RUNNING: OnceCell<Result<Program, Arc<anyhow::Error>>> = OnceCell::const_new();
    let stage = Stage::open(prefix).await?;
    let running = RUNNING.get_or_init(async || start(stage.cp).await.map_err(Arc::new)).await;
    running.as_ref().map_err(|error| anyhow!("{error:#}"))?.ensure_running()?;
    Ok(stage)
}

async fn start(cp: &ControlPlane) -> Result<Program> {
    cp.apply_yaml(RIGHTS).await?;
    let identity = cp.service_account("nsclass-system", "nsclass-webhook").await?;
    let pair = cp.dir().join("webhook-pair");
    fs::create_dir(&pair)?;
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::default();
    params.subject_alt_names.push(SanType::IpAddress(Ipv4Addr::LOCALHOST.into()));
    let certificate = params.self_signed(&key)?.pem();
    fs::write(pair.join("tls.crt"), &certificate)?;
    fs::write(pair.join("tls.key"), key.serialize_pem())?;

    let program = Program::named("nsclass-webhook")
        .args(["--log-format", "text", "--address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0"])
        .args(["--certificate-directory".as_ref(), pair.as_os_str()])
        .env("KUBECONFIG", cp.kubeconfig("webhook", &identity)?)
        .start()
        .await?;
    let (admin, address) = eventually("the webhook says where it answers", async || {
        program.ensure_running()?;
        let log = program.stderr()?;
        let after = |key: &str| log.split_once(key).and_then(|(_, rest)| rest.split_whitespace().next());
        let admin: SocketAddr = after("starting address=").context("not yet")?.parse()?;
        Ok((admin, after("admission=").context("not yet")?.to_owned()))
    })
    .await?;
    // Whoever writes a class after this is judged, so it must be ready before.
    eventually("the webhook is ready", async || {
        program.ensure_running()?;
        let (status, body) = http_get(admin, "/readyz").await?;
        ensure!(status == 200, "{body}");
        Ok(())
    })
    .await?;

    let mut configuration: Value = serde_saphyr::from_str(&fs::read_to_string(TEMPLATE)?)?;
    let bundle = k8s_openapi::ByteString(certificate.into_bytes());
    for webhook in configuration["webhooks"].as_array_mut().context("no webhooks")? {
        let path = webhook["clientConfig"]["service"]["path"].as_str().context("no path")?.to_owned();
        webhook["clientConfig"] = json!({ "url": format!("https://{address}{path}"), "caBundle": bundle });
    }
    cp.apply_yaml(&configuration.to_string()).await?;
    Ok(program)
}
