//! The keys: Ed25519, as the TLS provider that is already there has it.

use std::{fmt, str::FromStr};

use base64::{Engine, engine::general_purpose::STANDARD};
use ring::{
    rand::SystemRandom,
    signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey},
};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::hex::hex;

const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";
/// Characters of one line of PEM.
const LINE: usize = 64;

/// Why something is no key.
#[derive(Error, Clone, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// No public key.
    #[error("{0} is no public key: 32 bytes as base64, as nsclass licence keygen prints them")]
    Public(String),
    /// No private key.
    #[error("no Ed25519 private key: a PKCS#8 file in PEM is expected, as nsclass licence keygen writes it")]
    Private,
    /// The system gave no random numbers.
    #[error("the system gives no random numbers")]
    Random,
}

/// What licences are verified with. Anybody may know it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// A name for it that people can compare: the first 32 bits of its SHA-256, in hex.
    pub fn id(&self) -> String {
        hex(&Sha256::digest(self.0), 4)
    }

    /// Whether the holder of the private key has signed this.
    pub(super) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, &self.0).verify(message, signature).is_ok()
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let bytes = STANDARD.decode(text.trim()).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| KeyError::Public(crate::excerpt::excerpt(text)))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What licences are issued with. It is shown nowhere but where it is written to on purpose.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    pkcs8: Vec<u8>,
}

impl SigningKey {
    /// A new one.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub fn generate() -> Result<Self, KeyError> {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| KeyError::Random)?;
        Self::from_pkcs8(pkcs8.as_ref().to_vec())
    }

    /// From a PEM file. Those of OpenSSL will do, too: `openssl genpkey -algorithm ed25519`.
    ///
    /// # Errors
    /// It is none.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let body = text.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END)).map(|(body, _)| body);
        let body: String = body.ok_or(KeyError::Private)?.split_whitespace().collect();
        Self::from_pkcs8(STANDARD.decode(body).map_err(|_| KeyError::Private)?)
    }

    /// As a PEM file.
    pub fn to_pem(&self) -> String {
        let body = STANDARD.encode(&self.pkcs8);
        let mut pem = format!("{BEGIN}\n");
        let mut rest = body.as_str();
        while !rest.is_empty() {
            // invariant: base64 is ASCII, so every place is a boundary.
            let (line, after) = rest.split_at(rest.len().min(LINE));
            pem.push_str(line);
            pem.push('\n');
            rest = after;
        }
        pem + END + "\n"
    }

    /// The other half.
    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.iter_mut().zip(self.pair.public_key().as_ref()).for_each(|(to, from)| *to = *from);
        PublicKey(bytes)
    }

    pub(super) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }

    fn from_pkcs8(pkcs8: Vec<u8>) -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&pkcs8).map_err(|_| KeyError::Private)?;
        Ok(Self { pair, pkcs8 })
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey of {}", self.public())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `openssl genpkey -algorithm ed25519`, made for this test.
    const OPENSSL: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
";

    #[test]
    fn a_key_that_is_written_reads_back_the_same() {
        let key = SigningKey::generate().unwrap();
        let again = SigningKey::from_pem(&key.to_pem()).unwrap();
        assert_eq!(again.public(), key.public());
        assert_eq!(key.public().to_string().parse(), Ok(key.public()));
        assert!(
            key.public().verifies(b"said", &again.sign(b"said")) && !key.public().verifies(b"sad", &key.sign(b"said"))
        );
        assert!(!format!("{key:?}").contains("PRIVATE"));
    }

    #[test]
    fn a_key_of_openssl_will_do() {
        let key = SigningKey::from_pem(OPENSSL).unwrap();
        insta::assert_snapshot!(key.public(), @"JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=");
    }

    #[test]
    fn bad13_what_is_no_key_is_said_in_a_sentence() {
        insta::assert_snapshot!("short".parse::<PublicKey>().unwrap_err(), @r#""short" is no public key: 32 bytes as base64, as nsclass licence keygen prints them"#);
        insta::assert_snapshot!(SigningKey::from_pem("nonsense").unwrap_err(), @"no Ed25519 private key: a PKCS#8 file in PEM is expected, as nsclass licence keygen writes it");
    }
}
