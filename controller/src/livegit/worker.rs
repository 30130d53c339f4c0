//! The one writer of one branch (folders.md F51): takes changes, joins their authors, closes windows, plans, commits and pushes.
//!
//! Everything that waits is kept until it is pushed. What was planned for one tip is planned again for the next: a rejected push, a
//! person's commit, a rewritten branch and a restart all lead through the engine, which finds nothing to do where it is done already.

mod flush;
mod intake;
mod look;
mod tell;

use std::{
    collections::{BTreeMap, VecDeque},
    hash::{BuildHasher, Hasher, RandomState},
    sync::Arc,
    time::Duration,
};

use nsclass_shared::livegit::{
    backoff::{Backoff, jittered},
    failure::Failure,
    window::{Limits, Window},
};
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{
    batch::{Author, Batch, Step},
    change::{Message, Remote, RepositoryKey, TargetKey},
    git::{GitError, Repository},
    held::Held,
    report::RepositoryReport,
    verdict,
    workers::Settings,
};
use intake::Waiting;

/// First and longest wait after a failure.
const BACKOFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(120));

/// Where the branch was when we last looked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Tip {
    /// Nobody has looked.
    #[default]
    Unknown,
    /// There is no such branch; a new one begins at this commit of the default branch, or with nothing.
    Missing(Option<String>),
    /// There.
    At(String),
}

impl Tip {
    /// The commit that the folders are read from.
    fn commit(&self) -> Option<&str> {
        match self {
            Self::At(commit) | Self::Missing(Some(commit)) => Some(commit),
            Self::Unknown | Self::Missing(None) => None,
        }
    }
}

/// One worker.
pub(super) struct Worker {
    pub(super) key: RepositoryKey,
    pub(super) settings: Arc<Settings>,
    remotes: watch::Receiver<Arc<Remote>>,
    remote: Arc<Remote>,
    messages: mpsc::Receiver<Message>,
    repository: Option<Repository>,
    targets: BTreeMap<TargetKey, Held>,
    waiting: VecDeque<Waiting>,
    window: Window<Author, TargetKey, Step>,
    batches: VecDeque<Arc<Batch>>,
    tip: Tip,
    /// The last commit of the branch that we have seen, also after our copy was thrown away.
    last_seen: Option<String>,
    /// Why the branch could not be read when it was last tried.
    unread: Option<GitError>,
    /// Why what waits could not be written when it was last tried.
    unwritten: Option<GitError>,
    backoff: Backoff,
    /// Not before then is the server asked again after a failure.
    not_before: Instant,
    next_look: Instant,
    origin: Instant,
    dice: RandomState,
    rolls: u64,
    reported: Option<Arc<RepositoryReport>>,
}

impl Worker {
    pub(super) fn new(
        key: RepositoryKey,
        settings: Arc<Settings>,
        mut remotes: watch::Receiver<Arc<Remote>>,
        messages: mpsc::Receiver<Message>,
    ) -> Self {
        let remote = remotes.borrow_and_update().clone();
        let now = Instant::now();
        Self {
            window: Window::new(Limits::new(remote.window, settings.window_bytes)),
            key,
            settings,
            remotes,
            remote,
            messages,
            repository: None,
            targets: BTreeMap::new(),
            waiting: VecDeque::new(),
            batches: VecDeque::new(),
            tip: Tip::default(),
            last_seen: None,
            unread: None,
            unwritten: None,
            backoff: Backoff::new(BACKOFF.0, BACKOFF.1),
            not_before: now,
            next_look: now,
            origin: now,
            dice: RandomState::new(),
            rolls: 0,
            reported: None,
        }
    }

    /// Works until shutdown, and then pushes what waits, once. When its repository is closed it ends at once: no target wants it written
    /// any more (folders.md F60), so that what still waits is nobody's.
    pub(super) async fn run(mut self, shutdown: CancellationToken) {
        let audit = self.settings.audit.clone();
        loop {
            // What is told while we are busy counts too.
            let news = audit.as_ref().map(|audit| audit.news());
            self.advance().await;
            let wake = self.wake();
            tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                changed = self.remotes.changed() => match changed {
                    Ok(()) => self.take_remote(),
                    Err(_) => return,
                },
                message = self.messages.recv() => match message {
                    Some(message) => self.take_all(message),
                    None => return,
                },
                () = told(news) => {}
                () = tokio::time::sleep_until(wake) => {}
            }
        }
        // What waits for an author has waited long enough.
        self.join(true);
        self.batches.extend(self.window.end().map(Batch::of_window).map(Arc::new));
        if !self.batches.is_empty() && self.repository.is_some() {
            self.try_flush().await;
        }
    }

    /// Does what is due.
    async fn advance(&mut self) {
        self.join(false);
        let now = Instant::now();
        if now < self.not_before {
            return;
        }
        let is_due = now >= self.next_look || self.targets.values().any(|held| held.is_stale);
        if is_due && !self.targets.is_empty() {
            self.unread = self.look().await.err();
            self.ended(self.unread.clone());
        }
        if self.unread.is_none() && self.has_work() {
            self.try_flush().await;
        }
        if !self.has_work() {
            self.unwritten = None;
        }
        self.ask_for_sets();
        self.tell();
    }

    /// Asks for the complete sets that are owed, while the server takes what is written.
    fn ask_for_sets(&mut self) {
        if self.unread.is_some() || self.unwritten.is_some() {
            return;
        }
        for (key, held) in &mut self.targets {
            if let Some(why) = held.asks() {
                self.settings.reports.resync(key, why);
            }
        }
    }

    async fn try_flush(&mut self) {
        self.unwritten = self.flush().await.err();
        self.ended(self.unwritten.clone());
    }

    /// Whether something waits that could be written now.
    fn has_work(&self) -> bool {
        let writable = |key: &TargetKey| self.targets.get(key).is_some_and(|held| held.writable().is_some());
        self.batches.iter().any(|batch| writable(&batch.target))
    }

    /// Takes note of how a step ended: when the next one is due.
    fn ended(&mut self, failed: Option<GitError>) {
        let roll = self.roll();
        self.next_look = Instant::now() + jittered(self.settings.poll, roll);
        match failed {
            // That the branch can be read does not say that it can be written.
            None if self.unwritten.is_none() => self.backoff.reset(),
            None => {}
            Some(error) => {
                tracing::warn!(repository = %self.key, %error, "the repository could not be read or written");
                if matches!(error.failure, Failure::CopyBroken | Failure::DiskFull | Failure::TooLarge) {
                    self.throw_copy_away();
                }
                let wait = self.backoff.failed(roll);
                // What somebody has to mend first is looked at no more often than the branch is.
                let wait = if verdict::is_passing(error.failure) { wait } else { wait.max(BACKOFF.0 * 4) };
                self.not_before = Instant::now() + wait;
                self.next_look = self.not_before;
                self.settings.metrics.failed(&error);
            }
        }
    }

    fn throw_copy_away(&mut self) {
        self.tip = Tip::Unknown;
        if let Some(repository) = &self.repository
            && let Err(error) = repository.wipe()
        {
            tracing::warn!(repository = %self.key, %error, "the copy could not be thrown away");
        }
    }

    fn take_remote(&mut self) {
        self.remote = self.remotes.borrow_and_update().clone();
        self.window.set_limits(Limits::new(self.remote.window, self.settings.window_bytes));
        self.backoff.reset();
        (self.not_before, self.next_look) = (Instant::now(), Instant::now());
    }

    /// When something is due, if nothing comes.
    fn wake(&self) -> Instant {
        if self.targets.is_empty() {
            // Only a message changes anything.
            return Instant::now() + self.settings.poll;
        }
        let mut wake = self.next_look.max(self.not_before);
        if let Some(deadline) = self.window.deadline() {
            wake = wake.min(self.origin + deadline);
        }
        if let Some(deadline) = self.author_deadline() {
            wake = wake.min(deadline);
        }
        if self.has_work() {
            wake = wake.min(self.not_before);
        }
        wake
    }

    fn now(&self) -> Duration {
        self.origin.elapsed()
    }

    fn roll(&mut self) -> u64 {
        self.rolls += 1;
        let mut hasher = self.dice.build_hasher();
        hasher.write_u64(self.rolls);
        hasher.finish()
    }
}

/// Waits for news of authors; for ever where nobody asks for them.
async fn told(news: Option<impl Future<Output = ()>>) {
    match news {
        Some(news) => news.await,
        None => std::future::pending().await,
    }
}
