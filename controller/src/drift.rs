//! Drift: who changed or deleted an object of ours is noticed at once (class.md C34, C35).
//!
//! ```text
//! bindings ──inventories──▶ in_use ──kinds──▶ watches (one per kind, metadata alone, our label alone)
//!                                                 │ sightings
//!                         inventory of the namespace ◀── compared ──▶ suspects ──▶ a pass that looks at them
//! ```
//! A sighting is compared with the inventory at once and forgotten: nothing is kept of objects that are as they should be. What
//! differs becomes a suspect of its namespace until a pass has found it as recorded, or set it back. The events of our own writes are no
//! drift: while a pass is under way they wait for its end, when the inventory says what it wrote.

mod fight;
mod in_use;
mod listing;
mod manage;
mod seen;
mod sighting;
mod suspects;
mod watch;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use nsclass_shared::{
    api::{BindingStatus, InventoryEntry},
    identity::ObjectIdentity,
    plan::{Report, Suspect},
};
use tokio::{sync::watch::Sender, time::Instant};

use in_use::InUse;
use sighting::Sighting;
use suspects::Suspects;

pub use manage::watch_kinds;
pub use watch::wake_up;

/// When a namespace is to be looked at because of what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// At once.
    Now,
    /// Not before.
    At(Instant),
}

/// What drift asks of one pass.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// What it looks at.
    pub suspects: BTreeMap<ObjectIdentity, Suspect>,
    /// What is fought for.
    pub fights: BTreeMap<ObjectIdentity, String>,
}

/// The state of all this. Losing it costs a list of each kind, never correctness.
#[derive(Debug, Default)]
pub struct Drift {
    in_use: Mutex<InUse>,
    suspects: Mutex<Suspects>,
    /// Counts up when the kinds in use change.
    kinds_changed: Sender<u64>,
    /// By API group: counts up when a definition of the group came, went or changed.
    groups_changed: Sender<HashMap<String, u64>>,
}

impl Drift {
    /// The inventory of a namespace is this now; empty when it has none any more.
    pub fn inventory_is(&self, namespace: &str, inventory: &[InventoryEntry]) {
        if lock(&self.in_use).set(namespace, inventory) {
            self.kinds_changed.send_modify(|count| *count += 1);
        }
    }

    /// The kinds of this group may be served differently now.
    pub fn group_changed(&self, group: &str) {
        self.groups_changed.send_modify(|groups| *groups.entry(group.to_owned()).or_default() += 1);
    }

    /// A pass over this namespace begins.
    pub fn pass_begins(&self, namespace: &str) -> Asked {
        lock(&self.suspects).begin(namespace, Instant::now())
    }

    /// It ended, with this inventory in the binding; without a report it did nothing. Returns when the next one is due.
    pub fn pass_ended(&self, namespace: &str, report: Option<&Report>, status: Option<&BindingStatus>) -> Option<Wake> {
        let inventory = status.map_or(&[][..], |status| &status.inventory);
        lock(&self.suspects).end(namespace, report, inventory, Instant::now())
    }

    /// The namespace has nothing of ours any more.
    pub fn forget(&self, namespace: &str) {
        lock(&self.suspects).forget(namespace);
    }

    /// A watch saw this. Returns whether somebody should look.
    fn sighted(
        &self,
        namespace: &str,
        object: &ObjectIdentity,
        sighting: Sighting,
        inventory: impl FnOnce() -> Option<InventoryEntry>,
    ) -> Option<Wake> {
        let sighting = lock(&self.suspects).hold_while_passing(namespace, object, sighting)?;
        // The inventory is read after that: a pass that has ended since has written down what it did.
        let entry = inventory()?;
        let finding = sighting.against(&entry);
        lock(&self.suspects).note(namespace, object, finding, Instant::now())
    }

    /// The namespace that a cluster-scoped object was made for.
    fn owner_of(&self, object: &ObjectIdentity) -> Option<String> {
        lock(&self.in_use).owner_of(object)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No method leaves its value half-changed when it panics.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
