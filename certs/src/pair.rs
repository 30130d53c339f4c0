//! A serving pair: a certificate chain and its key, checked before anybody is served with it.

mod error;

use std::{fmt, sync::Arc};

use jiff::Timestamp;
use rustls::{
    Error as TlsError, InconsistentKeys,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject},
    sign::CertifiedKey,
};

use crate::certificate::Certificate;
pub use error::PairError;

/// File of the chain, the serving certificate first: a `Secret` of type `kubernetes.io/tls`.
pub const CHAIN_FILE: &str = "tls.crt";
/// File of its key.
pub const KEY_FILE: &str = "tls.key";

/// A pair that can be served.
#[derive(Clone)]
pub struct Pair {
    /// What rustls serves.
    pub key: Arc<CertifiedKey>,
    /// Of the serving certificate.
    pub leaf: Certificate,
    /// When the first certificate of the chain runs out.
    pub not_after: Timestamp,
}

impl Pair {
    /// Checks the text of both files as of `now`: complete, readable, belonging together, valid, and good for a server.
    ///
    /// # Errors
    /// The first thing that is wrong, with its file.
    pub fn parse(chain: &[u8], key: &[u8], now: Timestamp) -> Result<Self, PairError> {
        let chain = certificates(chain)?;
        let facts = read(&chain)?;
        let leaf = facts.first().ok_or(PairError::NoCertificate)?.clone();
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|why| match why {
            pem::Error::NoItemsFound => PairError::NoKey,
            why => PairError::Key(why.to_string()),
        })?;
        let key = certified(chain, key, &ring::default_provider())?;
        if !leaf.is_for_servers {
            return Err(PairError::NotForServers);
        }
        if leaf.names.is_empty() {
            return Err(PairError::NoNames);
        }
        for (index, certificate) in facts.iter().enumerate() {
            if now < certificate.not_before {
                return Err(PairError::NotYetValid { index, from: certificate.not_before });
            }
            if now > certificate.not_after {
                return Err(PairError::Expired { index, since: certificate.not_after });
            }
        }
        let not_after = facts.iter().map(|certificate| certificate.not_after).min().unwrap_or(leaf.not_after);
        Ok(Self { key: Arc::new(key), leaf, not_after })
    }

    /// The serving certificate itself.
    pub fn leaf_der(&self) -> Option<&CertificateDer<'static>> {
        self.key.cert.first()
    }
}

impl fmt::Debug for Pair {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("leaf", &self.leaf).field("not_after", &self.not_after).finish_non_exhaustive()
    }
}

fn certificates(text: &[u8]) -> Result<Vec<CertificateDer<'static>>, PairError> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).collect();
    let chain = chain.map_err(|why| PairError::Chain(why.to_string()))?;
    if chain.is_empty() { Err(PairError::NoCertificate) } else { Ok(chain) }
}

fn read(chain: &[CertificateDer<'_>]) -> Result<Vec<Certificate>, PairError> {
    let one = |(index, der)| Certificate::read(der).map_err(|why| PairError::Certificate { index, why });
    chain.iter().enumerate().map(one).collect()
}

fn certified(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, PairError> {
    CertifiedKey::from_der(chain, key, provider).map_err(|why| match why {
        TlsError::InconsistentKeys(InconsistentKeys::KeyMismatch) => PairError::Mismatch,
        why => PairError::Key(why.to_string()),
    })
}

#[cfg(test)]
mod tests;
