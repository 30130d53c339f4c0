//! A webhook replica: the serving pair of the product behind the simplest HTTP there is, and a kubelet that mounts the `Secret`.

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
use nsclass_shared::runtime::ServingPair;
use nsclass_tests::eventually;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

/// Serves until it is dropped.
pub(crate) struct Replica {
    pub(crate) address: SocketAddr,
    pub(crate) serving: Arc<ServingPair>,
    secrets: Api<Secret>,
    /// Whether its kubelet leaves the directory alone.
    is_by_hand: Arc<AtomicBool>,
    dir: TempDir,
    _tasks: JoinSet<()>,
}

impl Replica {
    /// One whose kubelet looks at the `Secret` that often.
    pub(crate) async fn start(secrets: Api<Secret>, every: Duration) -> Result<Self> {
        let dir = tempfile::tempdir()?;
        let serving = Arc::new(ServingPair::default());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let acceptor = TlsAcceptor::from(Arc::new(serving.server_config()?));
        let mut tasks = JoinSet::new();
        let follow = Arc::clone(&serving).follow(dir.path().to_owned(), CancellationToken::new());
        tasks.spawn(async move { drop(follow.await) });
        let is_by_hand = Arc::new(AtomicBool::new(false));
        tasks.spawn(mount(secrets.clone(), dir.path().to_owned(), every, Arc::clone(&is_by_hand)));
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                connections.spawn(async move { drop(answer(acceptor, stream).await) });
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, serving, secrets, is_by_hand, dir, _tasks: tasks })
    }

    /// Puts these files where the `Secret`'s are, until its next version, and waits until they are refused.
    pub(crate) async fn refuses(&self, version: &str, files: &[(&str, &str)]) -> Result<()> {
        eventually("what is in the Secret is served", async || {
            let data = self.secrets.get("nsclass-webhook-tls").await?.data.context("empty")?;
            let chain = bundle::certificates(&data.get("tls.crt").context("no chain")?.0)?;
            let served = self.serving.current().context("nothing is served")?;
            ensure!(served.leaf_der() == chain.first(), "another one");
            Ok(())
        })
        .await?;
        self.is_by_hand.store(true, Ordering::SeqCst);
        let before = self.serving.status().refused;
        let data = files.iter().map(|(name, text)| ((*name).to_owned(), ByteString(text.as_bytes().to_vec())));
        swap(self.dir.path(), version, &Secret { data: Some(data.collect()), ..Secret::default() })?;
        eventually("the bad pair is refused", async || {
            let status = self.serving.status();
            ensure!(status.refused > before && status.why_refused.is_some(), "{status:?}");
            Ok(())
        })
        .await?;
        self.is_by_hand.store(false, Ordering::SeqCst);
        Ok(())
    }
}

/// One review a connection, so that each of them is a handshake.
async fn answer(acceptor: TlsAcceptor, stream: TcpStream) -> Result<()> {
    let mut stream = BufReader::new(acceptor.accept(stream).await?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    let review: Value = serde_json::from_slice(&body)?;
    let response = json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "response": { "uid": review["request"]["uid"], "allowed": true } })
    .to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        response.len()
    );
    stream.write_all((head + &response).as_bytes()).await?;
    Ok(stream.shutdown().await?)
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
