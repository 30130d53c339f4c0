//! Why a document does not count.

use thiserror::Error;

use super::document::{LONGEST_DOCUMENT, TermsError};

/// Why a document does not count, in words that say what to do. The set of [`Refusal::category`] is closed.
#[derive(Error, Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Too long to be looked at.
    #[error("{0} bytes are too many for a licence, which has at most {LONGEST_DOCUMENT}")]
    Oversized(usize),
    /// No licence.
    #[error("this is no licence ({0}); paste the whole line that nsclass licence issue prints")]
    Malformed(&'static str),
    /// Signed with a key that the configuration does not name.
    #[error("it is signed with the key {signed}, and gate.publicKeys has {known}; ask its issuer, or add the key")]
    WrongKey {
        /// The key that the document names.
        signed: String,
        /// Those of the configuration.
        known: String,
    },
    /// Its key is one of ours, and the signature is not that key's.
    #[error("its signature does not fit: it was changed since it was issued")]
    BadSignature,
    /// Of a later version of the format.
    #[error("it is of version {0} of the format, and this program knows version 1; update the operator")]
    Version(u64),
    /// Signed, and saying nothing that can hold.
    #[error(transparent)]
    Terms(#[from] TermsError),
    /// The same one was found before.
    #[error("it is the same licence as in {0}; remove one of the two")]
    Doubled(String),
    /// A `Secret` with nothing in it.
    #[error("nothing is in it; put the licence under any key, such as licence")]
    Empty,
    /// Too many documents.
    #[error("only the first {0} documents are looked at; remove those that have expired")]
    TooMany(usize),
}

impl Refusal {
    /// All words that [`Self::category`] has.
    pub const CATEGORIES: [&str; 9] =
        ["oversized", "malformed", "wrong_key", "bad_signature", "version", "terms", "doubled", "empty", "too_many"];

    /// A word for metrics.
    pub fn category(&self) -> &'static str {
        match self {
            Self::Oversized(_) => "oversized",
            Self::Malformed(_) => "malformed",
            Self::WrongKey { .. } => "wrong_key",
            Self::BadSignature => "bad_signature",
            Self::Version(_) => "version",
            Self::Terms(_) => "terms",
            Self::Doubled(_) => "doubled",
            Self::Empty => "empty",
            Self::TooMany(_) => "too_many",
        }
    }
}
