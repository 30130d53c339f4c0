//! Objects that were seen different from their inventory entries, by namespace, until a pass has dealt with them.

use std::collections::{BTreeMap, HashMap};

use nsclass_shared::{
    api::InventoryEntry,
    identity::ObjectIdentity,
    plan::{Held, Report, Suspect},
};
use tokio::time::Instant;

use super::{
    Asked, Wake,
    fight::Fight,
    sighting::{Finding, Sighting},
};

/// All of them. Namespaces where everything is as recorded are not here.
#[derive(Debug, Default)]
pub(super) struct Suspects {
    namespaces: HashMap<String, Namespace>,
}

#[derive(Debug, Default)]
struct Namespace {
    suspects: BTreeMap<ObjectIdentity, Noted>,
    fights: BTreeMap<ObjectIdentity, Fight>,
    /// The last sighting of each object while a pass is under way, after one with additions of others, which may be hidden by now; none
    /// while there is no pass.
    held: Option<BTreeMap<ObjectIdentity, Vec<Sighting>>>,
}

#[derive(Debug, PartialEq)]
struct Noted {
    beside: Vec<Held>,
    trace: u64,
    /// A pass has it in hand. What is noted anew meanwhile is not.
    asked: bool,
    /// Its repair failed and is tried again with pauses, whatever else happens to it.
    failed: bool,
}

impl Suspects {
    /// A pass begins: what it looks at, and what is fought for.
    pub(super) fn begin(&mut self, namespace: &str, now: Instant) -> Asked {
        let here = self.namespaces.entry(namespace.to_owned()).or_default();
        here.held.get_or_insert_default();
        here.fights.retain(|_, fight| fight.over() > now);
        let mut asked = Asked::default();
        for (object, noted) in &mut here.suspects {
            noted.asked = true;
            let waits = here.fights.get(object).is_some_and(|fight| fight.due() > now);
            asked.suspects.insert(object.clone(), Suspect { beside: noted.beside.clone(), waits });
        }
        let fights = here.fights.iter().filter(|(_, fight)| fight.is_fight());
        asked.fights = fights.map(|(object, fight)| (object.clone(), fight.what().to_owned())).collect();
        asked
    }

    /// A pass ended. What was seen meanwhile is compared with the inventory that it left.
    pub(super) fn end(
        &mut self,
        namespace: &str,
        report: Option<&Report>,
        inventory: &[InventoryEntry],
        now: Instant,
    ) -> Option<Wake> {
        let here = self.namespaces.get_mut(namespace)?;
        for object in report.iter().flat_map(|report| &report.cleared) {
            if here.suspects.get(object).is_some_and(|noted| noted.asked) {
                here.suspects.remove(object);
            }
        }
        for object in report.iter().flat_map(|report| &report.failures).filter_map(|failure| failure.object.as_ref()) {
            if let Some(noted) = here.suspects.get_mut(object) {
                noted.failed = true;
            }
        }
        let mut wake = None;
        for repair in report.iter().flat_map(|report| &report.repairs).filter(|repair| repair.done) {
            match here.fights.get_mut(&repair.object) {
                Some(fight) => {
                    let was_fight = fight.is_fight();
                    fight.again(&repair.what, now);
                    // The condition is this pass's, which did not know yet.
                    if fight.is_fight() && !was_fight {
                        wake = Some(Wake::Now);
                    }
                }
                None => {
                    here.fights.insert(repair.object.clone(), Fight::new(&repair.what, now));
                }
            }
        }
        for (object, sightings) in here.held.take().unwrap_or_default() {
            if let Some(entry) = inventory.iter().find(|entry| entry.is(&object)) {
                for sighting in sightings {
                    wake = sooner(wake, here.note(&object, sighting.against(entry), now));
                }
            }
        }
        here.suspects.retain(|object, _| inventory.iter().any(|entry| entry.is(object)));
        here.fights.retain(|object, _| inventory.iter().any(|entry| entry.is(object)));
        let ends = here.fights.values().filter(|fight| fight.is_fight()).map(Fight::over);
        let dues = here.suspects.keys().filter_map(|object| here.fights.get(object)).map(Fight::due);
        let later = ends.chain(dues.filter(|due| *due > now)).min().map(Wake::At);
        if here.suspects.is_empty() && here.fights.is_empty() {
            self.namespaces.remove(namespace);
        }
        sooner(wake, later)
    }

    /// Keeps a sighting for the end of the pass that is under way; gives it back where there is none.
    pub(super) fn hold_while_passing(
        &mut self,
        namespace: &str,
        object: &ObjectIdentity,
        sighting: Sighting,
    ) -> Option<Sighting> {
        let Some(held) = self.namespaces.get_mut(namespace).and_then(|here| here.held.as_mut()) else {
            return Some(sighting);
        };
        let sightings = held.entry(object.clone()).or_default();
        sightings.retain(Sighting::shows_additions);
        sightings.truncate(1);
        sightings.push(sighting);
        None
    }

    /// Notes what a sighting means; returns when somebody should look.
    pub(super) fn note(
        &mut self,
        namespace: &str,
        object: &ObjectIdentity,
        finding: Finding,
        now: Instant,
    ) -> Option<Wake> {
        if finding == Finding::AsRecorded && !self.namespaces.contains_key(namespace) {
            return None;
        }
        self.namespaces.entry(namespace.to_owned()).or_default().note(object, finding, now)
    }

    /// The namespace has nothing of ours any more.
    pub(super) fn forget(&mut self, namespace: &str) {
        self.namespaces.remove(namespace);
    }
}

impl Namespace {
    fn note(&mut self, object: &ObjectIdentity, finding: Finding, now: Instant) -> Option<Wake> {
        let known = self.suspects.get(object);
        let failed = known.is_some_and(|noted| noted.failed);
        let (beside, trace) = match finding {
            // It was different and is no longer: a condition may say otherwise.
            Finding::AsRecorded => known.filter(|noted| noted.trace != 0).map(|noted| (noted.beside.clone(), 0))?,
            Finding::Suspect { trace, .. } if known.is_some_and(|noted| noted.trace == trace) => return None,
            Finding::Suspect { beside, trace } => (beside, trace),
        };
        self.suspects.insert(object.clone(), Noted { beside, trace, asked: false, failed });
        if failed {
            return None;
        }
        match self.fights.get(object).map(Fight::due) {
            Some(due) if due > now => Some(Wake::At(due)),
            _ => Some(Wake::Now),
        }
    }
}

fn sooner(a: Option<Wake>, b: Option<Wake>) -> Option<Wake> {
    match (a, b) {
        (Some(Wake::At(a)), Some(Wake::At(b))) => Some(Wake::At(a.min(b))),
        (Some(Wake::Now), _) | (_, Some(Wake::Now)) => Some(Wake::Now),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests;
