//! Why a pair is refused.

use jiff::Timestamp;
use thiserror::Error;

use crate::certificate::CertificateError;

/// Why a pair is refused. The text names the file and says what would do.
#[derive(Error, Debug, Clone, PartialEq, Eq)]
pub enum PairError {
    /// Not one whole PEM section; an empty or half-written file.
    #[error(
        "tls.crt: holds no certificate; it must hold the serving certificate and then those between it and its CA, as PEM"
    )]
    NoCertificate,
    /// PEM that breaks off or is not base64.
    #[error("tls.crt: cannot be read as PEM ({0}); it may be half-written")]
    Chain(String),
    /// One of the certificates cannot be used.
    #[error("tls.crt: certificate {} {why}", .index + 1)]
    Certificate {
        /// Its place in the file.
        index: usize,
        /// What is wrong with it.
        why: CertificateError,
    },
    /// Not one whole PEM section of a key.
    #[error("tls.key: holds no private key; it must hold the key of the first certificate of tls.crt, as PEM")]
    NoKey,
    /// A key that cannot be used.
    #[error("tls.key: cannot be used ({0}); write an unencrypted RSA, ECDSA or Ed25519 key as PEM")]
    Key(String),
    /// Halves of two pairs.
    #[error("tls.key: is not the key of the first certificate of tls.crt; replace both together")]
    Mismatch,
    /// A certificate for clients only.
    #[error("tls.crt: certificate 1 is not for servers; its extended key usage must include serverAuth")]
    NotForServers,
    /// Only a common name, which nobody looks at.
    #[error("tls.crt: certificate 1 names no host; list DNS names or addresses as subject alternative names")]
    NoNames,
    /// Its time has not come.
    #[error("tls.crt: certificate {} is not valid before {from}; is a clock wrong?", .index + 1)]
    NotYetValid {
        /// Its place in the file.
        index: usize,
        /// From when.
        from: Timestamp,
    },
    /// Its time is over.
    #[error("tls.crt: certificate {} expired at {since}; issue a new pair", .index + 1)]
    Expired {
        /// Its place in the file.
        index: usize,
        /// Since when.
        since: Timestamp,
    },
}
