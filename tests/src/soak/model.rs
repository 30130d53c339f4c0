//! What must be there, and how many writes that can take.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use nsclass_shared::config::ControllerConfig;
use serde_json::Value;

use super::event::Event;
use super::pool::Item;
use crate::World;

const CLASSES: usize = 4;
/// Time between two writes of a class's status.
const STATUS_EVERY: Duration = Duration::from_secs(5);

/// An object on the server: kind, namespace (empty for the cluster's), name.
pub(super) type Key = (String, String, String);

#[derive(Debug, Clone)]
struct Class {
    items: Vec<Item>,
    revision: u32,
    there: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Namespace {
    there: bool,
    asks: Option<usize>,
}

/// The cluster as people left it.
#[derive(Debug)]
pub(super) struct Model {
    namespaces: Vec<Namespace>,
    classes: Vec<Class>,
    widgets: bool,
    writes: usize,
}

impl Model {
    pub(super) fn new(namespaces: usize) -> Self {
        let class = Class { items: Vec::new(), revision: 0, there: false };
        Self {
            namespaces: vec![Namespace::default(); namespaces],
            classes: vec![class; CLASSES],
            widgets: false,
            writes: 0,
        }
    }

    /// The next event, by the dice. It can be one that cannot happen just now.
    pub(super) fn draw(&self, dice: &mut Rng) -> Event {
        let namespace = dice.usize(..self.namespaces.len());
        let class = dice.usize(..CLASSES);
        let asks = (dice.u8(..10) > 1).then_some(class);
        if !self.classes[class].there && dice.u8(..4) == 0 {
            return self.edit(class, dice);
        }
        if !self.namespaces[namespace].there {
            return Event::Make(namespace, asks);
        }
        match dice.u8(..100) {
            0..45 => Event::Label(namespace, asks),
            45..52 => Event::Remove(namespace),
            52..58 => self.edit(class, dice),
            58..59 => Event::Delete(class),
            59..80 => Event::Tamper(namespace, dice.choice(Item::ALL).unwrap_or(Item::Settings)),
            80..98 => Event::Destroy(namespace, dice.choice(Item::ALL).unwrap_or(Item::Settings)),
            _ => Event::Widgets(!self.widgets),
        }
    }

    fn edit(&self, class: usize, dice: &mut Rng) -> Event {
        let mut items = Item::ALL.to_vec();
        dice.shuffle(&mut items);
        items.truncate(dice.usize(2..=5));
        Event::Edit(class, items, self.classes[class].revision + 1)
    }

    /// Takes what happened.
    pub(super) fn happen(&mut self, event: &Event) {
        self.writes += self.cost(event);
        match event {
            Event::Make(namespace, asks) | Event::Label(namespace, asks) => {
                self.namespaces[*namespace] = Namespace { there: true, asks: *asks };
            }
            Event::Remove(namespace) => self.namespaces[*namespace] = Namespace::default(),
            Event::Edit(class, items, revision) => {
                self.classes[*class] = Class { items: items.clone(), revision: *revision, there: true };
            }
            Event::Delete(class) => self.classes[*class].there = false,
            Event::Widgets(there) => self.widgets = *there,
            Event::Tamper(..) | Event::Destroy(..) | Event::Kill => {}
        }
    }

    /// What puts the cluster into a state in which labels alone say what must be there: every class and kind is back.
    pub(super) fn endings(&self) -> Vec<Event> {
        let mut endings = Vec::new();
        if !self.widgets {
            endings.push(Event::Widgets(true));
        }
        for (number, class) in self.classes.iter().enumerate().filter(|(_, class)| !class.there) {
            endings.push(Event::Edit(number, vec![Item::Policy, Item::Settings, Item::Reader], class.revision + 1));
        }
        endings
    }

    /// Whether a namespace should have an item.
    pub(super) fn has(&self, namespace: usize, item: Item) -> bool {
        self.class_of(namespace).is_some_and(|class| class.items.contains(&item))
    }

    /// What must be on the server, with its marks and nothing else.
    pub(super) fn expected(&self, world: &World) -> BTreeMap<Key, Value> {
        let mut expected = BTreeMap::new();
        for number in 0..self.namespaces.len() {
            let namespace = world.name(&namespace_name(number));
            for item in self.class_of(number).into_iter().flat_map(|class| class.items.iter().copied()) {
                let place = if item.is_cluster_scoped() { String::new() } else { namespace.clone() };
                let revision = self.class_of(number).map_or(0, |class| class.revision);
                expected.insert((item.resource().kind, place, item.name(&namespace)), item.essence(revision));
            }
        }
        expected
    }

    /// Writes that an operator needs at most for what happened in `elapsed`.
    pub(super) fn allowed_writes(&self, elapsed: Duration) -> usize {
        let statuses = elapsed.as_secs() / STATUS_EVERY.as_secs() + 1;
        self.writes + CLASSES * usize::try_from(statuses).unwrap_or(usize::MAX)
    }

    fn class_of(&self, namespace: usize) -> Option<&Class> {
        let class = &self.classes[self.namespaces[namespace].asks?];
        class.there.then_some(class)
    }

    fn namespaces_of(&self, class: usize) -> usize {
        self.namespaces.iter().filter(|namespace| namespace.asks == Some(class)).count()
    }

    /// An upper bound: everything that was there is deleted, everything that comes is applied, the binding is written before and after,
    /// and the finalizers of namespace and class come and go.
    fn cost(&self, event: &Event) -> usize {
        let whole = |items: usize| items + 6;
        let most = Item::ALL.len();
        match event {
            Event::Make(..) => whole(most),
            Event::Label(..) | Event::Remove(_) => whole(2 * most),
            Event::Edit(class, ..) | Event::Delete(class) => 2 + self.namespaces_of(*class) * whole(2 * most),
            Event::Tamper(..) | Event::Destroy(..) => 4,
            Event::Widgets(_) => 4 * self.namespaces.len(),
            // Each pass that it interrupts, one for each of the controller's workers, may repeat its writes.
            Event::Kill => usize::from(ControllerConfig::default().workers) * whole(most),
        }
    }
}

pub(super) fn namespace_name(number: usize) -> String {
    format!("n{number}")
}

pub(super) fn class_name(number: usize) -> String {
    format!("c{number}")
}
