//! The workers of a process, one for each repository and branch.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::bail;
use nsclass_manifests::{kinds::KindTable, limits::Limits};
use thiserror::Error;
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use super::{
    audit::Audit,
    change::{Message, Remote, RepositoryKey},
    git::Budget,
    metrics::GitMetrics,
    report::{Gate, Reports},
    seal::Sealer,
    worker::Worker as Task,
};

/// Messages that wait for a busy worker; more make their senders wait.
const QUEUE: usize = 1024;

/// What workers need of the process.
pub struct Settings {
    /// The git program.
    pub program: PathBuf,
    /// Where copies of repositories are kept.
    pub directory: PathBuf,
    /// What the program may take.
    pub budget: Budget,
    /// What a folder may hold.
    pub limits: Limits,
    /// How often a branch is looked at although nothing is to be written, give or take a fifth.
    pub poll: Duration,
    /// Most bytes in one window.
    pub window_bytes: usize,
    /// Most bytes that wait, for each worker.
    pub pending_bytes: usize,
    /// Who tells authors; `None` without audit.
    pub audit: Option<Arc<Audit>>,
    /// Encrypts Secrets; without it they are refused.
    pub sealer: Option<Sealer>,
    /// Asked before each push.
    pub gate: Arc<dyn Gate>,
    /// Which kinds the cluster serves.
    pub kinds: Arc<dyn Fn() -> Arc<KindTable> + Send + Sync>,
    /// Hears how things stand.
    pub reports: Arc<dyn Reports>,
    /// What is counted.
    pub metrics: GitMetrics,
}

/// Every worker of the process. Clones are the same.
#[derive(Clone)]
pub struct Workers(Arc<Inner>);

struct Inner {
    settings: Arc<Settings>,
    open: Mutex<HashMap<RepositoryKey, Open>>,
    tasks: mpsc::UnboundedSender<Task>,
    /// Taken by [`Workers::run`].
    starting: Mutex<Option<mpsc::UnboundedReceiver<Task>>>,
}

struct Open {
    remote: watch::Sender<Arc<Remote>>,
    messages: mpsc::Sender<Message>,
}

/// The worker has ended, because the process stops or its repository was closed.
#[derive(Error, Clone, Copy, Debug, PartialEq, Eq)]
#[error("the worker of this repository has ended")]
pub struct Closed;

/// A way to one worker.
#[derive(Clone, Debug)]
pub struct Worker(mpsc::Sender<Message>);

impl Worker {
    /// Sends a message; waits where the worker is busy and many wait already.
    ///
    /// # Errors
    /// [`Closed`]
    pub async fn send(&self, message: Message) -> Result<(), Closed> {
        self.0.send(message).await.map_err(|_| Closed)
    }

    /// Whether both lead to one worker.
    pub fn is(&self, other: &Self) -> bool {
        self.0.same_channel(&other.0)
    }

    /// Whether no message waits for it.
    pub fn is_idle(&self) -> bool {
        self.0.capacity() == self.0.max_capacity()
    }
}

impl Workers {
    /// No worker yet.
    pub fn new(settings: Settings) -> Self {
        let (tasks, starting) = mpsc::unbounded_channel();
        let (settings, starting) = (Arc::new(settings), Mutex::new(Some(starting)));
        Self(Arc::new(Inner { settings, open: Mutex::default(), tasks, starting }))
    }

    /// The worker of this repository, which takes `remote` from now on; it begins where there is none.
    pub fn repository(&self, key: &RepositoryKey, remote: Remote) -> Worker {
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.get(key).filter(|known| !known.messages.is_closed()) {
            known.remote.send_replace(Arc::new(remote));
            return Worker(known.messages.clone());
        }
        let (messages, inbox) = mpsc::channel(QUEUE);
        let (remote, remotes) = watch::channel(Arc::new(remote));
        let task = Task::new(key.clone(), self.0.settings.clone(), remotes, inbox);
        open.insert(key.clone(), Open { remote, messages: messages.clone() });
        // Nobody receives any more only when the process stops.
        let _ = self.0.tasks.send(task);
        Worker(messages)
    }

    /// Ends the worker of this repository: no target wants it written any more, and what waits is dropped.
    pub fn close(&self, key: &RepositoryKey) {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    /// Runs the workers until shutdown. A supervised task.
    ///
    /// # Errors
    /// A worker that panicked, or a second call.
    pub async fn run(self, shutdown: CancellationToken) -> anyhow::Result<()> {
        let starting = self.0.starting.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut starting) = starting else { bail!("the workers are running already") };
        let mut tasks = JoinSet::new();
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(task) = starting.recv() => {
                    tasks.spawn(task.run(shutdown.clone()));
                }
                Some(ended) = tasks.join_next() => ended?,
            }
        }
        while let Some(ended) = tasks.join_next().await {
            ended?;
        }
        Ok(())
    }
}
