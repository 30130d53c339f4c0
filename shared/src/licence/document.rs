//! One licence as text: `nsclass-licence.KEY.TERMS.SIGNATURE`.
//!
//! `KEY` is the name of the public key ([`PublicKey::id`]), for people who look for the right one; `TERMS` is JSON and `SIGNATURE` the
//! Ed25519 signature over everything before its dot, exactly as it stands there; both in URL-safe base64 without padding. The signature
//! is verified before anything of the terms is looked at.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::{PublicKey, Refusal, SigningKey};
use crate::hex::hex;

/// Longest document in bytes. A usual one has 300.
pub const LONGEST_DOCUMENT: usize = 4096;
const PREFIX: &str = "nsclass-licence";
const VERSION: u64 = 1;
/// Longest name of a holder, in bytes.
const LONGEST_HOLDER: usize = 200;

/// What a licence says. Fields that this version does not know are ignored, and signed like the others: notes of the issuer. One that
/// would narrow a licence comes with another version.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    /// Who has it, for people.
    pub holder: String,
    /// From when on it is valid.
    pub not_before: Timestamp,
    /// From when on it is not any more.
    pub expiry: Timestamp,
    /// For how many namespaces; any number where none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespaces: Option<u32>,
}

/// Why terms cannot hold.
#[derive(Error, Clone, Debug, PartialEq, Eq)]
pub enum TermsError {
    /// The holder.
    #[error("the holder is a name of 1 to {LONGEST_HOLDER} bytes without line breaks")]
    Holder,
    /// The times.
    #[error("it ends at {expiry}, which is not after it begins at {not_before}")]
    Times {
        /// When it begins.
        not_before: Timestamp,
        /// When it ends.
        expiry: Timestamp,
    },
    /// The limit.
    #[error("a licence for 0 namespaces is none; leave the limit out for any number")]
    NoNamespaces,
    /// Not even JSON with these fields.
    #[error("its terms cannot be read: {0}")]
    Unreadable(String),
}

impl Terms {
    /// The limit in words, where there is one.
    pub fn limit(&self) -> Option<String> {
        self.namespaces.map(|limit| if limit == 1 { "1 namespace".to_owned() } else { format!("{limit} namespaces") })
    }

    /// Whether they can hold.
    ///
    /// # Errors
    /// The first thing that cannot.
    pub fn check(&self) -> Result<(), TermsError> {
        let Self { holder, not_before, expiry, namespaces } = self;
        if holder.trim().is_empty() || holder.len() > LONGEST_HOLDER || holder.chars().any(char::is_control) {
            return Err(TermsError::Holder);
        }
        if expiry <= not_before {
            return Err(TermsError::Times { not_before: *not_before, expiry: *expiry });
        }
        if *namespaces == Some(0) {
            return Err(TermsError::NoNamespaces);
        }
        Ok(())
    }
}

/// A licence whose signature was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Licence {
    /// What it says.
    pub terms: Terms,
    /// The first 48 bits of the document's SHA-256, in hex: tells two licences apart.
    pub id: String,
    /// Name of the key that it is signed with.
    pub key: String,
}

#[derive(Serialize, Deserialize)]
struct Versioned {
    version: u64,
}

#[derive(Serialize)]
struct Signed<'a> {
    version: u64,
    #[serde(flatten)]
    terms: &'a Terms,
}

/// Issues a licence.
///
/// # Errors
/// Terms that cannot hold.
pub fn sign(terms: &Terms, key: &SigningKey) -> Result<String, TermsError> {
    terms.check()?;
    let json = serde_json::to_vec(&Signed { version: VERSION, terms });
    let json = json.map_err(|error| TermsError::Unreadable(error.to_string()))?;
    Ok(sign_bytes(&json, key))
}

pub(super) fn sign_bytes(terms: &[u8], key: &SigningKey) -> String {
    let signed = format!("{PREFIX}.{}.{}", key.public().id(), URL_SAFE_NO_PAD.encode(terms));
    let signature = URL_SAFE_NO_PAD.encode(key.sign(signed.as_bytes()));
    format!("{signed}.{signature}")
}

/// Verifies a document with these keys; space around it counts for nothing.
///
/// # Errors
/// Why it does not count.
pub fn read(document: &[u8], keys: &[PublicKey]) -> Result<Licence, Refusal> {
    let document = document.trim_ascii();
    if document.len() > LONGEST_DOCUMENT {
        return Err(Refusal::Oversized(document.len()));
    }
    let text = str::from_utf8(document).map_err(|_| Refusal::Malformed("it is not text"))?;
    let parts: Vec<&str> = text.split('.').collect();
    let [prefix, id, terms, signature] = parts[..] else {
        return Err(Refusal::Malformed("it has not four parts"));
    };
    if prefix != PREFIX {
        return Err(Refusal::Malformed("it does not begin with nsclass-licence"));
    }
    let named: Vec<&PublicKey> = keys.iter().filter(|key| key.id() == id).collect();
    if named.is_empty() {
        let known = keys.iter().map(PublicKey::id).collect::<Vec<_>>().join(", ");
        return Err(Refusal::WrongKey { signed: crate::excerpt::excerpt(id), known });
    }
    let signed = text.rsplit_once('.').map_or("", |(signed, _)| signed);
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| Refusal::BadSignature)?;
    if !named.iter().any(|key| key.verifies(signed.as_bytes(), &signature)) {
        return Err(Refusal::BadSignature);
    }
    let terms = URL_SAFE_NO_PAD.decode(terms).map_err(|_| Refusal::Malformed("its terms are not base64"))?;
    let unreadable = |error: serde_json::Error| TermsError::Unreadable(error.to_string());
    let Versioned { version } = serde_json::from_slice(&terms).map_err(unreadable)?;
    if version != VERSION {
        return Err(Refusal::Version(version));
    }
    let terms: Terms = serde_json::from_slice(&terms).map_err(unreadable)?;
    terms.check()?;
    // Of what is signed: a signature could be written down in more than one way.
    Ok(Licence { terms, id: hex(&Sha256::digest(signed), 6), key: id.to_owned() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms() -> Terms {
        Terms {
            holder: "Team Blue".into(),
            not_before: "2026-01-01T00:00:00Z".parse().unwrap(),
            expiry: "2027-01-01T00:00:00Z".parse().unwrap(),
            namespaces: Some(5),
        }
    }

    fn refusal(document: &str, key: &SigningKey) -> String {
        read(document.as_bytes(), &[key.public()]).unwrap_err().to_string()
    }

    #[test]
    fn a_licence_says_what_was_signed_and_space_around_it_counts_for_nothing() {
        let (key, other) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
        let document = sign(&terms(), &key).unwrap();
        let licence = read(format!("\n {document}\r\n").as_bytes(), &[other.public(), key.public()]).unwrap();
        assert_eq!((licence.terms, licence.key), (terms(), key.public().id()));
        let more = br#"{"version":1,"holder":"a","notBefore":"2026-01-01T00:00:00Z","expiry":"2027-01-01T00:00:00Z","order":"4711"}"#;
        let noted = read(sign_bytes(more, &key).as_bytes(), &[key.public()]).unwrap();
        assert_eq!((noted.terms.holder.as_str(), noted.terms.namespaces), ("a", None));
    }

    #[test]
    fn every_refusal_says_in_words_why_and_what_to_do() {
        let key = SigningKey::from_pem(
            "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n-----END PRIVATE KEY-----",
        )
        .unwrap();
        let other = SigningKey::generate().unwrap();
        let document = sign(&terms(), &key).unwrap();
        insta::assert_snapshot!(refusal(&"x".repeat(5000), &key), @"5000 bytes are too many for a licence, which has at most 4096");
        insta::assert_snapshot!(refusal("", &key), @"this is no licence (it has not four parts); paste the whole line that nsclass licence issue prints");
        insta::assert_snapshot!(refusal("a.b.c.d", &key), @"this is no licence (it does not begin with nsclass-licence); paste the whole line that nsclass licence issue prints");
        assert!(refusal(&document, &other).starts_with(&format!(
            "it is signed with the key {:?}, and gate.publicKeys has {}",
            key.public().id(),
            other.public().id()
        )));
        let forged = sign_bytes(b"{}", &other).replace(&other.public().id(), &key.public().id());
        insta::assert_snapshot!(refusal(&forged, &key), @"its signature does not fit: it was changed since it was issued");
        insta::assert_snapshot!(refusal(&sign_bytes(br#"{"version":2,"all":"new"}"#, &key), &key), @"it is of version 2 of the format, and this program knows version 1; update the operator");
        insta::assert_snapshot!(refusal(&sign_bytes(br#"{"version":1,"holder":"a"}"#, &key), &key), @"its terms cannot be read: missing field `notBefore` at line 1 column 26");
        let never = br#"{"version":1,"holder":"a","notBefore":"2026-01-01T00:00:00Z","expiry":"2026-01-01T00:00:00Z"}"#;
        insta::assert_snapshot!(refusal(&sign_bytes(never, &key), &key), @"it ends at 2026-01-01T00:00:00Z, which is not after it begins at 2026-01-01T00:00:00Z");
        insta::assert_snapshot!(sign(&Terms { holder: " ".into(), ..terms() }, &key).unwrap_err(), @"the holder is a name of 1 to 200 bytes without line breaks");
        insta::assert_snapshot!(sign(&Terms { namespaces: Some(0), ..terms() }, &key).unwrap_err(), @"a licence for 0 namespaces is none; leave the limit out for any number");
    }

    proptest! {
        #[test]
        fn no_change_of_any_byte_passes_for_another_licence(at in 0_usize..400, byte in any::<u8>()) {
            let key = SigningKey::generate().unwrap();
            let document = sign(&terms(), &key).unwrap();
            let mut changed = document.clone().into_bytes();
            let at = at % changed.len();
            prop_assume!(changed[at] != byte);
            changed[at] = byte;
            if let Ok(licence) = read(&changed, &[key.public()]) {
                // Space at the end, or unused bits of the last character of a signature.
                prop_assert_eq!(licence, read(document.as_bytes(), &[key.public()]).unwrap());
            }
        }

        #[test]
        fn no_bytes_crash_it(bytes in proptest::collection::vec(any::<u8>(), 0..5000)) {
            let key = SigningKey::generate().unwrap();
            prop_assert!(read(&bytes, &[key.public()]).is_err());
        }
    }
}
