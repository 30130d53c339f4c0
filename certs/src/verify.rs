//! Whether a client that trusts a bundle would talk to a server that shows a certificate: as the API server decides it.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use rustls::{
    RootCertStore,
    client::{WebPkiServerVerifier, danger::ServerCertVerifier},
    crypto::ring,
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use thiserror::Error;

/// Why a certificate is not trusted.
#[derive(Error, Debug)]
pub enum VerifyError {
    /// Nothing to verify, or nothing to verify it with.
    #[error("there is no certificate to verify, or none to trust")]
    Nothing,
    /// Not a DNS name or an address.
    #[error("{0:?} is neither a DNS name nor an address")]
    Name(String),
    /// The clock is before 1970.
    #[error("{0} is before 1970")]
    Time(Timestamp),
    /// It does not verify.
    #[error(transparent)]
    Refused(#[from] rustls::Error),
}

/// Verifies a chain, the serving certificate first, for the host `name` at the time `at`.
///
/// # Errors
/// It does not verify.
pub fn verify(
    chain: &[CertificateDer<'_>],
    trusted: &[CertificateDer<'_>],
    name: &str,
    at: Timestamp,
) -> Result<(), VerifyError> {
    let (leaf, intermediates) = chain.split_first().ok_or(VerifyError::Nothing)?;
    let mut roots = RootCertStore::empty();
    for certificate in trusted {
        roots.add(certificate.clone().into_owned())?;
    }
    let builder =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(ring::default_provider())).build();
    let verifier = builder.map_err(|_| VerifyError::Nothing)?;
    let host = ServerName::try_from(name).map_err(|_| VerifyError::Name(name.to_owned()))?;
    let seconds = u64::try_from(at.as_second()).map_err(|_| VerifyError::Time(at))?;
    let at = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
    verifier.verify_server_cert(leaf, intermediates, &host, &[], at)?;
    Ok(())
}
