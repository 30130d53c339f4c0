//! The watches of all targets: started, stopped and started again as the outlook has it.

use std::{collections::BTreeMap, sync::Arc};

use kube::{Client, api::ApiResource};
use nsclass_shared::{
    livegit::world::{Selection, StreamId},
    runtime::ScopeHandle,
};
use prometheus::IntCounter;
use tokio::{
    sync::oneshot,
    task::{AbortHandle, JoinSet},
};
use tokio_util::sync::CancellationToken;

use super::{board::Board, change::TargetKey, discovery::Discovery, stream::Stream, workers::Worker};

/// Names one of them.
pub type Key = (TargetKey, StreamId);

/// What a stream is to be.
#[derive(Clone)]
pub struct Wanted {
    /// What of it is written.
    pub selection: Selection,
    /// How the kind is spoken of.
    pub resource: ApiResource,
    /// Where it goes.
    pub worker: Worker,
    /// Raised when everything is to be told again.
    pub round: u64,
}

/// Those that run.
pub struct Streams {
    client: Client,
    scope: ScopeHandle,
    board: Arc<Board>,
    discovery: Discovery,
    broken: IntCounter,
    has_initial_events: bool,
    running: BTreeMap<Key, Running>,
    tasks: JoinSet<()>,
}

struct Running {
    wanted: Wanted,
    stop: CancellationToken,
    ended: oneshot::Receiver<()>,
    task: AbortHandle,
}

impl Streams {
    /// None yet.
    pub fn new(
        client: Client,
        scope: ScopeHandle,
        board: Arc<Board>,
        discovery: Discovery,
        broken: IntCounter,
        has_initial_events: bool,
    ) -> Self {
        let (running, tasks) = (BTreeMap::new(), JoinSet::new());
        Self { client, scope, board, discovery, broken, has_initial_events, running, tasks }
    }

    /// How many run.
    pub fn len(&self) -> usize {
        self.running.len()
    }

    /// Makes them what is wanted. One that is changed ends before it begins anew, so that nothing of the old one comes after the new
    /// one's list.
    pub fn arrange(&mut self, wanted: &BTreeMap<Key, Wanted>) {
        // What ended by itself, because its kind was gone, begins anew if it is still wanted.
        while let Some(ended) = self.tasks.try_join_next() {
            if let Err(error) = ended.as_ref().map_err(tokio::task::JoinError::is_panic) {
                tracing::error!(panicked = error, "a watch for Git ended by itself; it begins anew");
            }
        }
        let gone: Vec<Key> = self.running.keys().filter(|key| !wanted.contains_key(*key)).cloned().collect();
        for key in gone {
            if let Some(running) = self.running.remove(&key) {
                running.stop.cancel();
                self.board.forget_stream(&key.0, &key.1);
            }
        }
        for (key, wanted) in wanted {
            let before = self.running.get(key);
            if before.is_some_and(|running| running.wanted.is(wanted) && !running.task.is_finished()) {
                continue;
            }
            let before = self.running.remove(key);
            if let Some(before) = &before {
                before.stop.cancel();
                self.board.forget_stream(&key.0, &key.1);
            }
            let running = self.start(key, wanted.clone(), before.map(|running| running.ended));
            self.running.insert(key.clone(), running);
        }
    }

    fn start(&mut self, key: &Key, wanted: Wanted, before: Option<oneshot::Receiver<()>>) -> Running {
        let (ends, ended) = oneshot::channel();
        let stop = CancellationToken::new();
        let stream = Stream {
            client: self.client.clone(),
            scope: self.scope.clone(),
            has_initial_events: self.has_initial_events,
            target: key.0.clone(),
            id: key.1.clone(),
            resource: wanted.resource.clone(),
            selection: wanted.selection.clone(),
            worker: wanted.worker.clone(),
            board: self.board.clone(),
            discovery: self.discovery.clone(),
            broken: self.broken.clone(),
            stop: stop.clone(),
        };
        let task = self.tasks.spawn(async move {
            if let Some(before) = before {
                // Whichever way it ended, it has ended.
                let _ = before.await;
            }
            stream.run().await;
            drop(ends);
        });
        Running { wanted, stop, ended, task }
    }
}

impl Wanted {
    fn is(&self, other: &Self) -> bool {
        self.selection == other.selection
            && self.resource == other.resource
            && self.round == other.round
            && self.worker.is(&other.worker)
    }
}
