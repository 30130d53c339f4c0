//! What we need to know of one certificate, whoever issued it.

use jiff::Timestamp;
use rustls::pki_types::CertificateDer;
use thiserror::Error;
use x509_parser::{certificate::X509Certificate, extensions::GeneralName, prelude::FromDer, time::ASN1Time};

/// Why bytes are not taken for a certificate.
#[derive(Error, Debug, Clone, PartialEq, Eq)]
pub enum CertificateError {
    /// They are none.
    #[error("cannot be read as an X.509 certificate ({0})")]
    Unreadable(String),
    /// It has no extensions. OpenSSL's `x509 -req` makes these unless given some; rustls and Go refuse them.
    #[error("is an X.509 version 1 certificate, which TLS libraries refuse; issue it with extensions (version 3)")]
    OldVersion,
    /// A date that no calendar of ours reaches.
    #[error("has a validity that is out of range")]
    Dates,
}

/// One certificate, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// Valid from.
    pub not_before: Timestamp,
    /// Valid until, itself included.
    pub not_after: Timestamp,
    /// Whether it may sign certificates.
    pub is_authority: bool,
    /// Whether a server may show it: no extended key usage at all, or one for servers.
    pub is_for_servers: bool,
    /// DNS names and addresses that it is good for, in its order.
    pub names: Vec<String>,
    /// Its public key as the certificate holds it, without the algorithm.
    pub public_key: Vec<u8>,
}

impl Certificate {
    /// Reads one certificate.
    ///
    /// # Errors
    /// It is none, or one that cannot be served.
    pub fn read(der: &CertificateDer<'_>) -> Result<Self, CertificateError> {
        let unreadable = |why: &dyn std::fmt::Display| CertificateError::Unreadable(why.to_string());
        let (rest, certificate) = X509Certificate::from_der(der).map_err(|why| unreadable(&why))?;
        if !rest.is_empty() {
            return Err(unreadable(&"there are bytes behind it"));
        }
        if certificate.version().0 == 0 {
            return Err(CertificateError::OldVersion);
        }
        let usage = certificate.extended_key_usage().map_err(|why| unreadable(&why))?;
        let names = certificate.subject_alternative_name().map_err(|why| unreadable(&why))?;
        Ok(Self {
            not_before: timestamp(certificate.validity().not_before)?,
            not_after: timestamp(certificate.validity().not_after)?,
            is_authority: certificate.is_ca(),
            is_for_servers: usage.is_none_or(|usage| usage.value.any || usage.value.server_auth),
            names: names.map(|names| names.value.general_names.iter().filter_map(name).collect()).unwrap_or_default(),
            public_key: certificate.public_key().subject_public_key.data.to_vec(),
        })
    }
}

fn timestamp(time: ASN1Time) -> Result<Timestamp, CertificateError> {
    Timestamp::from_second(time.timestamp()).map_err(|_| CertificateError::Dates)
}

fn name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => {
            let v4 = <[u8; 4]>::try_from(*bytes).map(std::net::IpAddr::from);
            let v6 = <[u8; 16]>::try_from(*bytes).map(std::net::IpAddr::from);
            v4.or(v6).ok().map(|address| address.to_string())
        }
        _ => None,
    }
}
