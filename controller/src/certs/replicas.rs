//! What every webhook replica serves, seen by asking each of them for a handshake.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::future::join_all;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::{Api, Client, api::ListParams};
use nsclass_certs::{fingerprint::Fingerprint, rotation::Served};
use nsclass_shared::config::CertificatesConfig;
use rustls::{
    ClientConfig, DigitallySignedStruct, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// How long a replica may take for a handshake.
const PATIENCE: Duration = Duration::from_secs(3);
/// Tells the slices of a Service.
const SERVICE_LABEL: &str = "kubernetes.io/service-name";

/// Asks every replica, those that are not ready too.
pub async fn served(client: &Client, namespace: &str, config: &CertificatesConfig, host: &str) -> Served {
    let replicas = if config.replicas.is_empty() {
        match of_service(client, namespace, &config.service).await {
            Ok(replicas) => replicas,
            Err(error) => {
                tracing::warn!(%error, service = config.service, "the webhook replicas cannot be found");
                return Served::Unknown;
            }
        }
    } else {
        config.replicas.clone()
    };
    Served::Replicas(join_all(replicas.into_iter().map(|replica| shown(replica, host))).await)
}

async fn of_service(client: &Client, namespace: &str, service: &str) -> Result<Vec<SocketAddr>, kube::Error> {
    let slices: Api<EndpointSlice> = Api::namespaced(client.clone(), namespace);
    let slices = slices.list(&ListParams::default().labels(&format!("{SERVICE_LABEL}={service}"))).await?;
    let mut replicas: Vec<SocketAddr> = slices.into_iter().flat_map(|slice| addresses(&slice)).collect();
    replicas.sort_unstable();
    replicas.dedup();
    Ok(replicas)
}

fn addresses(slice: &EndpointSlice) -> Vec<SocketAddr> {
    let ports: Vec<u16> = slice.ports.iter().flatten().filter_map(|port| u16::try_from(port.port?).ok()).collect();
    let of_one = |address: &String| {
        let address: Option<std::net::IpAddr> = address.parse().ok();
        ports.iter().filter_map(|port| Some(SocketAddr::new(address?, *port))).collect::<Vec<_>>()
    };
    slice.endpoints.iter().flat_map(|endpoint| &endpoint.addresses).flat_map(of_one).collect()
}

/// The certificate that a replica shows in a handshake for `host`; none if it does not come to that.
async fn shown(replica: SocketAddr, host: &str) -> Option<Fingerprint> {
    let eye = Arc::new(Eye { provider: ring::default_provider(), seen: Mutex::default() });
    let builder = ClientConfig::builder_with_provider(Arc::new(eye.provider.clone()));
    let config = builder
        .with_safe_default_protocol_versions()
        .ok()?
        .dangerous()
        .with_custom_certificate_verifier(eye.clone())
        .with_no_client_auth();
    let host = ServerName::try_from(host.to_owned()).ok()?;
    let handshake = async {
        let stream = TcpStream::connect(replica).await.ok()?;
        // Without a client's certificate it may fail in the end (admission.md A17); the server's has been seen by then.
        TlsConnector::from(Arc::new(config)).connect(host, stream).await.ok()
    };
    let _ = tokio::time::timeout(PATIENCE, handshake).await;
    *eye.seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Trusts anybody and remembers whom: it is asked which certificate is served, and nothing is sent.
#[derive(Debug)]
struct Eye {
    provider: CryptoProvider,
    /// Only once the server has proved to have the key.
    seen: Mutex<Option<Fingerprint>>,
}

impl Eye {
    fn see(&self, certificate: &CertificateDer<'_>) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(Fingerprint::of(certificate));
    }
}

impl ServerCertVerifier for Eye {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms).inspect(|_| self.see(certificate))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms).inspect(|_| self.see(certificate))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests;
