//! The watches of our four kinds.

use std::sync::Arc;

use futures::{Stream, StreamExt, pin_mut};
use kube::{
    Api, Client, Resource,
    api::{ApiResource, DynamicObject},
    runtime::watcher::{self, Config, Event},
};
use nsclass_shared::runtime::{Latch, WATCH_SECONDS, watch_cluster, watch_namespaced};
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::{LiveGit, objects::Known};

/// Watches a namespaced kind until shutdown: all of it is known, and what is in scope wakes the office (scope.md S31).
///
/// # Errors
/// When the stream ends, which it never should.
pub async fn namespaced<K>(
    parts: Arc<LiveGit>,
    client: Client,
    known: fn(&LiveGit) -> (&Known<K>, &Latch),
    shutdown: CancellationToken,
) -> anyhow::Result<()>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
{
    let api = Api::<DynamicObject>::all_with(client, &ApiResource::erase::<K>(&()));
    let (notes, scope) = (parts.clone(), parts.context.scope.handle().clone());
    let stream = watch_namespaced(api, config(), scope, move |event| note(&notes, known, event));
    follow::<K>(&parts, stream, known(&parts).1, shutdown).await
}

/// Watches a cluster-scoped kind until shutdown.
///
/// # Errors
/// As [`namespaced`].
pub async fn cluster<K>(
    parts: Arc<LiveGit>,
    client: Client,
    known: fn(&LiveGit) -> (&Known<K>, &Latch),
    shutdown: CancellationToken,
) -> anyhow::Result<()>
where
    K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
{
    let api = Api::<DynamicObject>::all_with(client, &ApiResource::erase::<K>(&()));
    let notes = parts.clone();
    let stream = watch_cluster(api, config()).inspect(move |event| {
        if let Ok(event) = event {
            note(&notes, known, event);
        }
    });
    follow::<K>(&parts, stream, known(&parts).1, shutdown).await
}

fn config() -> Config {
    Config::default().timeout(WATCH_SECONDS)
}

fn note<K>(parts: &LiveGit, known: fn(&LiveGit) -> (&Known<K>, &Latch), event: &Event<DynamicObject>)
where
    K: Resource<DynamicType = ()> + DeserializeOwned,
{
    if let Some(error) = known(parts).0.note(event) {
        let kind = K::kind(&());
        tracing::warn!(%kind, error, "an object cannot be read and counts as none; correct it, or update the operator");
    }
}

async fn follow<K: Resource<DynamicType = ()>>(
    parts: &LiveGit,
    stream: impl Stream<Item = watcher::Result<Event<DynamicObject>>> + Send,
    listed: &Latch,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    pin_mut!(stream);
    let kind = K::kind(&());
    loop {
        let event = tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            event = stream.next() => event,
        };
        match event {
            Some(Ok(event)) => {
                if matches!(event, Event::InitDone) {
                    listed.set();
                }
                parts.board.touch();
            }
            Some(Err(error)) => {
                parts.context.metrics.watch_errors.with_label_values(&[&*kind]).inc();
                tracing::warn!(%kind, %error, "watch broke; it is taken up again");
            }
            None => anyhow::bail!("the watch of {kind} ended"),
        }
    }
}
