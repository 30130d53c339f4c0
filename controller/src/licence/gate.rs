//! What this process knows of licences, and its answer for one namespace.

use std::{
    collections::{BTreeSet, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use kube::{ResourceExt, runtime::reflector::ObjectRef};
use nsclass_shared::{
    config::Settings,
    licence::{Candidate, Decision, Facts, Found, GateMode, Record, Standing, State, SteadyClock, gate, places, state},
    names,
    runtime::Latch,
    scope::Verdict,
};
use tokio::{sync::Notify, time::Instant};

use crate::{
    clock::Clock,
    context::{Context, WatchedNamespace},
};

/// How long it is believed who has a place. Whoever comes in meanwhile is counted at once.
const PLACES_LAST: Duration = Duration::from_secs(1);

/// The gate of this process.
#[derive(Debug, Default)]
pub struct Gate {
    clock: Clock,
    known: Mutex<Known>,
    asked: Notify,
    in_office: Latch,
}

#[derive(Debug, Default)]
struct Known {
    found: Found,
    steady: SteadyClock,
    record: Record,
    places: Option<Places>,
    /// Let in by a pass that is under way, and not in their binding yet.
    let_in: HashSet<String>,
}

#[derive(Debug)]
struct Places {
    state: State,
    until: Instant,
    names: BTreeSet<String>,
}

impl Gate {
    /// By this clock; nothing is known yet.
    pub fn new(clock: Clock) -> Self {
        Self { clock, ..Self::default() }
    }

    /// The wall clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Whether a pass may go on, as a sentence why not; and when the gate was first on here. Asked for a namespace in scope alone. Until
    /// [`Self::pass_ended`] a place that it gives is taken.
    pub fn ask(&self, context: &Context, namespace: &WatchedNamespace) -> (Option<String>, Option<Timestamp>) {
        let settings = context.settings();
        let mode = settings.config.gate.mode;
        if mode == GateMode::None {
            return (None, None);
        }
        let mut known = self.known();
        let (decision, state) = self.decide(&mut known, context, &settings, namespace);
        let message = match decision {
            Decision::Held(why) => Some(why.message(&state)),
            Decision::Open => {
                if state.limit().is_some() {
                    known.let_in.insert(namespace.name_any());
                }
                None
            }
        };
        (message, known.record.first_start)
    }

    /// What [`Self::ask`] would find; nothing is taken.
    pub fn look(&self, context: &Context, name: &str) -> Decision {
        let Some(namespace) = context.namespaces.get(&ObjectRef::new(name)) else { return Decision::Open };
        self.decide(&mut self.known(), context, &context.settings(), &namespace).0
    }

    /// The pass over a namespace is over: its binding says whether it came in.
    pub fn pass_ended(&self, name: &str) {
        self.known().let_in.remove(name);
    }

    /// The state now.
    pub fn standing(&self) -> Standing {
        Self::standing_of(&mut self.known(), self.clock.now())
    }

    /// What was found, to be shown.
    pub fn found(&self) -> Found {
        self.known().found.clone()
    }

    /// Takes what the watch found.
    pub(super) fn take(&self, found: Found) {
        let mut known = self.known();
        known.found = found;
        known.places = None;
    }

    /// What must not be forgotten.
    pub(super) fn record(&self) -> Record {
        self.known().record
    }

    /// Takes what others know, or what is new.
    pub(super) fn remember(&self, record: Record) {
        let mut known = self.known();
        known.record = known.record.with(record);
        // Only forward: what this process has seen since counts too.
        let latest = known.record.expired_seen;
        let now = known.steady.read(self.clock.now());
        known.steady = SteadyClock::seen(latest.max(Some(now)));
    }

    /// The gate is off: nothing is kept of it.
    pub(super) fn forget(&self) {
        *self.known() = Known::default();
    }

    /// Asks for a look at once: the configuration has changed.
    pub fn look_again(&self) {
        self.asked.notify_one();
    }

    /// Waits until somebody asks for a look.
    pub(super) async fn asked(&self) {
        self.asked.notified().await;
    }

    /// Set when the leader has looked once, so that passes are decided by what is there.
    pub fn in_office(&self) -> &Latch {
        &self.in_office
    }

    fn decide(
        &self,
        known: &mut Known,
        context: &Context,
        settings: &Settings,
        namespace: &WatchedNamespace,
    ) -> (Decision, State) {
        let state = Self::standing_of(known, self.clock.now()).state;
        let mut facts = Facts {
            managed: is_managed(context, namespace),
            created: namespace.metadata.creation_timestamp.as_ref().map(|time| time.0),
            has_place: true,
        };
        if let Some(limit) = state.limit().filter(|_| !facts.managed) {
            let name = namespace.name_any();
            facts.has_place = known.let_in.contains(&name) || has_place(known, context, settings, &state, limit, &name);
        }
        (gate(settings.config.gate.mode, &state, known.record.first_start, facts), state)
    }

    fn standing_of(known: &mut Known, wall: Timestamp) -> Standing {
        let now = known.steady.read(wall);
        state(&known.found, now)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // No method leaves it half-changed when it panics.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Its binding names a class: it was let in.
fn is_managed(context: &Context, namespace: &WatchedNamespace) -> bool {
    context.bindings.read(&namespace.name_any(), |binding| !binding.spec.class_name.is_empty()).unwrap_or_default()
}

fn has_place(known: &mut Known, context: &Context, settings: &Settings, state: &State, limit: u32, name: &str) -> bool {
    let now = Instant::now();
    if let Some(places) = known.places.as_ref().filter(|places| places.until > now && places.state == *state) {
        return places.names.contains(name);
    }
    let scope = context.scope.handle().load_full();
    let frozen_at = state.frozen_at(known.record.first_start);
    let candidates = context.namespaces.state().into_iter().filter_map(|namespace| {
        let name = namespace.name_any();
        let asks = namespace.labels().get(names::CLASS_LABEL).is_some_and(|class| !class.is_empty());
        let managed = known.let_in.contains(&name) || is_managed(context, &namespace);
        let created = namespace.metadata.creation_timestamp.as_ref().map(|time| time.0);
        let is_old = frozen_at.is_none_or(|frozen_at| created.is_some_and(|created| created < frozen_at));
        let is_ours = scope.verdict(&name) == Verdict::InScope && !settings.is_reserved(&name);
        let counts = managed || (asks && is_old && namespace.metadata.deletion_timestamp.is_none());
        (is_ours && counts).then_some(Candidate { name, created, managed })
    });
    let names = places(limit, candidates);
    let has_place = names.contains(name);
    known.places = Some(Places { state: state.clone(), until: now + PLACES_LAST, names });
    has_place
}
