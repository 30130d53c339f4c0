//! The certificates that a client trusts, as one text.

use std::collections::BTreeSet;

use rustls::pki_types::{CertificateDer, pem::PemObject};
use thiserror::Error;

use crate::{
    certificate::{Certificate, CertificateError},
    fingerprint::Fingerprint,
};

/// Why a text is no bundle.
#[derive(Error, Debug, Clone, PartialEq, Eq)]
pub enum BundleError {
    /// PEM that breaks off or is not base64.
    #[error("cannot be read as PEM ({0}); it may be half-written")]
    Pem(String),
    /// Nothing is trusted.
    #[error("holds no certificate; it must hold those of the CAs to trust, as PEM")]
    Empty,
    /// One of the certificates cannot be trusted.
    #[error("certificate {} {why}", .index + 1)]
    Certificate {
        /// Its place in the text.
        index: usize,
        /// What is wrong with it.
        why: CertificateError,
    },
}

/// The certificates of a bundle's text.
///
/// # Errors
/// It is none.
pub fn certificates(text: &[u8]) -> Result<Vec<CertificateDer<'static>>, BundleError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).collect();
    let read = read.map_err(|why| BundleError::Pem(why.to_string()))?;
    for (index, der) in read.iter().enumerate() {
        Certificate::read(der).map_err(|why| BundleError::Certificate { index, why })?;
    }
    if read.is_empty() { Err(BundleError::Empty) } else { Ok(read) }
}

/// Whom a bundle's text trusts; nobody, if it is none.
pub fn trusted(text: &[u8]) -> BTreeSet<Fingerprint> {
    certificates(text).unwrap_or_default().iter().map(Fingerprint::of).collect()
}
