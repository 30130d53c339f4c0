//! The built-in certificate authority: made once, kept with its key, and asked for serving pairs.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use thiserror::Error;
use time::OffsetDateTime;

use crate::{
    certificate::{Certificate, CertificateError},
    fingerprint::Fingerprint,
    rotation::AuthorityInfo,
};

/// Certificates are valid from this long before they are issued: clocks differ.
pub const BACKDATE: SignedDuration = SignedDuration::from_mins(5);

/// A certificate and its key, as PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct PemPair {
    /// The certificate.
    pub certificate: String,
    /// Its key; a secret.
    pub key: String,
}

/// Why there is no authority, or no certificate of it.
#[derive(Error, Debug)]
pub enum AuthorityError {
    /// No PEM section of a certificate.
    #[error("the certificate cannot be read as PEM ({0})")]
    Pem(String),
    /// Not a certificate that could sign.
    #[error("the certificate {0}")]
    Certificate(#[from] CertificateError),
    /// A serving certificate, for instance.
    #[error("the certificate is not that of a CA")]
    NoAuthority,
    /// Halves of two authorities.
    #[error("the key is not that of the certificate")]
    Mismatch,
    /// The key cannot be read, or a certificate not be made.
    #[error("{0}")]
    Make(#[from] rcgen::Error),
    /// A lifetime that no calendar holds.
    #[error("a certificate until then cannot be made: the date is out of range")]
    Dates,
}

/// An authority with its key.
pub struct Authority {
    certificate: CertificateDer<'static>,
    pem: String,
    issuer: Issuer<'static, KeyPair>,
    info: AuthorityInfo,
}

impl Authority {
    /// Makes a new authority, valid from `now` for `lifetime`.
    ///
    /// Each has a subject of its own: clients that look an authority up by name never take one for another.
    ///
    /// # Errors
    /// No entropy, or dates out of range.
    pub fn make(now: Timestamp, lifetime: SignedDuration) -> Result<PemPair, AuthorityError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, format!("nsclass webhook CA of {now:.0}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        (params.not_before, params.not_after) = (date(now - BACKDATE)?, date(end(now, lifetime)?)?);
        Ok(PemPair { certificate: params.self_signed(&key)?.pem(), key: key.serialize_pem() })
    }

    /// Reads what [`Self::make`] made.
    ///
    /// # Errors
    /// It is damaged. Nobody may conclude from that that it can be replaced (admission.md A23).
    pub fn read(certificate: &str, key: &str) -> Result<Self, AuthorityError> {
        let der = CertificateDer::from_pem_slice(certificate.as_bytes())
            .map_err(|why| AuthorityError::Pem(why.to_string()))?;
        let facts = Certificate::read(&der)?;
        if !facts.is_authority {
            return Err(AuthorityError::NoAuthority);
        }
        let key = KeyPair::from_pem(key)?;
        if facts.public_key != key.public_key_raw() {
            return Err(AuthorityError::Mismatch);
        }
        let info = AuthorityInfo {
            id: Fingerprint::of(&der),
            issued: facts.not_before + BACKDATE,
            not_after: facts.not_after,
        };
        let issuer = Issuer::from_ca_cert_der(&der, key)?;
        Ok(Self { certificate: der, pem: certificate.trim().to_owned() + "\n", issuer, info })
    }

    /// Issues a serving pair for `names` (DNS names and addresses), for `lifetime` but not beyond the authority's own end.
    ///
    /// # Errors
    /// A name that cannot be one, or no entropy.
    pub fn issue(&self, names: &[String], now: Timestamp, lifetime: SignedDuration) -> Result<PemPair, AuthorityError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(names)?;
        // Nobody reads it, but an empty subject makes some tools stumble.
        params.distinguished_name.push(DnType::CommonName, "nsclass-webhook");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let until = end(now, lifetime)?.min(self.info.not_after);
        (params.not_before, params.not_after) = (date(now - BACKDATE)?, date(until)?);
        Ok(PemPair { certificate: params.signed_by(&key, &self.issuer)?.pem(), key: key.serialize_pem() })
    }

    /// What the rotation plan needs to know of it.
    pub fn info(&self) -> &AuthorityInfo {
        &self.info
    }

    /// Its certificate.
    pub fn certificate(&self) -> &CertificateDer<'static> {
        &self.certificate
    }

    /// Its certificate as PEM, with the end of line.
    pub fn pem(&self) -> &str {
        &self.pem
    }
}

impl fmt::Debug for Authority {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").field("info", &self.info).finish_non_exhaustive()
    }
}

impl fmt::Debug for PemPair {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PemPair").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

fn end(now: Timestamp, lifetime: SignedDuration) -> Result<Timestamp, AuthorityError> {
    now.checked_add(lifetime).map_err(|_| AuthorityError::Dates)
}

fn date(at: Timestamp) -> Result<OffsetDateTime, AuthorityError> {
    OffsetDateTime::from_unix_timestamp(at.as_second()).map_err(|_| AuthorityError::Dates)
}

#[cfg(test)]
mod tests;
