//! How an authority is replaced without a failed handshake (admission.md A22), as a function of what is seen.
//!
//! ```text
//! make the next CA → trust both everywhere → see it there → serve by the next → see it served by every replica → drop the old
//! ```
//! [`plan`] is asked again and again and remembers nothing: a restart, a second leader, or a write that was lost changes only when
//! the next step is taken. What it needs of whoever feeds it, all of it needed (the enumeration in the tests fails without):
//! - **Look in this order**: configurations, the `Secret` of the serving pair, the one of the authorities, the replicas.
//! - **Guard each write** by the resourceVersion of that look, so that it fails if the object has changed since.
//! - [`Policy::settle`] is at least as long as an API server may use an old configuration, and as a kubelet may hand an old `Secret` to
//!   a starting pod.
//!
//! A replica that cannot be seen may still serve by the old authority, and holds back the drop for as long as a certificate of that
//! authority can be valid at all: until the authority expires. Trusting one more authority of our own until then costs nothing.

mod facts;

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::fingerprint::Fingerprint;
pub use facts::{AuthorityInfo, LeafInfo, Material, Published, Served};

/// How long things last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Of an authority. It is replaced when a third of that is left. One that was made to last longer is replaced as if it had been
    /// made to last this long: a shorter time is how a person asks for another authority.
    pub authority: SignedDuration,
    /// Of a serving certificate. It is renewed when a third of its own lifetime is left.
    pub serving: SignedDuration,
    /// How long a change takes to reach everybody who goes by it, at most.
    pub settle: SignedDuration,
}

/// What to do now. One step at a time: then look again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Make the first authority; create the `Secret`, never replace one.
    MakeAuthority,
    /// Make the authority that will follow the current one.
    MakeNext,
    /// Let every configuration trust exactly these.
    Publish(BTreeSet<Fingerprint>),
    /// Issue a serving pair by this authority.
    Issue(Fingerprint),
    /// The next authority becomes the current one; the old one is forgotten.
    Promote,
    /// Nothing to do before `until`; look again then.
    Wait {
        /// When something will change by itself; replicas may change earlier.
        until: Timestamp,
        /// What is waited for.
        reason: Waiting,
    },
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Waiting {
    /// All is well; the next renewal.
    Renewal,
    /// Everybody who goes by the configuration has the new bundle.
    BundleSettles,
    /// Every starting pod gets the new pair.
    PairSettles,
    /// A replica serves another pair, or cannot be seen.
    Replicas,
}

/// What to do, seeing this. `bundles` has one entry for each place that must trust us.
pub fn plan(now: Timestamp, policy: &Policy, material: &Material, bundles: &[Published], served: &Served) -> Step {
    let Some(current) = &material.current else { return Step::MakeAuthority };
    let trusted = material.trusted();
    if bundles.iter().any(|published| published.authorities != trusted) {
        return Step::Publish(trusted);
    }
    let leaf = material.leaf.as_ref();
    let Some(next) = &material.next else {
        let renewal = current.renewal(policy.authority);
        return if renewal <= now {
            Step::MakeNext
        } else {
            keep(now, policy, leaf, current, renewal, Waiting::Renewal)
        };
    };
    let is_by_next = leaf.is_some_and(|leaf| leaf.authority == Some(next.id));
    let trusted_at = bundles.iter().map(|published| published.since + policy.settle).max().unwrap_or(now);
    if !is_by_next && now < trusted_at {
        return keep(now, policy, leaf, current, trusted_at, Waiting::BundleSettles);
    }
    // Whatever it issued has expired with it.
    if current.not_after < now {
        return Step::Promote;
    }
    let Some(leaf) = leaf.filter(|_| is_by_next) else { return Step::Issue(next.id) };
    let settled_at = leaf.issued + policy.settle;
    if now < settled_at {
        return keep(now, policy, Some(leaf), next, settled_at, Waiting::PairSettles);
    }
    match served {
        Served::Replicas(replicas) if replicas.iter().all(|seen| *seen == Some(leaf.id)) => Step::Promote,
        _ => keep(now, policy, Some(leaf), next, current.not_after, Waiting::Replicas),
    }
}

/// Issues by `signer` what is missing, unfit or due; else waits, at most until then.
fn keep(
    now: Timestamp,
    policy: &Policy,
    leaf: Option<&LeafInfo>,
    signer: &AuthorityInfo,
    until: Timestamp,
    reason: Waiting,
) -> Step {
    let is_good = |leaf: &&LeafInfo| leaf.authority == Some(signer.id) && leaf.fits;
    let due = match leaf.filter(is_good) {
        None => now,
        // A certificate ends with its authority: near that end a new one would end no later, again and again.
        Some(leaf) if (now + policy.serving).min(signer.not_after) <= leaf.not_after => until,
        Some(leaf) => leaf.renewal(),
    };
    if due <= now && now < signer.not_after {
        Step::Issue(signer.id)
    } else {
        Step::Wait { until: if now < due { until.min(due) } else { until }, reason }
    }
}

#[cfg(test)]
mod enumeration;
#[cfg(test)]
mod tests;
