//! Where everything comes together: what is there → what follows from it (pure, [`nsclass_shared::livegit::world`]) → workers, streams and
//! statuses. One task, asked anew whenever anything changed, so that no two of its answers are ever mixed.

mod desk;
mod remotes;
mod statuses;
mod view;

use std::{collections::HashMap, sync::Arc, time::Duration};

use nsclass_shared::livegit::{access::Question, world::May};
use tokio::{task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

use self::{desk::Desk, remotes::Remotes, statuses::Statuses};
use super::{
    LiveGit,
    change::{Target, TargetKey},
    readers::{self, Readers},
    streams::Streams,
    trial,
    workers::Worker,
};

/// How often everything is looked at although nothing changed: answers about authors grow old, and so do Secrets.
const EVERY: Duration = Duration::from_secs(20);
/// The least time between two looks: a thousand changes of one moment are one look.
const AT_LEAST: Duration = Duration::from_millis(50);

/// What the office remembers.
struct Office {
    parts: Arc<LiveGit>,
    readers: Readers,
    remotes: Remotes,
    desk: Desk,
    streams: Streams,
    statuses: Statuses,
    /// How often everything of a target was to be told again.
    rounds: HashMap<TargetKey, u64>,
    /// What is under way.
    tasks: JoinSet<Done>,
}

/// What came of a task.
enum Done {
    /// The API server was asked about an author.
    Answered(Question, Result<May, String>),
    /// A worker was told of a target.
    Told(TargetKey, Worker, Option<Arc<Target>>),
}

/// Keeps the office while we lead.
///
/// # Errors
/// A task of its own panicked.
pub async fn keep(parts: Arc<LiveGit>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let has_initial_events = tokio::select! {
        () = shutdown.cancelled() => return Ok(()),
        has_initial_events = opens(&parts) => has_initial_events,
    };
    let (client, scope) = (parts.context.client.clone(), parts.context.scope.handle().clone());
    let broken = parts.context.metrics.watch_errors.with_label_values(&["git"]);
    let mut office = Office {
        readers: Readers::default(),
        remotes: Remotes::default(),
        desk: Desk::new(parts.workers.clone()),
        streams: Streams::new(client, scope, parts.board.clone(), parts.discovery.clone(), broken, has_initial_events),
        statuses: Statuses::default(),
        rounds: HashMap::new(),
        tasks: JoinSet::new(),
        parts,
    };
    loop {
        office.look().await;
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            news = office.news() => news?,
        }
        tokio::time::sleep(AT_LEAST).await;
    }
}

/// Opens when everything of ours has been listed once and we lead.
async fn opens(parts: &LiveGit) -> bool {
    for listed in parts.listed.all() {
        listed.wait().await;
    }
    parts.context.listed.namespaces.wait().await;
    parts.context.guard.elected().await;
    trial::streams_lists(&parts.context.client).await
}

impl Office {
    /// Waits until there is something to look at, and takes what is done.
    async fn news(&mut self) -> anyhow::Result<()> {
        tokio::select! {
            () = self.parts.board.changed() => {}
            Some(done) = self.tasks.join_next() => self.take(done?),
            () = tokio::time::sleep(EVERY) => {}
        }
        while let Some(done) = self.tasks.try_join_next() {
            self.take(done?);
        }
        Ok(())
    }

    fn take(&mut self, done: Done) {
        match done {
            Done::Answered(question, answer) => self.readers.answered(question, answer, Instant::now()),
            Done::Told(target, worker, told) => {
                if told.is_none() {
                    // What was said of it is said of nothing now.
                    self.parts.board.forget_target(&target);
                }
                self.desk.told(&target, &worker, told);
            }
        }
    }

    fn ask(&mut self, questions: Vec<Question>) {
        for question in questions {
            let (client, asking) = (self.parts.context.client.clone(), self.parts.asking.clone());
            self.tasks.spawn(async move {
                // invariant: nobody closes it.
                let _permit = asking.acquire_owned().await;
                let answer = readers::ask(client, &question).await;
                Done::Answered(question, answer)
            });
        }
    }
}
