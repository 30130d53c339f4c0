//! What streams and workers said last, for whoever writes statuses.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use nsclass_shared::livegit::{status::Progress, world::StreamId};
use tokio::sync::Notify;

use super::{
    change::{RepositoryKey, TargetKey},
    report::{Notice, Reports, RepositoryReport, TargetReport},
};

/// What was said. Whoever changes it wakes the office.
#[derive(Debug, Default)]
pub struct Board {
    said: Mutex<Said>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct Said {
    targets: HashMap<TargetKey, Arc<TargetReport>>,
    repositories: HashMap<RepositoryKey, Arc<RepositoryReport>>,
    streams: HashMap<(TargetKey, StreamId), Progress>,
    resyncs: HashSet<TargetKey>,
    notices: Vec<(TargetKey, Notice)>,
}

/// Most notices that wait; more are dropped, since conditions say the same.
const MOST_NOTICES: usize = 256;

impl Board {
    /// Has everything looked at.
    pub fn touch(&self) {
        self.wake.notify_one();
    }

    /// Waits until something changed.
    pub async fn changed(&self) {
        self.wake.notified().await;
    }

    /// What was last said of a target.
    pub fn target(&self, target: &TargetKey) -> Option<Arc<TargetReport>> {
        self.said().targets.get(target).cloned()
    }

    /// What was last said of a provider's branches, in their order.
    pub fn repositories(&self, provider: &TargetKey) -> Vec<(Arc<str>, Arc<RepositoryReport>)> {
        let said = self.said();
        let of = said.repositories.iter().filter(|(key, _)| key.provider == *provider);
        let mut found: Vec<_> = of.map(|(key, report)| (key.branch.clone(), report.clone())).collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        found
    }

    /// How far a stream is.
    pub fn progress(&self, target: &TargetKey, stream: &StreamId) -> Progress {
        self.said().streams.get(&(target.clone(), stream.clone())).cloned().unwrap_or(Progress::Listing)
    }

    /// A stream is so far now.
    pub fn set_progress(&self, target: &TargetKey, stream: &StreamId, progress: Progress) {
        let before = self.said().streams.insert((target.clone(), stream.clone()), progress.clone());
        if before != Some(progress) {
            self.touch();
        }
    }

    /// A stream has ended.
    pub fn forget_stream(&self, target: &TargetKey, stream: &StreamId) {
        self.said().streams.remove(&(target.clone(), stream.clone()));
    }

    /// A target is written no more.
    pub fn forget_target(&self, target: &TargetKey) {
        let mut said = self.said();
        said.targets.remove(target);
        said.resyncs.remove(target);
    }

    /// A branch has no worker any more.
    pub fn forget_repository(&self, repository: &RepositoryKey) {
        self.said().repositories.remove(repository);
    }

    /// The targets whose complete sets are wanted again, once.
    pub fn take_resyncs(&self) -> HashSet<TargetKey> {
        std::mem::take(&mut self.said().resyncs)
    }

    /// What people should hear of, once.
    pub fn take_notices(&self) -> Vec<(TargetKey, Notice)> {
        std::mem::take(&mut self.said().notices)
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reports for Board {
    fn target(&self, target: &TargetKey, report: Arc<TargetReport>) {
        self.said().targets.insert(target.clone(), report);
        self.touch();
    }

    fn repository(&self, repository: &RepositoryKey, report: Arc<RepositoryReport>) {
        self.said().repositories.insert(repository.clone(), report);
        self.touch();
    }

    fn resync(&self, target: &TargetKey, why: &'static str) {
        tracing::info!(%target, why, "everything of this target is listed again");
        self.said().resyncs.insert(target.clone());
        self.touch();
    }

    fn notice(&self, target: &TargetKey, notice: Notice) {
        let mut said = self.said();
        if said.notices.len() < MOST_NOTICES {
            said.notices.push((target.clone(), notice));
        }
        drop(said);
        self.touch();
    }
}
