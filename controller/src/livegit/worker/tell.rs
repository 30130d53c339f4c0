//! Telling how things stand, where that has changed.

use std::sync::Arc;

use nsclass_shared::reason::GitRemark;

use super::{Tip, Worker};
use crate::livegit::{
    held::Held,
    report::{RepositoryReport, State, StateReason, TargetReport},
    verdict,
};

impl Worker {
    pub(super) fn tell(&mut self) {
        let reachable = match &self.unread {
            Some(error) => verdict::failed(error),
            None => state(Some(true), GitRemark::Reachable, "the repository was read"),
        };
        let tip = if let Tip::At(commit) = &self.tip { Some(commit.clone()) } else { None };
        let report = Arc::new(RepositoryReport { reachable, tip });
        if self.reported.as_ref() != Some(&report) {
            self.reported = Some(report.clone());
            self.settings.reports.repository(&self.key, report);
        }
        let reports: Vec<_> =
            self.targets.iter().map(|(key, held)| (key.clone(), Arc::new(self.report(key, held)))).collect();
        for (key, report) in reports {
            let Some(held) = self.targets.get_mut(&key) else { continue };
            if held.reported.as_ref() != Some(&report) {
                held.reported = Some(report.clone());
                self.settings.reports.target(&key, report);
            }
        }
    }

    fn report(&self, key: &crate::livegit::change::TargetKey, held: &Held) -> TargetReport {
        let waiting = self.batches.iter().filter(|batch| batch.target == *key).map(|batch| batch.len());
        let pending: usize = waiting.sum();
        TargetReport {
            generation: held.spec.generation,
            repository_valid: held.valid.clone(),
            synced: self.synced(held, pending),
            revision: self.tip.commit().map(str::to_owned),
            last_push: held.last_push.clone(),
            documents: held.judged.as_ref().map_or(0, |judged| judged.folder.documents().len()),
            pending,
            refused: held.refusals(),
        }
    }

    fn synced(&self, held: &Held, pending: usize) -> State {
        if let Some(error) = self.unread.as_ref().or(self.unwritten.as_ref()) {
            return verdict::failed(error);
        }
        if held.writable().is_none() {
            let message = "nothing is written until RepositoryValid is True; then it catches up";
            return state(Some(false), GitRemark::FolderNotValid, message);
        }
        if pending > 0 || held.owes.is_some() {
            return state(None, GitRemark::Pending, "changes wait to be pushed");
        }
        if !held.refused.is_empty() {
            return state(Some(false), GitRemark::ObjectsRefused, held.refusals().sentence());
        }
        state(Some(true), GitRemark::Pushed, "what was told is in the branch")
    }
}

fn state(status: Option<bool>, remark: GitRemark, message: impl Into<String>) -> State {
    State { status, reason: StateReason::Remark(remark), message: message.into() }
}
