//! The scope as the gate asks it: the snapshot, and one live read where that does not know.

use std::{sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use futures::{FutureExt, StreamExt, future::BoxFuture, pin_mut};
use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api, Client, ResourceExt,
    core::PartialObjectMeta,
    runtime::{WatchStreamExt, watcher},
};
use nsclass_shared::{
    config::Settings,
    runtime::{ScopeHandle, WATCH_SECONDS},
    scope::{Index, Observation, Verdict},
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::{failure::Failure, gate::ScopeView};

/// Longest that the live read may take: the API server waits three seconds for the whole answer.
const LIVE_READ: Duration = Duration::from_secs(1);

/// The scope of this process.
pub struct LiveScope {
    snapshot: ScopeHandle,
    namespaces: Api<Namespace>,
}

impl LiveScope {
    /// Over the snapshot that the namespace watch feeds.
    pub fn new(snapshot: ScopeHandle, client: Client) -> Self {
        Self { snapshot, namespaces: Api::all(client) }
    }

    async fn read(&self, name: &str) -> Result<Verdict, String> {
        match timeout(LIVE_READ, self.namespaces.get_metadata(name)).await {
            Err(_) => Err("no answer in time".to_owned()),
            Ok(Ok(namespace)) => Ok(self.snapshot.load().rule().judge(name, namespace.labels())),
            // Nothing can be written into a namespace that is not there; judging what is tried all the same is the safe side.
            Ok(Err(kube::Error::Api(status))) if status.is_not_found() => Ok(Verdict::InScope),
            Ok(Err(error)) => Err(error.to_string()),
        }
    }
}

impl ScopeView for LiveScope {
    fn verdict(&self, namespace: &str) -> Verdict {
        self.snapshot.verdict(namespace)
    }

    fn settle<'a>(&'a self, namespace: &'a str) -> BoxFuture<'a, Result<Verdict, Failure>> {
        let unsettled = |why| Failure::Unsettled { namespace: namespace.to_owned(), why };
        self.read(namespace).map(move |verdict| verdict.map_err(unsettled)).boxed()
    }
}

/// Feeds the snapshot until shutdown.
///
/// # Errors
/// When the watch ends, which it never should.
pub async fn follow(
    scope: ScopeHandle,
    settings: Arc<ArcSwap<Settings>>,
    client: Client,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let config = watcher::Config::default().timeout(WATCH_SECONDS);
    let events = watcher::watcher(Api::<PartialObjectMeta<Namespace>>::all(client), config).default_backoff();
    pin_mut!(events);
    let mut index = Index::new(settings.load().scope.clone());
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            event = events.next() => match event {
                Some(Ok(event)) => observe(&mut index, &event),
                Some(Err(error)) => tracing::warn!(%error, "the watch of namespaces broke; it is taken up again"),
                None => anyhow::bail!("the watch of namespaces ended"),
            },
        }
        index.set_rule(settings.load().scope.clone());
        if let Some(published) = index.publish(jiff::Timestamp::now()) {
            scope.publish(published.snapshot);
        }
    }
}

fn observe(index: &mut Index, event: &watcher::Event<PartialObjectMeta<Namespace>>) {
    match event {
        watcher::Event::Apply(namespace) => index.apply(&Observation::of(&namespace.metadata)),
        watcher::Event::Delete(namespace) => index.delete(&Observation::of(&namespace.metadata)),
        watcher::Event::Init => index.relist_begins(),
        watcher::Event::InitApply(namespace) => index.relist_holds(&Observation::of(&namespace.metadata)),
        watcher::Event::InitDone => index.relist_done(),
    }
}
