//! Why a configuration is refused.

use thiserror::Error;

use crate::{guarded::GuardedKeyError, licence::KeyError, policy::PolicyError, scope::SelectorError};

/// Why a configuration is refused. The text names the field and says what would do.
#[derive(Error, Debug)]
pub enum ConfigError {
    /// The text is no configuration.
    #[error("{0}")]
    Syntax(String),
    /// A name that cannot be one.
    #[error("{field}: {value:?} is not a DNS label: lower-case letters, digits and dashes, at most 63")]
    Name {
        /// The field.
        field: &'static str,
        /// What it says.
        value: String,
    },
    /// A name that others are made of.
    #[error("{field}: {value:?} is not a DNS label of at most {longest}: lower-case letters, digits and dashes")]
    ShortName {
        /// The field.
        field: &'static str,
        /// What it says.
        value: String,
        /// How long it may be.
        longest: usize,
    },
    /// Neither a DNS name nor an address.
    #[error("{field}: {value:?} is neither a DNS name nor an address")]
    HostName {
        /// The field.
        field: &'static str,
        /// What it says.
        value: String,
    },
    /// Something that Secrets cannot be encrypted for. It may be a private key, and is not repeated.
    #[error(
        "git.encryptTo: has something in it that is no age recipient; write the public keys, which begin with age1"
    )]
    Recipient,
    /// A number out of its range.
    #[error("{field}: {value} is out of range: {range}")]
    Range {
        /// The field.
        field: &'static str,
        /// What it says.
        value: u64,
        /// What would do.
        range: &'static str,
    },
    /// Two numbers that do not fit each other.
    #[error("{field}: {value} against {bound}: {rule}")]
    Order {
        /// The field.
        field: &'static str,
        /// What it says.
        value: u64,
        /// What it was compared with.
        bound: u64,
        /// What must hold, and why.
        rule: &'static str,
    },
    /// A key that is none.
    #[error("gate.publicKeys[{index}]: {source}")]
    PublicKey {
        /// Its place in the list.
        index: usize,
        /// Why.
        source: KeyError,
    },
    /// A gate that nothing could open.
    #[error(
        "gate.publicKeys: empty, and gate.mode wants a licence; name the key that your licences are signed with, as nsclass licence \
         keygen prints it"
    )]
    NoPublicKey,
    /// More keys than anybody needs.
    #[error("gate.publicKeys: {0} keys are too many, at most {1}")]
    TooManyPublicKeys(usize, usize),
    /// A list and a selector.
    #[error("scope: both namespaces and namespaceSelector are set; keep one of the two, or none for every namespace")]
    BothScopes,
    /// A selector.
    #[error("scope.namespaceSelector.{0}")]
    Selector(#[from] SelectorError),
    /// A policy entry.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A guarded key.
    #[error(transparent)]
    GuardedKey(#[from] GuardedKeyError),
}

/// Refuses a number out of its range; `range` says it in words, with the unit.
pub(super) fn in_range(
    field: &'static str,
    value: u64,
    allowed: std::ops::RangeInclusive<u64>,
    range: &'static str,
) -> Result<(), ConfigError> {
    if allowed.contains(&value) { Ok(()) } else { Err(ConfigError::Range { field, value, range }) }
}
