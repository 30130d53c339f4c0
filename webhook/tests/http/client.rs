//! A client that can be as slow and as wrong as a test wants it.

use std::{io, sync::Arc, time::Duration};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use crate::port::Port;

/// Far above what any step takes, on however loaded a machine.
pub(crate) const GENEROUS: Duration = Duration::from_secs(60);

/// An answer as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Got {
    /// Fails when the answer decides anything.
    pub(crate) fn decides_nothing(&self) -> &Self {
        assert!((400..600).contains(&self.status), "{self:?}");
        assert!(!self.body.contains("allowed"), "{self:?}");
        assert!(!self.head.contains("retry-after"), "{self:?}");
        self
    }

    pub(crate) fn closes(&self) -> bool {
        self.head.contains("connection: close")
    }
}

/// A connection.
pub(crate) struct Connection(pub(crate) TlsStream<TcpStream>);

pub(crate) fn connector(
    port: &Port,
    client: Option<(CertificateDer<'static>, PrivateKeyDer<'static>)>,
) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(port.root.clone()).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let config = match client {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => builder.with_client_auth_cert(vec![certificate], key).unwrap(),
    };
    TlsConnector::from(Arc::new(config))
}

impl Connection {
    pub(crate) async fn open(port: &Port) -> Self {
        Self::with(port, &connector(port, None)).await.unwrap()
    }

    pub(crate) async fn with(port: &Port, connector: &TlsConnector) -> io::Result<Self> {
        let stream = TcpStream::connect(port.address).await?;
        Ok(Self(connector.connect(ServerName::from(port.address.ip()), stream).await?))
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.0.write_all(bytes.as_ref()).await?;
        self.0.flush().await
    }

    /// A POST of JSON with its length.
    pub(crate) async fn post(&mut self, path: &str, body: &str) -> Got {
        let head = post_head(path, body.len());
        self.write(head).await.unwrap();
        self.write(body).await.unwrap();
        self.answer().await.unwrap()
    }

    /// Reads one answer.
    pub(crate) async fn answer(&mut self) -> io::Result<Got> {
        timeout(GENEROUS, self.read_answer()).await.map_err(|_| io::ErrorKind::TimedOut)?
    }

    async fn read_answer(&mut self) -> io::Result<Got> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if self.0.read_buf(&mut bytes).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let length = head.split_once("content-length: ").and_then(|(_, rest)| rest.lines().next()?.parse().ok());
        let length: usize = length.unwrap_or(0);
        let mut body = bytes.split_off(end + 4);
        while body.len() < length {
            if self.0.read_buf(&mut body).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Ok(Got { status, head, body: String::from_utf8_lossy(&body).into_owned() })
    }

    /// Waits for the server's end of the connection.
    pub(crate) async fn until_closed(&mut self) {
        let mut rest = Vec::new();
        // A reset is an end as well.
        let _ = timeout(GENEROUS, self.0.read_to_end(&mut rest)).await.expect("the server keeps the connection open");
        assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
    }
}

pub(crate) fn post_head(path: &str, length: usize) -> String {
    format!("POST {path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n")
}
