//! TLS of the admission port: whose certificates are shown, and whose are asked for.

use std::{
    net::SocketAddr,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering::Relaxed},
    },
};

use anyhow::Context;
use nsclass_shared::runtime::Latch;
use rustls::{
    RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
    server::{ResolvesServerCert, WebPkiClientVerifier},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// One configuration for the whole process; the pair behind it is swapped (admission.md A20).
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    /// Set by the first handshake with a client certificate; none where nobody is asked for one.
    verified: Option<Latch>,
    /// The port that our own call comes from, while one is under way: it shows no certificate, and that is no stranger's failure.
    own: Arc<AtomicU16>,
}

impl Tls {
    /// With the pair of the moment, for clients of the authorities in the file `client_ca`, or for all.
    ///
    /// # Errors
    /// The file holds no certificates.
    pub fn new(pair: Arc<dyn ResolvesServerCert>, client_ca: Option<&Path>) -> anyhow::Result<Self> {
        let provider = Arc::new(ring::default_provider());
        let versions = ServerConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions()?;
        let builder = match client_ca {
            None => versions.with_no_client_auth(),
            Some(file) => {
                let mut roots = RootCertStore::empty();
                let field = || format!("webhook.clientCA: {}", file.display());
                for certificate in CertificateDer::pem_file_iter(file).with_context(field)? {
                    roots.add(certificate.with_context(field)?).with_context(field)?;
                }
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                versions.with_client_cert_verifier(verifier.build().with_context(field)?)
            }
        };
        let mut config = builder.with_cert_resolver(pair);
        // One request after the other on each connection: nothing that a client resets can pile up work.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let verified = client_ca.map(|_| Latch::default());
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), verified, own: Arc::default() })
    }

    /// For handshakes.
    pub fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }

    /// Our own call comes from this port.
    pub(crate) fn expect_own(&self, from: SocketAddr) {
        self.own.store(from.port(), Relaxed);
    }

    /// Whether this is our own call.
    pub(crate) fn is_own(&self, peer: SocketAddr) -> bool {
        peer.ip().is_loopback() && peer.port() == self.own.load(Relaxed)
    }

    /// A handshake is through.
    pub(crate) fn greet<S>(&self, stream: &TlsStream<S>) {
        if let Some(verified) = self.verified.as_ref().filter(|_| stream.get_ref().1.peer_certificates().is_some()) {
            verified.set();
        }
    }

    /// Whether the API server has shown its certificate, where it is asked for one (admission.md A17).
    ///
    /// # Errors
    /// It has not yet.
    pub fn is_verified(&self) -> Result<(), String> {
        match &self.verified {
            Some(verified) if !verified.is_set() => {
                Err("the API server has shown no client certificate yet (is it started with an admission kubeconfig?)"
                    .into())
            }
            _ => Ok(()),
        }
    }
}
