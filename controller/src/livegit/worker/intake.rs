//! What comes in: messages, the authors of changes, windows.

use std::{collections::BTreeMap, sync::Arc};

use nsclass_shared::livegit::author::Answer;
use tokio::time::Instant;

use super::Worker;
use crate::livegit::{
    batch::{Author, Batch, Step, Work},
    change::{Change, Message, Resync, TargetKey, What},
    held::Held,
};

/// Most messages that are taken before anything else is done.
const MOST_AT_ONCE: usize = 1024;

/// Something that keeps its place until its author is known.
pub(super) enum Waiting {
    Change(Change, Instant),
    Resync(Resync),
}

impl Worker {
    /// Takes a message, and those that are there already.
    pub(super) fn take_all(&mut self, first: Message) {
        self.take(first);
        for _ in 1..MOST_AT_ONCE {
            let Ok(message) = self.messages.try_recv() else { break };
            self.take(message);
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Target(spec) => match self.targets.get_mut(&spec.key) {
                Some(held) => held.respecify(spec),
                None => {
                    self.targets.insert(spec.key.clone(), Held::new(spec));
                }
            },
            Message::Forget(target) => {
                self.targets.remove(&target);
                self.drop_pending(&target);
            }
            Message::Change(change) if self.targets.contains_key(&change.target) => {
                self.waiting.push_back(Waiting::Change(change, Instant::now()));
            }
            Message::Resync(resync) if self.targets.contains_key(&resync.target) => {
                self.waiting.push_back(Waiting::Resync(resync));
            }
            // Its target is gone, or was never told.
            Message::Change(_) | Message::Resync(_) => {}
        }
    }

    /// Moves what has its author into the window, in order. `at_once`: nothing waits any longer.
    pub(super) fn join(&mut self, at_once: bool) {
        while let Some(front) = self.waiting.front() {
            let author = match front {
                Waiting::Change(change, since) => self.author(change, *since, at_once),
                Waiting::Resync(_) => Some(self.nobody()),
            };
            let Some(author) = author else { break };
            match self.waiting.pop_front() {
                Some(Waiting::Change(change, _)) => {
                    let step = Step { id: change.id, what: change.what };
                    let (now, bytes) = (self.now(), step.bytes());
                    let ended = self.window.offer(now, author, change.target, step, bytes);
                    self.batches.extend(ended.into_iter().map(Batch::of_window).map(Arc::new));
                }
                Some(Waiting::Resync(resync)) => self.take_resync(resync, author),
                None => {}
            }
        }
        let now = self.now();
        self.batches.extend(self.window.due(now).map(Batch::of_window).map(Arc::new));
        self.stay_within_bounds();
    }

    /// A complete set stands for everything that came before it.
    fn take_resync(&mut self, resync: Resync, author: Author) {
        self.batches.extend(self.window.end().map(Batch::of_window).map(Arc::new));
        // One that waits already says less, unless changes came after it: they hold nothing but their authors' doing only beside it.
        let own = self.batches.iter().enumerate().rev().filter(|(_, batch)| batch.target == resync.target);
        let mut sets = own.map_while(|(at, batch)| match &batch.work {
            Work::Resync(set) => Some((at, set)),
            Work::Changes(_) => None,
        });
        let older = sets.find(|(_, set)| set.streamed == resync.streamed).map(|(at, _)| at);
        if let Some(older) = older {
            self.batches.remove(older);
        }
        if let Some(held) = self.targets.get_mut(&resync.target) {
            held.sure.extend(resync.streamed.iter().cloned());
            held.owes = None;
        }
        self.batches.push_back(Arc::new(Batch::of_resync(resync, author)));
    }

    fn nobody(&self) -> Author {
        if self.settings.audit.is_some() { Author::Unknown } else { Author::Operator }
    }

    /// Who made a change; `None` while that may still be told.
    fn author(&self, change: &Change, since: Instant, at_once: bool) -> Option<Author> {
        let Some(audit) = &self.settings.audit else { return Some(Author::Operator) };
        if !self.targets.get(&change.target).is_some_and(|held| held.is_sure(&change.id)) {
            return Some(Author::Unknown);
        }
        let answer = match change.what {
            What::Put(_) => audit.author(&change.uid, &change.resource_version),
            What::Delete => audit.deleter(&change.uid),
        };
        let is_over = at_once || since.elapsed() >= audit.wait();
        match answer {
            Answer::Certain(user) => Some(Author::User(user)),
            Answer::OnlyOne(user) if is_over => Some(Author::User(user)),
            Answer::Several => Some(Author::Unknown),
            Answer::Nothing if is_over => Some(Author::Unknown),
            Answer::OnlyOne(_) | Answer::Nothing => None,
        }
    }

    /// When the first change has waited for its author for long enough.
    pub(super) fn author_deadline(&self) -> Option<Instant> {
        match self.waiting.front()? {
            Waiting::Change(_, since) => Some(*since + self.settings.audit.as_ref()?.wait()),
            Waiting::Resync(_) => None,
        }
    }

    /// Drops what waits for a target.
    fn drop_pending(&mut self, target: &TargetKey) {
        self.batches.retain(|batch| batch.target != *target);
        self.waiting.retain(|waiting| match waiting {
            Waiting::Change(change, _) => change.target != *target,
            Waiting::Resync(resync) => resync.target != *target,
        });
        if self.window.target() == Some(target) {
            self.window.end();
        }
    }

    /// What waits takes a bounded room. Beyond it the target with most gives all up, and is written from a complete set when it can be.
    fn stay_within_bounds(&mut self) {
        // Complete sets are as large as what is live, and one of each kind waits at most.
        let changes = |batch: &&Arc<Batch>| matches!(batch.work, Work::Changes(_));
        loop {
            let mut weights: BTreeMap<&TargetKey, usize> = BTreeMap::new();
            for batch in self.batches.iter().filter(changes) {
                *weights.entry(&batch.target).or_default() += batch.bytes;
            }
            if weights.values().sum::<usize>() <= self.settings.pending_bytes {
                break;
            }
            let heaviest = weights.into_iter().max_by_key(|(_, weight)| *weight);
            let Some(target) = heaviest.map(|(target, _)| target.clone()) else { break };
            tracing::warn!(repository = %self.key, %target, "more waits than is kept; a complete set is asked for later");
            self.drop_pending(&target);
            if let Some(held) = self.targets.get_mut(&target) {
                held.owe("more was changed than could be kept");
            }
        }
    }
}
