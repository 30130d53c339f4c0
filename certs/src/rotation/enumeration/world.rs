//! The model's world: what is stored, who uses what, and what can happen without a leader.

use super::leader::{Leader, Rules};

/// Authorities there may be. The last one stays fresh, so that the world is finite.
const MAX_AUTHORITIES: usize = 3;
/// Pairs that may be issued.
const MAX_PAIRS: usize = 7;

/// The `Secret` of the authorities, by number; 0 is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Ca {
    pub(super) current: u8,
    pub(super) next: u8,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Age {
    #[default]
    Fresh,
    Aging,
    Expired,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct World {
    pub(super) ca: Ca,
    pub(super) ages: [Age; MAX_AUTHORITIES],
    /// The last pair issued, by number; 0 is none.
    pub(super) serial: u8,
    /// Who issued each pair.
    issuers: [u8; MAX_PAIRS],
    /// Whether the last pair is due for renewal. Happens once to the pairs of one authority.
    pub(super) is_leaf_aging: bool,
    aged: u8,
    /// Pairs before the last that a kubelet may still hand to a starting pod, as a bit mask.
    pub(super) old_pairs: u8,
    /// Whom the configuration trusts, as a bit mask; none while it is not there.
    pub(super) published: Option<u8>,
    /// Whom the slowest API server trusts.
    pub(super) in_force: Option<u8>,
    /// The pair that each replica serves; 0 while it is down.
    pub(super) replicas: [u8; 2],
    leaders: [Leader; 2],
    size: Size,
}

/// How much of a world there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Size {
    pub(super) leaders: u8,
    pub(super) replicas: u8,
    /// How many authorities grow old, at most two.
    pub(super) rotations: u8,
}

impl World {
    pub(super) fn new(size: Size) -> Self {
        Self {
            ca: Ca::default(),
            ages: [Age::Fresh; MAX_AUTHORITIES],
            serial: 0,
            issuers: [0; MAX_PAIRS],
            is_leaf_aging: false,
            aged: 0,
            old_pairs: 0,
            published: None,
            in_force: None,
            replicas: [0; 2],
            leaders: [Leader::IDLE; 2],
            size,
        }
    }

    pub(super) fn issuer(&self, serial: u8) -> Option<u8> {
        self.issuers.get(usize::from(serial.checked_sub(1)?)).copied()
    }

    pub(super) fn issue(&mut self, by: u8) {
        self.old_pairs |= if self.serial == 0 { 0 } else { 1 << self.serial };
        self.issuers[usize::from(self.serial)] = by;
        self.serial += 1;
        self.is_leaf_aging = false;
    }

    /// The law: a certificate that is served and has not expired verifies under every bundle that may be in use.
    pub(super) fn check(&self) -> Result<(), String> {
        for serial in self.replicas.into_iter().filter(|serial| *serial != 0) {
            let by = self.issuer(serial).unwrap_or_default();
            let is_expired = self.ages[usize::from(by) - 1] == Age::Expired;
            let trusts = |bundle: Option<u8>| bundle.is_none_or(|mask| mask & (1 << by) != 0);
            if is_expired || (trusts(self.published) && trusts(self.in_force)) {
                continue;
            }
            return Err(format!("pair {serial} of authority {by} is served and not trusted: {self:?}"));
        }
        Ok(())
    }

    pub(super) fn is_at_rest_with(&self, authority: u8) -> bool {
        let alone = Some(1 << authority);
        self.ca == Ca { current: authority, next: 0 }
            && self.issuer(self.serial) == Some(authority)
            && (self.published, self.in_force) == (alone, alone)
    }

    /// Every world that can follow this one.
    pub(super) fn successors(&self, rules: Rules) -> Vec<Self> {
        let mut all = Vec::with_capacity(16);
        for index in 0..usize::from(self.size.leaders) {
            if let Some((leader, mut world)) = self.leaders[index].step(self, rules) {
                world.leaders[index] = leader;
                all.push(world);
            }
            // It crashes, or what it sent is lost.
            self.with(&mut all, |world| world.leaders[index] = Leader::IDLE);
        }
        for (index, replica) in self.replicas.into_iter().enumerate().take(usize::from(self.size.replicas)) {
            let mut serve = |serial: u8| self.with(&mut all, |world| world.replicas[index] = serial);
            serve(0);
            serve(self.serial);
            (1..8).filter(|serial| replica == 0 && self.old_pairs & (1 << serial) != 0).for_each(serve);
        }
        self.with(&mut all, |world| world.in_force = world.published);
        self.with(&mut all, |world| world.old_pairs = 0);
        let current = self.ca.current;
        if current != 0 && current <= self.size.rotations {
            self.with(&mut all, |world| {
                let age = &mut world.ages[usize::from(current) - 1];
                *age = if *age == Age::Fresh { Age::Aging } else { Age::Expired };
            });
        }
        let by = self.issuer(self.serial).unwrap_or_default();
        // That takes far longer than kubelets need.
        if by != 0 && self.aged & (1 << by) == 0 && self.old_pairs == 0 {
            self.with(&mut all, |world| (world.is_leaf_aging, world.aged) = (true, world.aged | 1 << by));
        }
        // Which leader or replica is which does not matter.
        for world in &mut all {
            world.replicas.sort_unstable();
            world.replicas[..].reverse();
            world.leaders[..usize::from(self.size.leaders)].sort_unstable();
        }
        all
    }

    fn with(&self, all: &mut Vec<Self>, change: impl FnOnce(&mut Self)) {
        let mut world = *self;
        change(&mut world);
        all.push(world);
    }

    /// The same world when nothing happens for a while but what always does.
    pub(super) fn undisturbed(mut self) -> Self {
        self.leaders = [Leader::IDLE; 2];
        self.in_force = self.published;
        self.old_pairs = 0;
        self.replicas = self.replicas.map(|replica| if replica == 0 { 0 } else { self.serial });
        self
    }

    /// A leader alone gets there in a few writes.
    pub(super) fn come_to_rest(self, rules: Rules) -> Result<(), String> {
        let mut world = self;
        for _ in 0..40 {
            let Some((leader, mut next)) = world.leaders[0].step(&world, rules) else {
                let current = world.ca.current;
                let is_fresh = world.ages[usize::from(current) - 1] == Age::Fresh;
                return if is_fresh && world.is_at_rest_with(current) && !world.is_leaf_aging {
                    Ok(())
                } else {
                    Err(format!("waits for ever in {world:?}, after {self:?}"))
                };
            };
            let wrote = leader == Leader::IDLE;
            next.leaders[0] = leader;
            world = if wrote { next.undisturbed() } else { next };
        }
        Err(format!("never comes to rest after {self:?}"))
    }
}
