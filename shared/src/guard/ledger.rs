//! The memory of one class: what was let through lately, and what is held.

use std::collections::{HashMap, HashSet, VecDeque};

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::{Loss, WINDOW, limit};
use crate::api::{GuardCause, GuardHeld, GuardPassed, GuardStatus};

/// How old a record may be and still stand for what happens now; for so much longer it is believed.
const RECORD_AGE: SignedDuration = SignedDuration::from_mins(1);

/// What is known of the class when a namespace asks.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// UID of the class; empty where it is absent.
    pub class_uid: &'a str,
    /// Its annotation `nsclass.io/confirm-delete`.
    pub confirmed: Option<&'a str>,
    /// Its `status.guard`.
    pub status: &'a GuardStatus,
    /// How many bindings name the class now.
    pub bound: usize,
}

/// Whether a namespace may lose its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It may, and is counted.
    Pass,
    /// It may once this is in the class's status: write it, say [`Ledger::recorded`], and ask again.
    RecordFirst(GuardPassed),
    /// It keeps them.
    Wait(Waits),
}

/// What a namespace that keeps its objects waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// A confirmation, or the end of the change.
    Confirmation,
    /// Room in the window, which there may be at that time.
    Until(Timestamp),
}

/// The ledger of one class. Whoever asks holds a lock over the question and the write that it may call for, so that two passes never
/// share the last place. Every question costs constant time, whatever the number of namespaces.
#[derive(Debug, Default)]
pub struct Ledger {
    /// What passed within the window, oldest first.
    recent: VecDeque<(Timestamp, Change)>,
    /// How many of `recent` belong to each change.
    by_change: HashMap<Change, usize>,
    /// What passed, by namespace, so that one that asks again is not counted again.
    passed: HashMap<String, Loss>,
    /// Who keeps its objects, by what would take them.
    waiting: HashMap<Change, HashSet<String>>,
    /// Changes that wait for a confirmation.
    latched: HashSet<Change>,
    /// The record in the class's status, as far as we know.
    record: Option<GuardPassed>,
    /// What a process before us recorded.
    inherited: Option<GuardPassed>,
    /// Most bindings seen since the window was last empty: those that left are not there to be counted.
    bound: usize,
}

/// What losses are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Change {
    /// Of that generation.
    Edit(i64),
    Deletion,
    /// All labels lost in a row: nobody can tell one slip from the next.
    Labels,
}

impl Change {
    fn of(loss: &Loss) -> Self {
        match loss {
            Loss::ClassEdited { generation } => Self::Edit(*generation),
            Loss::ClassDeleted => Self::Deletion,
            Loss::LabelLost { .. } => Self::Labels,
        }
    }
}

impl Ledger {
    /// Begins with what the class's status records.
    pub fn inherit(status: &GuardStatus) -> Self {
        Self { inherited: status.passed.clone(), record: status.passed.clone(), ..Self::default() }
    }

    /// Asks whether the namespace may lose its objects now. It is counted when the answer is [`Answer::Pass`], and never twice for the
    /// same loss. A confirmed loss passes uncounted.
    pub fn ask(&mut self, namespace: &str, loss: &Loss, facts: Facts<'_>, now: Timestamp) -> Answer {
        if loss.is_confirmed(facts.class_uid, facts.confirmed, &facts.status.held) {
            self.settled(namespace);
            return Answer::Pass;
        }
        if self.passed.get(namespace) == Some(loss) {
            return Answer::Pass;
        }
        self.expire(now);
        let inherited = self.inherited.as_ref().map_or(0, |inherited| inherited.namespaces as usize);
        let used = self.recent.len() + inherited;
        if used == 0 {
            self.bound = 0;
        }
        self.bound = self.bound.max(facts.bound);
        let bound = self.inherited.as_ref().map_or(0, |inherited| inherited.bound as usize).max(self.bound);
        let (limit, change) = (limit(bound), Change::of(loss));
        let is_held = facts.status.held.iter().any(|held| loss.is_of(facts.class_uid, held));
        if is_held {
            self.latched.insert(change);
        }
        if self.latched.contains(&change) || used >= limit {
            return Answer::Wait(self.wait(namespace, change, limit, now));
        }
        if !self.is_recorded(used + 1, now) {
            let most = (2 * (used + 1)).clamp(3, limit);
            let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            return Answer::RecordFirst(GuardPassed { at: Time(now), namespaces: count(most), bound: count(bound) });
        }
        self.settled(namespace);
        self.recent.push_back((now, change));
        *self.by_change.entry(change).or_default() += 1;
        self.passed.insert(namespace.to_owned(), loss.clone());
        Answer::Pass
    }

    /// The record is in the class's status.
    pub fn recorded(&mut self, record: GuardPassed) {
        self.record = Some(record);
    }

    /// The record as it stands in the class's status. It stays there when its time is over, because a write only to remove it would be
    /// a write at rest.
    pub fn record(&self) -> Option<GuardPassed> {
        self.record.clone()
    }

    /// The namespace has nothing to wait for any more.
    pub fn settled(&mut self, namespace: &str) {
        self.waiting.retain(|change, waiting| {
            waiting.remove(namespace);
            if waiting.is_empty() {
                self.latched.remove(change);
            }
            !waiting.is_empty()
        });
    }

    fn wait(&mut self, namespace: &str, change: Change, limit: usize, now: Timestamp) -> Waits {
        if !self.waiting.get(&change).is_some_and(|waiting| waiting.contains(namespace)) {
            // It may have waited for another change until now.
            let latched = self.latched.contains(&change);
            self.settled(namespace);
            if latched {
                self.latched.insert(change);
            }
        }
        let waiting = self.waiting.entry(change).or_default();
        waiting.insert(namespace.to_owned());
        let asked_for = waiting.len() + self.by_change.get(&change).copied().unwrap_or_default();
        if asked_for > limit {
            self.latched.insert(change);
        }
        if self.latched.contains(&change) {
            return Waits::Confirmation;
        }
        let inherited = self.inherited.as_ref().map(end_of);
        let oldest = self.recent.front().map(|(at, _)| plus(*at, WINDOW));
        Waits::Until(inherited.into_iter().chain(oldest).min().unwrap_or(now))
    }

    fn expire(&mut self, now: Timestamp) {
        while let Some((_, change)) = self.recent.front().copied().filter(|(at, _)| plus(*at, WINDOW) <= now) {
            self.recent.pop_front();
            if let Some(count) = self.by_change.get_mut(&change) {
                *count = count.saturating_sub(1);
            }
        }
        self.inherited.take_if(|inherited| !is_in_force(inherited, now));
    }

    fn is_recorded(&self, used: usize, now: Timestamp) -> bool {
        self.record.as_ref().is_some_and(|record| {
            record.namespaces as usize >= used && plus(record.at.0, RECORD_AGE) > now && record.at.0 <= now
        })
    }
}

fn is_in_force(record: &GuardPassed, now: Timestamp) -> bool {
    end_of(record) > now
}

/// When nothing that the record stands for can be within the window any more.
fn end_of(record: &GuardPassed) -> Timestamp {
    plus(plus(record.at.0, WINDOW), RECORD_AGE)
}

/// Clocks of ours are not near the end of time.
fn plus(at: Timestamp, span: SignedDuration) -> Timestamp {
    at.saturating_add(span).unwrap_or(Timestamp::MAX)
}

/// What `held` of a class says of labels, for whoever asks about one of them.
pub(super) fn labels_held(held: &[GuardHeld]) -> Option<&GuardHeld> {
    held.iter().find(|held| held.cause == GuardCause::LabelsLost)
}

#[cfg(test)]
mod tests;
