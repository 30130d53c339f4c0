//! Writing what waits: plan, commit, push, and again from the start where the branch has moved (folders.md F51, F57).

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jiff::Timestamp;
use nsclass_manifests::folder::Folder;
use nsclass_shared::livegit::failure::Failure;
use tokio::time::Instant;

use super::{Tip, Worker};
use crate::livegit::{
    batch::Batch,
    change::TargetKey,
    git::{GitError, NewCommit, Pushed},
    prepare::{Prepared, prepare},
    report::Notice,
    seal::AllSealed,
    words,
};

/// How often a push is overtaken before others get a pause.
const MOST_ROUNDS: usize = 8;
/// A replica that does not lead asks no more often than that whether it does.
const NOT_LEADING: Duration = Duration::from_secs(1);
/// The mode of a new file.
const PLAIN: u32 = 0o100_644;
/// Most refused objects that are kept for each target; what is beyond is counted with them until one is settled.
const MOST_REFUSED: usize = 10_000;

/// A batch and what it comes to at the tip that is known.
struct Planned {
    batch: Arc<Batch>,
    prepared: Prepared,
    /// Edits of people that are replaced.
    overruled: Vec<String>,
    /// Its commit, by position; `None` where nothing is written.
    commit: Option<usize>,
}

/// Every batch that can be written now.
#[derive(Default)]
struct Round {
    planned: Vec<Planned>,
    commits: Vec<NewCommit>,
    /// The folders after all of it.
    folders: BTreeMap<TargetKey, Arc<Folder>>,
}

impl Worker {
    /// Writes every batch whose folder is valid. Nothing is dropped before the server has it, or has it already.
    pub(super) async fn flush(&mut self) -> Result<(), GitError> {
        for _ in 0..MOST_ROUNDS {
            if self.tip == Tip::Unknown {
                self.look().await?;
            }
            let round = self.plan().await?;
            if round.commits.is_empty() {
                self.settle(round, None).await?;
                return Ok(());
            }
            let tip = self.ask().await?;
            if tip != self.tip {
                self.move_to(tip).await?;
                continue;
            }
            let Some(permit) = self.settings.gate.begin() else {
                tracing::info!(repository = %self.key, "this replica does not lead, so nothing is pushed");
                self.not_before = Instant::now() + NOT_LEADING;
                return Ok(());
            };
            let pushed = self.write(&round).await?;
            drop(permit);
            if let Some(made) = pushed {
                return self.settle(round, Some(made)).await;
            }
            self.settings.metrics.overtaken();
            let tip = self.ask().await?;
            self.move_to(tip).await?;
        }
        Err(GitError { failure: Failure::GitFailed, said: "others push to this branch all the time".to_owned() })
    }

    /// Plans each batch on what those before it lead to.
    async fn plan(&self) -> Result<Round, GitError> {
        let mut round = Round::default();
        let time = Timestamp::now();
        for batch in &self.batches {
            let Some(held) = self.targets.get(&batch.target) else { continue };
            let Some(judged) = held.writable() else { continue };
            let folder = round.folders.get(&batch.target).unwrap_or(&judged.folder).clone();
            let (kinds, options, spec) = (judged.kinds.clone(), judged.options.clone(), held.spec.clone());
            let own = batch.clone();
            let sealed = match &self.settings.sealer {
                Some(sealer) => sealer.seal(&folder, batch).await,
                None => AllSealed::new(),
            };
            let prepared =
                tokio::task::spawn_blocking(move || prepare(&folder, &*kinds, &options, &spec, &own, &sealed)).await;
            let prepared =
                prepared.map_err(|error| GitError { failure: Failure::GitFailed, said: error.to_string() })?;
            let replaced = prepared.written.iter().filter_map(|one| {
                let title = held.edited.get(&one.id)?;
                Some(format!("{title} {}", one.object))
            });
            let overruled: Vec<String> = replaced.collect();
            let commit = prepared.folder.as_ref().map(|folder| {
                round.folders.insert(batch.target.clone(), folder.clone());
                let message = words::message(self.remote.message.as_ref(), batch, &prepared, &overruled);
                let mode = |path| judged.listing.files.get(path).map_or(PLAIN, |node| node.mode);
                let files = prepared.files.iter().map(|(path, bytes)| {
                    let prefix = &held.spec.path;
                    let whole = if prefix.is_root() { path.to_string() } else { format!("{prefix}/{path}") };
                    (whole, bytes.clone().map(|bytes| (mode(path), bytes)))
                });
                round.commits.push(NewCommit {
                    author: batch.author.person(&self.remote.committer),
                    committer: self.remote.committer.clone(),
                    time,
                    message,
                    files: files.collect(),
                });
                round.commits.len() - 1
            });
            round.planned.push(Planned { batch: batch.clone(), prepared, overruled, commit });
        }
        Ok(round)
    }

    /// Commits and pushes; returns the names of the commits, or `None` where the branch had moved.
    async fn write(&self, round: &Round) -> Result<Option<Vec<String>>, GitError> {
        let repository = self.copy()?;
        let made = repository.commit(self.tip.commit(), &round.commits).await?;
        let Some(new) = made.last() else { return Ok(Some(made)) };
        let old = if let Tip::At(commit) = &self.tip { Some(commit.as_str()) } else { None };
        match repository.push(&self.remote, &self.key.branch, old, new).await? {
            Pushed::Moved => Ok(None),
            Pushed::Taken => {
                // From here on it is done: what fails now is mended by the next look.
                if let Err(error) = repository.keep_tip(new).await {
                    tracing::warn!(repository = %self.key, %error, "the pushed tip is not kept; it will be fetched");
                }
                Ok(Some(made))
            }
        }
    }

    /// Takes note of what was written, and forgets the batches.
    async fn settle(&mut self, round: Round, made: Option<Vec<String>>) -> Result<(), GitError> {
        let Round { planned, folders, .. } = round;
        self.batches.retain(|batch| !planned.iter().any(|planned| Arc::ptr_eq(&planned.batch, batch)));
        if let Some(tip) = made.as_ref().and_then(|made| made.last()) {
            self.tip = Tip::At(tip.clone());
            self.last_seen = Some(tip.clone());
            self.settings.metrics.pushed(made.as_ref().map_or(0, Vec::len));
        }
        for Planned { batch, prepared, overruled, commit } in planned {
            let commit = commit.and_then(|at| made.as_ref()?.get(at));
            self.settle_batch(&batch, prepared, &overruled, commit.map(String::as_str));
        }
        for (key, folder) in folders {
            self.relist(&key, folder).await?;
        }
        Ok(())
    }

    fn settle_batch(&mut self, batch: &Batch, prepared: Prepared, overruled: &[String], commit: Option<&str>) {
        let (reports, key) = (self.settings.reports.clone(), &batch.target);
        let Some(held) = self.targets.get_mut(key) else { return };
        for id in &prepared.settled {
            held.refused.remove(id);
            held.edited.remove(id);
        }
        for (id, refused) in prepared.refused {
            let is_news = held.refused.get(&id) != Some(&refused);
            if is_news && refused.category != "secret" {
                let message = format!("{} is not written: {}", refused.object, refused.message);
                reports.notice(key, Notice { warns: true, reason: "NotWritten", message });
            }
            if held.refused.len() < MOST_REFUSED {
                held.refused.insert(id, refused);
            }
        }
        if let Some(commit) = commit {
            tracing::info!(target = %key, commit, author = %batch.author, objects = prepared.written.len(), "pushed");
            held.last_push = Some((commit.to_owned(), Timestamp::now()));
        }
        for note in prepared.notes {
            reports.notice(key, Notice { warns: false, reason: "Note", message: note });
        }
        if let (Some(commit), [first, rest @ ..]) = (commit, overruled) {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            let message = format!("the edit of {first}{more} is replaced by the live object in {commit}");
            reports.notice(key, Notice { warns: true, reason: "EditReplaced", message });
        }
    }
}
