//! Our own call on the admission port: what nobody can reach is not ready, however well everything else looks.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use arc_swap::ArcSwap;
use nsclass_shared::runtime::ServingPair;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme,
    client::{
        Resumption,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use tokio::{
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;

use crate::tls::Tls;

/// Pause between two calls, and before the next when one failed.
const EVERY: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_millis(250);
/// Longest that a call may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the last call found.
#[derive(Clone)]
pub struct OwnDial(Arc<ArcSwap<Result<(), String>>>);

impl Default for OwnDial {
    fn default() -> Self {
        Self(Arc::new(ArcSwap::from_pointee(Err("not called yet".to_owned()))))
    }
}

impl OwnDial {
    /// What the last call found.
    ///
    /// # Errors
    /// Why nobody can reach the port.
    pub fn is_reachable(&self) -> Result<(), String> {
        (**self.0.load()).clone()
    }

    /// Calls again and again until shutdown.
    ///
    /// # Errors
    /// rustls lacks what it was built with.
    pub async fn follow(
        self,
        address: SocketAddr,
        pair: Arc<ServingPair>,
        tls: Tls,
        shutdown: CancellationToken,
    ) -> anyhow::Result<()> {
        let provider = Arc::new(ring::default_provider());
        let algorithms = provider.signature_verification_algorithms;
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(OwnPair { pair, algorithms }))
            .with_no_client_auth();
        config.resumption = Resumption::disabled();
        let connector = TlsConnector::from(Arc::new(config));
        let address = reachable(address);
        loop {
            let called = async { timeout(PATIENCE, call(&connector, address, &tls)).await };
            let found = tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                called = called => called.unwrap_or_else(|_| Err(format!("no answer within {PATIENCE:?}"))),
            };
            let pause = if found.is_ok() { EVERY } else { AGAIN };
            if **self.0.load() != found {
                self.0.store(Arc::new(found));
            }
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                () = sleep(pause) => {}
            }
        }
    }
}

async fn call(connector: &TlsConnector, address: SocketAddr, tls: &Tls) -> Result<(), String> {
    let stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
    tls.expect_own(stream.local_addr().map_err(|error| error.to_string())?);
    connector.connect(ServerName::from(address.ip()), stream).await.map(drop).map_err(|error| error.to_string())
}

/// Where a port that listens on every address answers from here.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, address.port())
}

/// Trusts the leaf in force and nothing else. Who answers with another one is another process on our port.
#[derive(Debug)]
struct OwnPair {
    pair: Arc<ServingPair>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for OwnPair {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let current = self.pair.current();
        let is_ours = current.as_ref().and_then(|pair| pair.leaf_der()).is_some_and(|leaf| leaf == end_entity);
        is_ours.then(ServerCertVerified::assertion).ok_or(CertificateError::UnknownIssuer.into())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
