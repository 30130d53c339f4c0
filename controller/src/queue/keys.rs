//! Which key is next: urgent ones first, then flow after flow, and nobody for ever last.

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    sync::Arc,
};

use tokio::time::Instant;

/// Urgent keys taken in a row while others wait; then one of the others has its turn. A flood of urgent keys (a script that relabels
/// everything) thus slows the rest down, and never stops it.
pub(super) const URGENT_IN_A_ROW: u32 = 4;
/// The flow of keys that came due: retries and periodic passes.
const DUE: &str = "";

/// Where a key waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Before all flows: somebody waits for just this one.
    Urgent,
    /// With all others of one cause, such as the edit of one class. Flows take turns, so ten keys of one are not behind ten
    /// thousand of another.
    Flow(Arc<str>),
}

/// The keys that wait, are worked on, or are due later.
#[derive(Debug, Default)]
pub struct Keys {
    open: bool,
    urgent: VecDeque<String>,
    /// None is empty. A key that became urgent leaves its place here behind; it counts for nothing then.
    flows: HashMap<Arc<str>, VecDeque<String>>,
    /// Every flow once; the first is next.
    turns: VecDeque<Arc<str>>,
    waiting: HashMap<String, Lane>,
    working: HashSet<String>,
    /// Added while being worked on.
    again: HashMap<String, Lane>,
    due: HashMap<String, Instant>,
    by_time: BTreeSet<(Instant, String)>,
    /// Urgent keys taken since a flow had its turn.
    urgent_taken: u32,
}

impl Keys {
    /// From now on keys are taken.
    pub fn open(&mut self) {
        self.open = true;
    }

    /// Adds a key that is due now and urgent, also where it waits in a flow. It no longer waits for a later time.
    pub fn add(&mut self, key: &str) {
        self.put(key, Lane::Urgent);
    }

    /// Adds a key that is due now, behind the others of `flow`. One that waits already stays where it is.
    pub fn add_to(&mut self, flow: &str, key: &str) {
        let lane = match self.flows.get_key_value(flow) {
            Some((flow, _)) => flow.clone(),
            None => flow.into(),
        };
        self.put(key, Lane::Flow(lane));
    }

    /// Adds a key for later. Of two times the earlier one counts; a key that is queued already needs none.
    pub fn add_at(&mut self, key: &str, at: Instant) {
        let is_queued = self.waiting.contains_key(key) || self.again.contains_key(key);
        if !self.open || is_queued || self.due.get(key).is_some_and(|due| *due <= at) {
            return;
        }
        self.forget_due(key);
        self.due.insert(key.to_owned(), at);
        self.by_time.insert((at, key.to_owned()));
    }

    /// The next key to work on; it is being worked on until [`Self::done`].
    pub fn take(&mut self, now: Instant) -> Option<String> {
        while self.by_time.first().is_some_and(|(at, _)| *at <= now) {
            if let Some((_, key)) = self.by_time.pop_first() {
                self.add_to(DUE, &key);
            }
        }
        let key = if self.urgent_taken < URGENT_IN_A_ROW {
            self.take_urgent().or_else(|| self.take_from_flow())
        } else {
            self.take_from_flow().or_else(|| self.take_urgent())
        }?;
        self.waiting.remove(&key);
        self.working.insert(key.clone());
        Some(key)
    }

    /// The work on a key is over.
    pub fn done(&mut self, key: &str) {
        self.working.remove(key);
        if let Some(lane) = self.again.remove(key) {
            self.put(key, lane);
        }
    }

    /// When the next key of later is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// Keys that could be worked on now.
    pub fn depth(&self) -> usize {
        self.waiting.len() + self.again.len()
    }

    fn put(&mut self, key: &str, lane: Lane) {
        if !self.open {
            return;
        }
        self.forget_due(key);
        let is_working = self.working.contains(key);
        let places = if is_working { &mut self.again } else { &mut self.waiting };
        match places.get(key) {
            Some(Lane::Urgent) => return,
            Some(Lane::Flow(_)) if lane != Lane::Urgent => return,
            _ => {}
        }
        places.insert(key.to_owned(), lane.clone());
        if is_working {
            return;
        }
        match lane {
            Lane::Urgent => self.urgent.push_back(key.to_owned()),
            Lane::Flow(flow) => {
                let keys = self.flows.entry(flow.clone()).or_insert_with(|| {
                    self.turns.push_back(flow);
                    VecDeque::new()
                });
                keys.push_back(key.to_owned());
            }
        }
    }

    fn take_urgent(&mut self) -> Option<String> {
        let key = self.urgent.pop_front()?;
        self.urgent_taken += 1;
        Some(key)
    }

    fn take_from_flow(&mut self) -> Option<String> {
        self.urgent_taken = 0;
        loop {
            let flow = self.turns.pop_front()?;
            let mut key = None;
            if let Some(keys) = self.flows.get_mut(&flow) {
                let is_here = |key: &String| matches!(self.waiting.get(key), Some(Lane::Flow(here)) if *here == flow);
                while let Some(first) = keys.pop_front() {
                    if is_here(&first) {
                        key = Some(first);
                        break;
                    }
                }
                if keys.is_empty() {
                    self.flows.remove(&flow);
                } else {
                    self.turns.push_back(flow);
                }
            }
            if key.is_some() {
                return key;
            }
        }
    }

    fn forget_due(&mut self, key: &str) {
        if let Some(at) = self.due.remove(key) {
            self.by_time.remove(&(at, key.to_owned()));
        }
    }
}
