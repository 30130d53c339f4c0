//! Reviews without an API server.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use anyhow::{Context, Result};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme, StreamOwned};
use serde_json::{Value, json};

/// A creation of a class with these items, written as the API server writes it.
pub(crate) fn review(items: &[Value]) -> String {
    let review = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "u", "operation": "CREATE", "name": "std",
            "userInfo": { "username": "test-admin", "groups": ["system:masters"] },
            "kind": { "group": "nsclass.io", "version": "v1alpha1", "kind": "NamespaceClass" },
            "object": { "metadata": { "name": "std" }, "spec": { "resources": items } },
        },
    });
    review.to_string().replace('<', "\\u003c")
}

/// Posts one body so many times at once; the statuses of the answers.
pub(crate) async fn post_all(address: SocketAddr, body: String, times: usize) -> Result<Vec<u16>> {
    let body: Arc<str> = body.into();
    let posts: Vec<_> = (0..times)
        .map(|_| {
            let body = Arc::clone(&body);
            tokio::task::spawn_blocking(move || post(address, &body))
        })
        .collect();
    let mut statuses = Vec::new();
    for post in posts {
        statuses.push(post.await??);
    }
    Ok(statuses)
}

/// The status of one answer.
pub(crate) fn post(address: SocketAddr, body: &str) -> Result<u16> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody))
        .with_no_client_auth();
    let connection = ClientConnection::new(Arc::new(config), ServerName::from(address.ip()))?;
    let mut stream = StreamOwned::new(connection, TcpStream::connect(address)?);
    let head = format!(
        "POST /admit/namespaceclasses HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()?;
    let mut start = [0; 12];
    stream.read_exact(&mut start)?;
    let start = String::from_utf8_lossy(&start);
    Ok(start.split(' ').nth(1).context("no status")?.parse()?)
}

/// Who answers is not what these tests are about.
#[derive(Debug)]
struct Anybody;

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}
