//! Clients as the API server is one: a few connections, one request after the other on each.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// How long before a request is due its connection stops sleeping.
const TURNS: Duration = Duration::from_millis(3);
const CONNECTIONS: usize = 16;
/// What every answer holds: a denial would measure something else.
const YES: &[u8] = br#""allowed":true"#;

/// The same request again and again.
pub(crate) struct Load {
    connector: TlsConnector,
    request: Arc<[u8]>,
    body: usize,
}

impl Load {
    pub(crate) fn new(ca: &str, body: &str) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(ca.as_bytes())?)?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let head = format!(
            "POST /admit/namespaceclasses?timeout=3s HTTP/1.1\r\nHost: webhook\r\nUser-Agent: kube-apiserver-admission\r\n\
            Content-Length: {}\r\nAccept: application/json, */*\r\nContent-Type: application/json\r\nAccept-Encoding: gzip\r\n\r\n",
            body.len()
        );
        let request = (head + body).into_bytes().into();
        Ok(Self { connector: TlsConnector::from(Arc::new(config)), request, body: body.len() })
    }

    /// Bytes of the body.
    pub(crate) fn len(&self) -> usize {
        self.body
    }

    async fn connect(&self, address: SocketAddr) -> Result<TlsStream<TcpStream>> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(self.connector.connect(ServerName::from(address.ip()), stream).await?)
    }

    /// As many requests as go; their number.
    pub(crate) async fn full(&self, address: SocketAddr, span: Duration) -> Result<usize> {
        let end = Instant::now() + span;
        let connections = (0..CONNECTIONS).map(async |_| {
            let mut stream = self.connect(address).await?;
            let mut requests = 0;
            while Instant::now() < end {
                ask(&mut stream, &self.request).await?;
                requests += 1;
            }
            anyhow::Ok(requests)
        });
        Ok(try_join_all(connections).await?.into_iter().sum())
    }

    /// So many requests a second; how long each took, waiting for a late connection included.
    pub(crate) async fn paced(&self, address: SocketAddr, rate: f64, span: Duration) -> Result<Vec<Duration>> {
        let start = Instant::now() + Duration::from_millis(100);
        let gap = Duration::from_secs_f64(CONNECTIONS as f64 / rate);
        let connections = (0..CONNECTIONS).map(async |connection| {
            let mut stream = self.connect(address).await?;
            let mut due = start + gap.mul_f64(connection as f64 / CONNECTIONS as f64);
            let mut took = Vec::new();
            while due < start + span {
                let was_late = Instant::now() > due;
                // Timers wake in steps of a millisecond, all connections at once: a burst that nobody asked for. So the last stretch is
                // waited for in turns, on a core that has nothing else to do.
                sleep_until(due.checked_sub(TURNS).unwrap_or(due)).await;
                while Instant::now() < due {
                    tokio::task::yield_now().await;
                }
                let begun = if was_late { due } else { Instant::now() };
                ask(&mut stream, &self.request).await?;
                took.push(begun.elapsed());
                due += gap;
            }
            anyhow::Ok(took)
        });
        Ok(try_join_all(connections).await?.into_iter().flatten().collect())
    }
}

async fn ask(stream: &mut TlsStream<TcpStream>, request: &[u8]) -> Result<()> {
    stream.write_all(request).await?;
    stream.flush().await?;
    let mut answer = Vec::with_capacity(1024);
    loop {
        ensure!(stream.read_buf(&mut answer).await? > 0, "the server hung up");
        let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = std::str::from_utf8(&answer[..end])?.to_ascii_lowercase();
        ensure!(head.starts_with("http/1.1 200"), "{head}");
        let length = head.split_once("content-length: ").and_then(|(_, rest)| rest.lines().next());
        let length: usize = length.context("no length")?.parse()?;
        while answer.len() < end + 4 + length {
            ensure!(stream.read_buf(&mut answer).await? > 0, "the server hung up");
        }
        let body = &answer[end + 4..];
        ensure!(body.windows(YES.len()).any(|part| part == YES), "{}", String::from_utf8_lossy(body));
        return Ok(());
    }
}
