//! What workers were told of targets. A worker that is busy makes its sender wait, and never the office.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use tokio::task::JoinSet;

use super::Done;
use crate::livegit::{
    change::{Message, Remote, RepositoryKey, Target, TargetKey},
    workers::{Worker, Workers},
};

/// The desk.
pub(super) struct Desk {
    workers: Workers,
    open: BTreeMap<RepositoryKey, (Remote, Worker)>,
    targets: BTreeMap<TargetKey, Entry>,
}

/// What is to be told of one target, and what was.
struct Entry {
    worker: Worker,
    wanted: Option<Arc<Target>>,
    told: Option<Arc<Target>>,
    is_being_told: bool,
}

/// A target, and where it is written.
pub(super) struct Wanted {
    /// The branch.
    pub repository: RepositoryKey,
    /// How it is reached.
    pub remote: Remote,
    /// What is written there.
    pub target: Target,
}

impl Desk {
    pub(super) fn new(workers: Workers) -> Self {
        Self { workers, open: BTreeMap::new(), targets: BTreeMap::new() }
    }

    /// Has workers for what is wanted, and for nothing else; returns the branches that have none any more.
    pub(super) fn arrange(
        &mut self,
        wanted: BTreeMap<TargetKey, Wanted>,
        tasks: &mut JoinSet<Done>,
    ) -> Vec<RepositoryKey> {
        let used: BTreeSet<RepositoryKey> = wanted.values().map(|wanted| wanted.repository.clone()).collect();
        for entry in self.targets.iter_mut().filter(|(key, _)| !wanted.contains_key(*key)) {
            entry.1.wanted = None;
        }
        for (key, Wanted { repository, remote, target }) in wanted {
            let worker = self.open(repository, remote);
            let entry = self.targets.entry(key).or_insert_with(|| Entry {
                worker: worker.clone(),
                wanted: None,
                told: None,
                is_being_told: false,
            });
            if !entry.worker.is(&worker) {
                // Another worker, which knows nothing yet. What is on its way to the old one is of no use to anybody.
                (entry.worker, entry.told) = (worker, None);
            }
            if entry.wanted.as_deref() != Some(&target) {
                entry.wanted = Some(Arc::new(target));
            }
        }
        self.tell(tasks);
        // Nobody was ever told of these.
        self.targets.retain(|_, entry| entry.wanted.is_some() || entry.told.is_some() || entry.is_being_told);
        let unused: Vec<RepositoryKey> = self.open.keys().filter(|key| !used.contains(key)).cloned().collect();
        for key in &unused {
            self.open.remove(key);
            self.workers.close(key);
        }
        unused
    }

    /// The worker of a target that has been told of it as it is now.
    pub(super) fn worker(&self, target: &TargetKey) -> Option<&Worker> {
        let entry = self.targets.get(target)?;
        (entry.wanted.is_some() && entry.told == entry.wanted && !entry.is_being_told).then_some(&entry.worker)
    }

    /// That worker has been told.
    pub(super) fn told(&mut self, target: &TargetKey, worker: &Worker, told: Option<Arc<Target>>) {
        let Some(entry) = self.targets.get_mut(target) else { return };
        entry.is_being_told = false;
        if entry.worker.is(worker) {
            entry.told = told;
        }
        if entry.wanted.is_none() && entry.told.is_none() {
            self.targets.remove(target);
        }
    }

    fn open(&mut self, key: RepositoryKey, remote: Remote) -> Worker {
        match self.open.get(&key) {
            Some((before, worker)) if *before == remote => worker.clone(),
            _ => {
                let worker = self.workers.repository(&key, remote.clone());
                self.open.insert(key, (remote, worker.clone()));
                worker
            }
        }
    }

    /// Tells what is not told yet, one thing of a target at a time.
    fn tell(&mut self, tasks: &mut JoinSet<Done>) {
        for (key, entry) in
            self.targets.iter_mut().filter(|(_, entry)| !entry.is_being_told && entry.told != entry.wanted)
        {
            let (key, worker, wanted) = (key.clone(), entry.worker.clone(), entry.wanted.clone());
            entry.is_being_told = true;
            tasks.spawn(async move {
                let message = wanted.clone().map_or_else(|| Message::Forget(key.clone()), Message::Target);
                // Of a worker that has ended nobody hears any more; the next look opens another.
                let _ = worker.send(message).await;
                Done::Told(key, worker, wanted)
            });
        }
    }
}
