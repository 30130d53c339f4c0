//! What the plan needs to know, and no more.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::{
    authority::{Authority, BACKDATE},
    certificate::Certificate,
    fingerprint::Fingerprint,
    pair::Pair,
    verify::verify,
};

/// An authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorityInfo {
    /// Of its certificate.
    pub id: Fingerprint,
    /// When it was made.
    pub issued: Timestamp,
    /// When it ends.
    pub not_after: Timestamp,
}

impl AuthorityInfo {
    /// When it wants a successor, if authorities are to last that long.
    pub fn renewal(&self, lifetime: SignedDuration) -> Timestamp {
        renewal(self.issued, self.not_after.min(self.issued + lifetime))
    }
}

/// The serving certificate that replicas are to take up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafInfo {
    /// Of the certificate.
    pub id: Fingerprint,
    /// Which of the material's authorities it verifies under; none if none of them.
    pub authority: Option<Fingerprint>,
    /// When it was issued.
    pub issued: Timestamp,
    /// When it ends.
    pub not_after: Timestamp,
    /// Whether its pair can be served at all, for the names that are wanted.
    pub fits: bool,
}

impl LeafInfo {
    /// Of the pair in two files, as one of `authorities` issued it for `names`; none of what can never be served.
    pub fn of(chain: &[u8], key: &[u8], authorities: &[&Authority], names: &[String]) -> Option<Self> {
        let first = crate::bundle::certificates(chain).ok()?;
        let from = Certificate::read(first.first()?).ok()?.not_before;
        // An expired pair is one too: what to do about it depends on its dates.
        let pair = Pair::parse(chain, key, from).ok()?;
        let issued = from + BACKDATE;
        let has = |name: &String| pair.leaf.names.contains(name);
        let fits = names.iter().all(has) && names.len() == pair.leaf.names.len();
        let signer = authorities.iter().find(|authority| {
            let trusted = [authority.certificate().clone()];
            names.first().is_some_and(|name| verify(&pair.key.cert, &trusted, name, issued).is_ok())
        });
        Some(Self {
            id: Fingerprint::of(pair.leaf_der()?),
            authority: signer.map(|authority| authority.info().id),
            issued,
            not_after: pair.leaf.not_after,
            fits,
        })
    }

    /// When it wants to be issued anew.
    pub fn renewal(&self) -> Timestamp {
        renewal(self.issued, self.not_after)
    }
}

/// When two thirds of a lifetime are over.
fn renewal(issued: Timestamp, not_after: Timestamp) -> Timestamp {
    not_after - issued.duration_until(not_after) / 3
}

/// What is in the two `Secret`s.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Material {
    /// Signs, until there is a next one that everybody trusts.
    pub current: Option<AuthorityInfo>,
    /// Will follow it.
    pub next: Option<AuthorityInfo>,
    /// The serving pair.
    pub leaf: Option<LeafInfo>,
}

impl Material {
    /// Whom every configuration must trust: all of our authorities, and nobody else.
    pub fn trusted(&self) -> BTreeSet<Fingerprint> {
        self.current.iter().chain(&self.next).map(|authority| authority.id).collect()
    }
}

/// A bundle as the API server has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Whom it trusts.
    pub authorities: BTreeSet<Fingerprint>,
    /// Since when the caller has seen it so, without a break; a restart begins anew.
    pub since: Timestamp,
}

/// What the replicas serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Served {
    /// It could not be found out which replicas there are.
    Unknown,
    /// For each replica the serving certificate that it showed; none if it could not be seen.
    Replicas(Vec<Option<Fingerprint>>),
}
