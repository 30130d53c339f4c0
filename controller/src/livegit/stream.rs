//! One watch of one target: a kind in a namespace, or a cluster-scoped kind.

use std::sync::Arc;

use futures::{StreamExt, stream::BoxStream};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject},
    runtime::watcher::{self, Config, Event},
};
use nsclass_shared::{
    livegit::{
        status::Progress,
        world::{Selection, StreamId},
    },
    runtime::{ScopeHandle, WATCH_SECONDS, watch_cluster, watch_namespaced},
};
use prometheus::IntCounter;
use tokio_util::sync::CancellationToken;

use super::{board::Board, change::TargetKey, discovery::Discovery, listing::Listing, workers::Worker};

/// What a stream is started with.
pub struct Stream {
    /// For the watch.
    pub client: Client,
    /// Stands before every event of a namespaced kind (scope.md S31).
    pub scope: ScopeHandle,
    /// Whether the server tells the initial events in the watch itself.
    pub has_initial_events: bool,
    /// Whose it is.
    pub target: TargetKey,
    /// What it watches.
    pub id: StreamId,
    /// How that is spoken of.
    pub resource: ApiResource,
    /// What of it is written.
    pub selection: Selection,
    /// Where it goes. It takes no more than it has room for, and then the watch waits too.
    pub worker: Worker,
    /// Told how far it is.
    pub board: Arc<Board>,
    /// Asked to look again when the kind is gone.
    pub discovery: Discovery,
    /// Counts broken watches.
    pub broken: IntCounter,
    /// Ends it.
    pub stop: CancellationToken,
}

impl Stream {
    /// Runs until it is stopped, or the kind is gone.
    pub async fn run(self) {
        let mut listing =
            Listing::new(self.target.clone(), self.id.clone(), self.resource.clone(), self.selection.clone());
        let mut events = self.events();
        loop {
            let event = tokio::select! {
                () = self.stop.cancelled() => return,
                event = events.next() => event,
            };
            let Some(event) = event else { return };
            match event {
                Ok(event) => {
                    let is_complete = matches!(event, Event::InitDone);
                    if let Some(message) = listing.take(event) {
                        let sent = tokio::select! {
                            () = self.stop.cancelled() => return,
                            sent = self.worker.send(message) => sent,
                        };
                        if sent.is_err() {
                            return;
                        }
                    }
                    if is_complete {
                        self.board.set_progress(&self.target, &self.id, Progress::Live);
                    }
                }
                Err(error) => {
                    if self.breaks(&error) {
                        return;
                    }
                }
            }
        }
    }

    fn events(&self) -> BoxStream<'static, watcher::Result<Event<DynamicObject>>> {
        let config = Config::default().timeout(WATCH_SECONDS);
        let config = if self.has_initial_events { config.streaming_lists() } else { config };
        match &self.id.namespace {
            Some(namespace) => {
                let api = Api::namespaced_with(self.client.clone(), namespace, &self.resource);
                watch_namespaced(api, config, self.scope.clone(), |_| {}).boxed()
            }
            None => watch_cluster(Api::all_with(self.client.clone(), &self.resource), config).boxed(),
        }
    }

    /// Whether it is of no use to go on. What breaks is taken up again by the watch itself.
    fn breaks(&self, error: &watcher::Error) -> bool {
        self.broken.inc();
        let why = reason(error);
        tracing::warn!(target_ = %self.target, kind = %self.id.kind, namespace = self.id.namespace, why, "a watch for Git broke; it is taken up again");
        self.board.set_progress(&self.target, &self.id, Progress::Broken(why));
        let is_gone = code(error) == Some(404);
        if is_gone {
            self.discovery.look_again();
        }
        is_gone
    }
}

fn code(error: &watcher::Error) -> Option<u16> {
    match error {
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => match error {
            kube::Error::Api(status) => Some(status.code),
            _ => None,
        },
        watcher::Error::WatchError(status) => Some(status.code),
        watcher::Error::NoResourceVersion => None,
    }
}

/// A sentence that is the same each time it breaks so: statuses are written when it changes.
fn reason(error: &watcher::Error) -> String {
    match code(error) {
        Some(403) => {
            "the operator may not list and watch it; grant its ServiceAccount the verbs get, list and watch".to_owned()
        }
        Some(404) => "the API server does not serve it any more".to_owned(),
        Some(code) => format!("the API server answers {code}"),
        None => "the API server gives no answer".to_owned(),
    }
}
