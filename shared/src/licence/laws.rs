//! No sequence of licences, clocks and restarts lets in more than one of the licences did, or drops a namespace that was managed.
//!
//! The world here keeps what a cluster keeps (documents, namespaces, which of them are managed, the record), and forgets at a restart what
//! a process forgets. What is allowed is said again in other words than the gate's: see [`World::is_allowed`].

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::{
    Candidate, Decision, Facts, Found, GateMode, Licence, Record, State, SteadyClock, Terms, gate, places, state,
};

#[derive(Clone, Debug)]
enum Event {
    /// A licence that begins so many minutes from now and lasts so long, for so many.
    Issue(i64, i64, Option<u32>),
    /// One of the documents goes.
    Withdraw(usize),
    Create,
    Delete(usize),
    /// The wall clock goes on, or back, by so many minutes.
    Clock(i64),
    /// All that the process remembers is lost.
    Restart,
    /// Every namespace is looked at.
    Pass,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (-60_i64..60, 1_i64..240, proptest::option::of(1_u32..5))
            .prop_map(|(from, lasts, limit)| Event::Issue(from, lasts, limit)),
        (0_usize..4).prop_map(Event::Withdraw),
        Just(Event::Create),
        (0_usize..8).prop_map(Event::Delete),
        (0_i64..120).prop_map(Event::Clock),
        (-60_i64..0).prop_map(Event::Clock),
        Just(Event::Restart),
        Just(Event::Pass),
        Just(Event::Pass),
    ]
}

struct World {
    mode: GateMode,
    wall: Timestamp,
    /// The API server's clock, which is right.
    true_time: Timestamp,
    clock: SteadyClock,
    record: Record,
    found: Found,
    /// All that ever were.
    issued: Vec<Licence>,
    /// By name: created, and managed.
    namespaces: BTreeMap<String, (Timestamp, bool)>,
    made: usize,
    last: Option<State>,
    expiries: usize,
}

impl World {
    fn new(mode: GateMode) -> Self {
        let start = Timestamp::from_second(1_000_000).unwrap();
        let record = Record { first_start: Some(start), expired_seen: None };
        let (found, clock) = (Found::default(), SteadyClock::default());
        let mut world = Self {
            mode,
            wall: start,
            true_time: start,
            clock,
            record,
            found,
            issued: vec![],
            namespaces: BTreeMap::new(),
            made: 0,
            last: None,
            expiries: 0,
        };
        for age in 1..3 {
            world.namespaces.insert(format!("old{age}"), (start - SignedDuration::from_mins(age), false));
        }
        world
    }

    /// In other words: a licence that is there lets it in now, or did when it was made; or it was there at the first start, and no licence
    /// is there at all. And there is a place under that licence.
    fn is_allowed(&self, now: Timestamp, created: Timestamp) -> bool {
        let managed = self.namespaces.values().filter(|(_, managed)| *managed).count();
        let has_place = |l: &Licence| l.terms.namespaces.is_none_or(|limit| managed < limit as usize);
        let present = || self.found.licences.iter().map(|(_, licence)| licence);
        let valid = present().any(|l| l.terms.not_before <= now && now < l.terms.expiry && has_place(l));
        let was = present().any(|l| l.terms.expiry <= now && created < l.terms.expiry && has_place(l));
        valid || was || Some(created) < self.record.first_start
    }

    fn pass(&mut self) -> Result<(), TestCaseError> {
        let now = self.clock.read(self.wall);
        let state = state(&self.found, now).state;
        let expires = matches!(state, State::Expired(_)) && matches!(self.last, Some(State::Valid(_)));
        self.expiries += usize::from(expires);
        self.record = self.record.with_state(&state, now);
        self.last = Some(state.clone());
        for name in self.namespaces.keys().cloned().collect::<Vec<_>>() {
            let (created, managed) = self.namespaces[&name];
            let frozen = state.frozen_at(self.record.first_start);
            let candidates = self.namespaces.iter().map(|(name, (created, managed))| Candidate {
                name: name.clone(),
                created: Some(*created),
                managed: *managed,
            });
            let candidates = candidates.filter(|c| c.managed || frozen.is_none_or(|frozen| c.created < Some(frozen)));
            let has_place = state.limit().is_none_or(|limit| places(limit, candidates).contains(&name));
            let decision =
                gate(self.mode, &state, self.record.first_start, Facts { managed, created: Some(created), has_place });
            if managed {
                let may_wait = self.mode == GateMode::Strict && !state.is_valid();
                prop_assert_eq!(
                    decision != Decision::Open,
                    may_wait,
                    "{} was managed: {:?} in {:?}",
                    name,
                    decision,
                    state
                );
            } else if decision == Decision::Open {
                prop_assert!(
                    self.is_allowed(now, created),
                    "{} comes in, made {}, at {} in {:?}",
                    name,
                    created,
                    now,
                    state
                );
                if let Some(place) = self.namespaces.get_mut(&name) {
                    place.1 = true;
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, event: &Event) -> Result<(), TestCaseError> {
        let minutes = SignedDuration::from_mins;
        match event {
            Event::Issue(from, lasts, namespaces) => {
                let not_before = self.wall + minutes(*from);
                let terms = Terms {
                    holder: "h".into(),
                    not_before,
                    expiry: not_before + minutes(*lasts),
                    namespaces: *namespaces,
                };
                let licence = Licence { terms, id: format!("{}", self.issued.len()), key: "k".into() };
                self.issued.push(licence.clone());
                self.found.licences.push((licence.id.clone(), licence));
            }
            Event::Withdraw(index) => {
                if *index < self.found.licences.len() {
                    self.found.licences.remove(*index);
                }
            }
            Event::Create => {
                self.made += 1;
                self.namespaces.insert(format!("n{:03}", self.made), (self.true_time, false));
            }
            Event::Delete(index) => {
                if let Some(name) = self.namespaces.keys().nth(*index).cloned() {
                    self.namespaces.remove(&name);
                }
            }
            Event::Clock(by) => {
                self.wall += minutes(*by);
                self.true_time += minutes((*by).max(0));
            }
            Event::Restart => {
                self.clock = SteadyClock::seen(self.record.expired_seen);
                self.last = None;
            }
            Event::Pass => self.pass()?,
        }
        Ok(())
    }
}

proptest! {
    #[test]
    fn s60_s62_no_sequence_lets_in_more_than_a_licence_did_or_drops_what_was_managed(
        strict in any::<bool>(),
        events in proptest::collection::vec(event(), 1..60),
    ) {
        let mut world = World::new(if strict { GateMode::Strict } else { GateMode::Hybrid });
        for event in &events {
            world.take(event)?;
        }
        world.pass()?;
    }

    #[test]
    fn s60_a_clock_an_hour_back_lets_no_licence_expire_twice(moves in proptest::collection::vec((-60_i64..90, any::<bool>()), 1..60)) {
        let mut world = World::new(GateMode::Hybrid);
        world.take(&Event::Issue(0, 100, None))?;
        let mut latest = world.wall;
        for (by, restarts) in moves {
            // At most an hour behind what it ever showed.
            let wall = (world.wall + SignedDuration::from_mins(by)).max(latest - SignedDuration::from_hours(1));
            latest = latest.max(wall);
            world.wall = wall;
            world.pass()?;
            if restarts {
                world.take(&Event::Restart)?;
            }
        }
        prop_assert!(world.expiries <= 1, "it expired {} times", world.expiries);
    }
}
