//! Looking at the branch, and judging the folders in it (folders.md F20 to F24, F56, F57).

use std::sync::Arc;

use nsclass_manifests::{
    folder::{Folder, Options},
    judge,
    path::FolderPath,
    scan::Tree,
    source::MapSource,
};
use nsclass_shared::livegit::failure::Failure;

use super::{Tip, Worker};
use crate::livegit::{
    change::{Target, TargetKey},
    git::{GitError, Listing, Repository},
    held::{Held, Judged},
    report::Notice,
    verdict, written,
};

/// What a look found beside the tip.
struct Seen {
    /// The branch no longer holds the commit that it was at.
    is_rewritten: bool,
}

impl Worker {
    /// Asks where the branch is, fetches it where it moved, and judges every folder that may have changed.
    pub(super) async fn look(&mut self) -> Result<(), GitError> {
        self.open().await?;
        let tip = self.ask().await?;
        self.move_to(tip).await
    }

    /// Opens our copy.
    async fn open(&mut self) -> Result<(), GitError> {
        if self.repository.is_none() {
            let name = format!("{:x}", name_hash(&format!("{} {}", self.key, self.remote.url.as_str())));
            let settings = &self.settings;
            let repository = Repository::open(settings.program.clone(), &settings.directory, &name, settings.budget)?;
            self.repository = Some(repository);
        }
        if self.tip == Tip::Unknown { self.copy()?.prepare().await } else { Ok(()) }
    }

    pub(super) fn copy(&self) -> Result<&Repository, GitError> {
        let missing = || GitError { failure: Failure::CopyBroken, said: String::new() };
        self.repository.as_ref().ok_or_else(missing)
    }

    /// Where the branch is now.
    pub(super) async fn ask(&self) -> Result<Tip, GitError> {
        let tips = self.copy()?.tips(&self.remote, &self.key.branch).await?;
        Ok(match tips.branch {
            Some(commit) => Tip::At(commit),
            None => Tip::Missing(tips.head),
        })
    }

    /// Fetches that tip, unless we have it, and judges what it changes.
    pub(super) async fn move_to(&mut self, tip: Tip) -> Result<(), GitError> {
        let mut tip = tip;
        if tip != self.tip {
            let repository = self.copy()?;
            let kept = repository.kept_tip().await?;
            if let Some(wanted) = tip.commit().filter(|wanted| kept.as_deref() != Some(*wanted)) {
                let branch = matches!(tip, Tip::At(_)).then_some(&*self.key.branch);
                tracing::debug!(repository = %self.key, wanted, "fetching");
                let fetched = repository.fetch(&self.remote, branch).await?;
                if repository.size() > self.settings.budget.repository {
                    return Err(GitError { failure: Failure::TooLarge, said: String::new() });
                }
                tip = if branch.is_some() { Tip::At(fetched) } else { Tip::Missing(Some(fetched)) };
            }
        }
        let is_rewritten = self.is_rewritten(&tip).await?;
        if let Tip::At(commit) = &tip {
            self.last_seen = Some(commit.clone());
        }
        self.tip = tip;
        let keys: Vec<TargetKey> = self.targets.keys().cloned().collect();
        for key in keys {
            self.judge(&key, &Seen { is_rewritten }).await?;
        }
        Ok(())
    }

    async fn is_rewritten(&self, tip: &Tip) -> Result<bool, GitError> {
        match (&self.last_seen, tip) {
            (None, _) => Ok(false),
            (Some(old), Tip::At(new)) if old == new => Ok(false),
            (Some(old), Tip::At(new)) => Ok(!self.copy()?.descends(old, new).await?),
            (Some(_), _) => Ok(true),
        }
    }

    /// Judges one folder at the tip that is known.
    async fn judge(&mut self, key: &TargetKey, seen: &Seen) -> Result<(), GitError> {
        let Some(held) = self.targets.get(key) else { return Ok(()) };
        let spec = held.spec.clone();
        let listing = match self.tip.commit() {
            Some(commit) => self.copy()?.list(commit, &spec.path).await?,
            None => Listing::default(),
        };
        let served = (self.settings.kinds)();
        let is_same = held.judged.as_ref().is_some_and(|judged| {
            *judged.listing == listing && Arc::ptr_eq(&judged.served, &served) && !listing.is_no_directory
        });
        let may_be_made = self.remote.creates_branches;
        if matches!(&self.tip, Tip::Missing(Some(_))) && !may_be_made {
            let branch = self.key.branch.clone();
            self.refuse(key, verdict::no_branch(&branch));
            return Ok(());
        }
        if listing.is_no_directory {
            self.refuse(key, verdict::no_directory(spec.path.as_str()));
            return Ok(());
        }
        if is_same && !seen.is_rewritten {
            return Ok(());
        }
        let listing = Arc::new(listing);
        let tree = match self.tip.commit() {
            Some(_) => self.copy()?.scan(listing.clone(), self.settings.limits).await?,
            None => nsclass_manifests::scan::scan(&MapSource::default(), &self.settings.limits),
        };
        let judged = tokio::task::spawn_blocking(move || judged(&spec, tree, listing, served)).await;
        let judged = judged.map_err(|error| GitError { failure: Failure::GitFailed, said: error.to_string() })?;
        self.take_judgement(key, judged, seen);
        Ok(())
    }

    fn refuse(&mut self, key: &TargetKey, state: crate::livegit::report::State) {
        if let Some(held) = self.targets.get_mut(key) {
            held.judged = None;
            held.is_stale = false;
            held.valid = state;
        }
    }

    /// Compares a new judgement with the one before it, and says what follows.
    fn take_judgement(&mut self, key: &TargetKey, judged: Judged, seen: &Seen) {
        let Some(held) = self.targets.get_mut(key) else { return };
        let (mut owed, mut notice) = (None, None);
        if let Some(before) = &held.judged {
            let changed = before.listing.changed(&judged.listing);
            let edits = written::written(&before.folder, &judged.folder, changed.iter().copied());
            held.edited.extend(edits.into_iter().map(|edit| (edit.id, edit.title)));
            let is_gone = judged.listing.files.is_empty() && !before.listing.files.is_empty();
            if is_gone {
                notice =
                    Some(("FolderGone", "the folder was deleted from the branch; the live objects are written anew"));
                owed = Some("the folder is gone from the branch");
            } else if !changed.is_empty() && held.refused.values().any(|refused| refused.category != "secret") {
                owed = Some("the folder changed, and objects had been refused");
            }
        }
        if seen.is_rewritten {
            notice = Some(("BranchRewritten", "the branch was rewritten; what is live is compared with it anew"));
            owed = Some("the branch was rewritten");
        }
        held.verdict = judged.folder.settled(&held.verdict);
        held.valid = verdict::of_verdict(&held.verdict);
        held.judged = Some(judged);
        held.is_stale = false;
        if let Some(why) = owed {
            held.owe(why);
        }
        if let Some((reason, message)) = notice {
            let message = message.to_owned();
            self.settings.reports.notice(key, Notice { warns: true, reason, message });
        }
    }

    /// Reads the listings anew of folders that our own commits changed.
    pub(super) async fn relist(&mut self, key: &TargetKey, folder: Arc<Folder>) -> Result<(), GitError> {
        let (Some(commit), Some(held)) = (self.tip.commit(), self.targets.get(key)) else { return Ok(()) };
        let listing = Arc::new(self.copy()?.list(commit, &held.spec.path).await?);
        if let Some(Held { judged: Some(judged), verdict: known, valid, .. }) = self.targets.get_mut(key) {
            *known = folder.verdict().clone();
            *valid = verdict::of_verdict(known);
            judged.folder = folder;
            judged.listing = listing;
        }
        Ok(())
    }
}

/// Judges a tree that was read for a target.
fn judged(
    spec: &Target,
    tree: Tree,
    listing: Arc<Listing>,
    served: Arc<nsclass_manifests::kinds::KindTable>,
) -> Judged {
    let mut kinds = (*served).clone();
    for kind in tree.definitions() {
        kinds.insert_if_unknown(&kind.group, &kind.kind, &kind.resource, kind.scope);
    }
    let location = if spec.path.is_root() { FolderPath::root() } else { spec.path.clone() };
    let options = Options { fixed: spec.fixed.clone(), rules: spec.rules.clone(), location: Some(location) };
    let folder = judge(tree, &kinds, &options);
    Judged { folder: Arc::new(folder), listing, served, kinds: Arc::new(kinds), options: Arc::new(options) }
}

/// A short name for a directory: the same in every process for one repository (FNV-1a, 64 bits).
fn name_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
