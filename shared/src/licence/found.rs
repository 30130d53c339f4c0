//! What was found: every document of every `Secret`, each read or refused.

use k8s_openapi::api::core::v1::Secret;

use super::{Licence, PublicKey, Refusal, read};

/// Most documents that are looked at: verifying one takes a tenth of a millisecond.
const MOST: usize = 64;

/// A document as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paper {
    /// Where, for people: `Secret NAME, key KEY`.
    pub place: String,
    /// Its bytes; none where the `Secret` holds nothing.
    pub bytes: Option<Vec<u8>>,
}

impl Paper {
    /// What a `Secret` holds: a document under each key. One without any is told, too.
    pub fn of_secret(secret: &Secret) -> Vec<Self> {
        let name = secret.metadata.name.as_deref().unwrap_or_default();
        let data = secret.data.iter().flatten();
        let papers: Vec<Self> = data
            .map(|(key, value)| Self { place: format!("Secret {name}, key {key}"), bytes: Some(value.0.clone()) })
            .collect();
        if papers.is_empty() { vec![Self { place: format!("Secret {name}"), bytes: None }] } else { papers }
    }
}

/// A document that does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Where it was found.
    pub place: String,
    /// Why.
    pub why: Refusal,
}

/// Everything that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// What counts, each with its place.
    pub licences: Vec<(String, Licence)>,
    /// What does not.
    pub refused: Vec<Refused>,
    /// Why nothing could be looked at.
    pub unread: Option<String>,
}

impl Found {
    /// Nobody could look.
    pub fn unread(why: String) -> Self {
        Self { unread: Some(why), ..Self::default() }
    }

    /// Why there is no licence at all, where there is none.
    pub fn reason(&self) -> String {
        if let Some(why) = &self.unread {
            return format!("the licence Secrets cannot be read: {why}");
        }
        let Some(Refused { place, why }) = self.refused.first() else {
            return "no Secret with the label nsclass.io/licence is in the operator's namespace".to_owned();
        };
        let more = self.refused.len() - 1;
        let more = if more > 0 { format!(" (and {more} more that do not count)") } else { String::new() };
        format!("{place}: {why}{more}")
    }
}

/// Reads everything. The order of `papers` decides nothing.
pub fn found(mut papers: Vec<Paper>, keys: &[PublicKey]) -> Found {
    papers.sort_by(|a, b| a.place.cmp(&b.place));
    let mut found = Found::default();
    for (index, Paper { place, bytes }) in papers.into_iter().enumerate() {
        let licence = match bytes {
            _ if index >= MOST => Err(Refusal::TooMany(MOST)),
            None => Err(Refusal::Empty),
            Some(bytes) => read(&bytes, keys).and_then(|licence| {
                let same = found.licences.iter().find(|(_, known)| known.id == licence.id);
                same.map_or(Ok(licence), |(first, _)| Err(Refusal::Doubled(first.clone())))
            }),
        };
        match licence {
            Ok(licence) => found.licences.push((place, licence)),
            Err(why) => found.refused.push(Refused { place, why }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::licence::{SigningKey, Terms, sign};

    fn paper(place: &str, text: &str) -> Paper {
        Paper { place: place.into(), bytes: Some(text.as_bytes().to_vec()) }
    }

    #[test]
    fn a_doubled_secret_counts_once_whatever_the_order_and_what_is_refused_is_told_with_its_place() {
        let key = SigningKey::generate().unwrap();
        let terms = Terms {
            holder: "a".into(),
            not_before: jiff::Timestamp::UNIX_EPOCH,
            expiry: jiff::Timestamp::MAX,
            namespaces: None,
        };
        let document = sign(&terms, &key).unwrap();
        let empty = Paper { place: "Secret c".into(), bytes: None };
        let papers = vec![paper("Secret b, key licence", &document), empty, paper("Secret a, key licence", &document)];
        let reversed = papers.iter().rev().cloned().collect();
        let first = found(papers, &[key.public()]);
        assert_eq!(first, found(reversed, &[key.public()]));
        assert_eq!(
            first.licences.iter().map(|(place, _)| place.as_str()).collect::<Vec<_>>(),
            ["Secret a, key licence"]
        );
        let refused: Vec<String> = first.refused.iter().map(|r| format!("{}: {}", r.place, r.why)).collect();
        insta::assert_snapshot!(refused.join("\n"), @r"
        Secret b, key licence: it is the same licence as in Secret a, key licence; remove one of the two
        Secret c: nothing is in it; put the licence under any key, such as licence
        ");
    }

    #[test]
    fn a_reason_is_there_whenever_there_is_no_licence() {
        insta::assert_snapshot!(found(vec![], &[]).reason(), @"no Secret with the label nsclass.io/licence is in the operator's namespace");
        insta::assert_snapshot!(Found::unread("forbidden".into()).reason(), @"the licence Secrets cannot be read: forbidden");
        let two = found(vec![paper("Secret a, key x", "?"), paper("Secret b, key y", "?")], &[]);
        insta::assert_snapshot!(two.reason(), @"Secret a, key x: this is no licence (it has not four parts); paste the whole line that nsclass licence issue prints (and 1 more that do not count)");
        let many = (0..70).map(|n| paper(&format!("Secret {n:03}"), "?")).collect();
        assert_eq!(found(many, &[]).refused.iter().filter(|r| r.why.category() == "too_many").count(), 6);
    }
}
