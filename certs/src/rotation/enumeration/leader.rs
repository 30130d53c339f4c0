//! A leader in the model: what it has seen so far, and the write that it sent.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::world::{Age, Ca, World};
use crate::{
    fingerprint::Fingerprint,
    rotation::{AuthorityInfo, LeafInfo, Material, Policy, Published, Served, Step, plan},
};

const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);
const POLICY: Policy = Policy {
    authority: SignedDuration::from_secs(900),
    serving: SignedDuration::from_secs(300),
    settle: SignedDuration::from_secs(10),
};

/// What the caller of the plan keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rules {
    /// Configurations are looked at before the pair, and the pair before the authorities; else the other way round.
    pub(super) order: bool,
    /// A write fails if its object has changed since the look.
    pub(super) guards: bool,
    /// A change counts as settled only when everybody has it.
    pub(super) settle: bool,
}

/// The configuration as it was looked at: whom it trusts, and whether that had settled.
type SeenBundle = (Option<u8>, bool);

/// A leader, or a delayed write of one that is gone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Leader {
    bundle: Option<SeenBundle>,
    pair: Option<u8>,
    ca: Option<Ca>,
    write: Option<Write>,
}

/// A write on its way; what it was decided by is in the leader's looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Write {
    Ca(Ca),
    Bundle(u8),
    Issue(u8),
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looking {
    Bundle,
    Pair,
    Ca,
}

impl Looking {
    const ORDER: [Self; 3] = [Self::Bundle, Self::Pair, Self::Ca];

    fn is_done(self, leader: &Leader) -> bool {
        match self {
            Self::Bundle => leader.bundle.is_some(),
            Self::Pair => leader.pair.is_some(),
            Self::Ca => leader.ca.is_some(),
        }
    }
}

impl Leader {
    pub(super) const IDLE: Self = Self { bundle: None, pair: None, ca: None, write: None };

    /// One step of this leader: a look, a decision, or the arrival of its write. None if it only waits.
    pub(super) fn step(mut self, world: &World, rules: Rules) -> Option<(Self, World)> {
        if let Some(write) = self.write {
            return Some((Self::IDLE, self.arrive(write, *world, rules)));
        }
        let mut order = Looking::ORDER;
        if !rules.order {
            order.reverse();
        }
        match order.into_iter().find(|look| !look.is_done(&self)) {
            Some(Looking::Bundle) => {
                let is_settled = !rules.settle || world.in_force == world.published;
                self.bundle = Some((world.published, is_settled));
            }
            Some(Looking::Pair) => self.pair = Some(world.serial),
            Some(Looking::Ca) => self.ca = Some(world.ca),
            None => self.write = Some(self.decide(world, rules)?),
        }
        Some((self, *world))
    }

    /// The plan's step, as a write; none if it waits.
    fn decide(&self, world: &World, rules: Rules) -> Option<Write> {
        let ((bundle, is_settled), serial, ca) = (self.bundle?, self.pair?, self.ca?);
        let material = Material {
            current: authority(ca.current, world),
            next: authority(ca.next, world),
            leaf: leaf(serial, ca, world, rules),
        };
        let since = if is_settled { NOW - POLICY.settle } else { NOW };
        // A configuration that is not there trusts nobody: it is made with its first bundle.
        let bundles = [Published { authorities: members(bundle.unwrap_or_default()), since }];
        let served = world.replicas.iter().filter(|serial| **serial != 0).map(|serial| Some(id(*serial))).collect();
        match plan(NOW, &POLICY, &material, &bundles, &Served::Replicas(served)) {
            Step::MakeAuthority => Some(Write::Ca(Ca { current: 1, next: 0 })),
            Step::MakeNext => Some(Write::Ca(Ca { next: ca.current + 1, ..ca })),
            Step::Promote => Some(Write::Ca(Ca { current: ca.next, next: 0 })),
            Step::Publish(authorities) => Some(Write::Bundle(mask(&authorities))),
            Step::Issue(by) => Some(Write::Issue(by.0[0])),
            Step::Wait { .. } => None,
        }
    }

    fn arrive(&self, write: Write, mut world: World, rules: Rules) -> World {
        let is_fresh = match write {
            // Nobody ever replaces what may not be replaced: the first authority is only ever created.
            Write::Ca(_) if self.ca == Some(Ca::default()) => world.ca == Ca::default(),
            Write::Ca(_) => !rules.guards || self.ca == Some(world.ca),
            Write::Bundle(_) => !rules.guards || self.bundle.is_some_and(|(seen, _)| seen == world.published),
            Write::Issue(_) => !rules.guards || self.pair == Some(world.serial),
        };
        if is_fresh {
            match write {
                Write::Ca(ca) => world.ca = ca,
                Write::Bundle(bundle) => world.published = Some(bundle),
                Write::Issue(by) => world.issue(by),
            }
        }
        world
    }
}

fn id(number: u8) -> Fingerprint {
    Fingerprint([number; 32])
}

fn members(mask: u8) -> BTreeSet<Fingerprint> {
    (1..8).filter(|number| mask & (1 << number) != 0).map(id).collect()
}

fn mask(members: &BTreeSet<Fingerprint>) -> u8 {
    members.iter().fold(0, |mask, id| mask | (1 << id.0[0]))
}

fn ago(seconds: i64) -> Timestamp {
    NOW - SignedDuration::from_secs(seconds)
}

fn authority(number: u8, world: &World) -> Option<AuthorityInfo> {
    let issued = match world.ages.get(usize::from(number.checked_sub(1)?))? {
        Age::Fresh => ago(100),
        Age::Aging => ago(700),
        Age::Expired => ago(1000),
    };
    Some(AuthorityInfo { id: id(number), issued, not_after: issued + POLICY.authority })
}

fn leaf(serial: u8, ca: Ca, world: &World, rules: Rules) -> Option<LeafInfo> {
    let by = world.issuer(serial)?;
    // Of an older pair than the last, whatever lets most through is assumed.
    let is_last = serial == world.serial;
    let issued = match () {
        () if is_last && world.is_leaf_aging => ago(250),
        () if !is_last || world.old_pairs == 0 || !rules.settle => ago(20),
        () => ago(1),
    };
    let until = authority(by, world).map_or(NOW, |authority| authority.not_after);
    Some(LeafInfo {
        id: id(serial),
        authority: [ca.current, ca.next].contains(&by).then(|| id(by)),
        issued,
        not_after: (issued + POLICY.serving).min(until),
        fits: true,
    })
}
