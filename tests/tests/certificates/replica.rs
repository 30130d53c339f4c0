//! A webhook replica: the real process, and a kubelet that mounts the `Secret` for it.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use nsclass_certs::bundle;
use nsclass_tests::{Identity, Program, eventually, http_get};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

use crate::stage::Stage;

/// Serves until it is dropped.
pub(crate) struct Replica {
    pub(crate) address: SocketAddr,
    admin: SocketAddr,
    secrets: Api<Secret>,
    /// Whether its kubelet leaves the directory alone.
    is_by_hand: Arc<AtomicBool>,
    _kubelet: JoinSet<()>,
    program: Program,
    dir: TempDir,
}

impl Replica {
    /// One whose kubelet looks at the `Secret` that often. It is not ready before there is a pair.
    pub(crate) async fn start(stage: &Stage, name: &str, every: Duration) -> Result<Self> {
        let dir = tempfile::tempdir()?;
        let config = dir.path().join("nsclass.yaml");
        let mounted = dir.path().join("pair");
        fs::create_dir(&mounted)?;
        let webhook = format!("certificateDirectory: '{}', shutdownDelaySeconds: 5", mounted.display());
        let addresses = "address: '127.0.0.1:0', adminAddress: '127.0.0.1:0'";
        fs::write(&config, stage.config(name, &format!("webhook: {{ {addresses}, {webhook} }}")))?;
        let program = Program::named("nsclass-webhook")
            .args(["--log-format", "text", "--config"])
            .arg(&config)
            .env("KUBECONFIG", stage.cp.kubeconfig(name, &Identity::Admin)?)
            .start()
            .await?;
        let (admin, address) = program
            .eventually("it says where it listens", async || {
                let log = program.stderr()?;
                let after = |key: &str| log.split_once(key).and_then(|(_, rest)| rest.split_whitespace().next());
                let (admin, admission) = (after("starting address="), after("admission="));
                Ok((admin.context("no address")?.parse()?, admission.context("no address")?.parse()?))
            })
            .await?;
        let (secrets, is_by_hand) = (stage.secrets(), Arc::new(AtomicBool::new(false)));
        let mut kubelet = JoinSet::new();
        kubelet.spawn(mount(secrets.clone(), mounted, every, Arc::clone(&is_by_hand)));
        Ok(Self { address, admin, secrets, is_by_hand, _kubelet: kubelet, program, dir })
    }

    /// Waits until it serves reviews.
    pub(crate) async fn ready(&self) -> Result<()> {
        let ready = async || {
            let (status, body) = http_get(self.admin, "/readyz?verbose").await?;
            ensure!(status == 200, "{body}");
            Ok(())
        };
        self.program.eventually("the webhook is ready", ready).await
    }

    /// A whole handshake by a client that trusts these; the certificate that was shown.
    pub(crate) async fn handshake(&self, trusted: &[CertificateDer<'static>]) -> Result<CertificateDer<'static>> {
        let mut roots = RootCertStore::empty();
        for certificate in trusted {
            roots.add(certificate.clone())?;
        }
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let stream = TcpStream::connect(self.address).await?;
        let connector = TlsConnector::from(Arc::new(config));
        let stream = connector.connect(self.address.ip().into(), stream).await?;
        let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
        Ok(shown.context("no certificate")?.clone().into_owned())
    }

    /// One of its metrics.
    pub(crate) async fn metric(&self, series: &str) -> Result<f64> {
        let (_, text) = http_get(self.admin, "/metrics").await?;
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        Ok(line.with_context(|| format!("no series {series}"))?.trim().parse()?)
    }

    /// Waits until what it serves is what is in the `Secret`, and trusted.
    pub(crate) async fn is_up_to_date(&self, stage: &Stage) -> Result<()> {
        eventually("what is in the Secret is served", async || {
            let data = self.secrets.get("nsclass-webhook-tls").await?.data.context("empty")?;
            let chain = bundle::certificates(&data.get("tls.crt").context("no chain")?.0)?;
            let shown = self.handshake(&bundle::certificates(&stage.bundle("nsclass").await?)?).await?;
            ensure!(chain.first() == Some(&shown), "another one");
            Ok(())
        })
        .await
    }

    /// Puts these files where the `Secret`'s are, until its next version, and waits until they are refused.
    pub(crate) async fn refuses(&self, stage: &Stage, version: &str, files: &[(&str, &str)]) -> Result<()> {
        const REFUSED: &str = "nsclass_certificate_reloads_total{result=\"refused\"}";
        self.is_up_to_date(stage).await?;
        self.is_by_hand.store(true, Ordering::SeqCst);
        let before = self.metric(REFUSED).await?;
        let data = files.iter().map(|(name, text)| ((*name).to_owned(), ByteString(text.as_bytes().to_vec())));
        let secret = Secret { data: Some(data.collect()), ..Secret::default() };
        swap(&self.dir.path().join("pair"), version, &secret)?;
        eventually("the bad pair is refused", async || {
            ensure!(self.metric(REFUSED).await? > before, "it is not");
            Ok(())
        })
        .await?;
        self.is_by_hand.store(false, Ordering::SeqCst);
        Ok(())
    }
}

/// What a kubelet does with a mounted `Secret`: a directory for each version, and a link that is swapped.
async fn mount(secrets: Api<Secret>, dir: PathBuf, every: Duration, is_by_hand: Arc<AtomicBool>) {
    let mut mounted = String::new();
    loop {
        if let Ok(secret) = secrets.get("nsclass-webhook-tls").await
            && !is_by_hand.load(Ordering::SeqCst)
        {
            let version = secret.metadata.resource_version.clone().unwrap_or_default();
            if version != mounted && swap(&dir, &version, &secret).is_ok() {
                mounted = version;
            }
        }
        tokio::time::sleep(every).await;
    }
}

fn swap(dir: &Path, version: &str, secret: &Secret) -> Result<()> {
    let data = dir.join(version);
    fs::create_dir(&data)?;
    for (name, content) in secret.data.as_ref().context("empty")? {
        fs::write(data.join(name), &content.0)?;
    }
    symlink(version, dir.join("..data_next"))?;
    Ok(fs::rename(dir.join("..data_next"), dir.join("..data"))?)
}
