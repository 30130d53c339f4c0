//! Starts and stops the watches: one for each kind in use, for all namespaces together.

use std::{collections::HashMap, sync::Arc, time::Duration};

use http::{HeaderValue, Request, header::ACCEPT};
use kube::{Client, client::Body};
use tokio::{task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{in_use::GroupKind, lock, watch::watch};
use crate::context::Context;

/// How long a kind that no inventory holds is still watched: a namespace that goes from one class to another needs it again at once.
const LINGER: Duration = Duration::from_secs(10);

const ONE: HeaderValue = HeaderValue::from_static("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
const LIST: HeaderValue = HeaderValue::from_static("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");

struct Running {
    stop: CancellationToken,
    unused_since: Option<Instant>,
}

/// Keeps the watches until shutdown.
///
/// # Errors
/// One of them panicked.
pub async fn watch_kinds(context: Arc<Context>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let client = of_metadata(&context.client);
    let mut changes = context.drift.kinds_changed.subscribe();
    let mut running: HashMap<GroupKind, Running> = HashMap::new();
    let mut tasks = JoinSet::new();
    loop {
        changes.mark_unchanged();
        let kinds = lock(&context.drift.in_use).kinds();
        let now = Instant::now();
        running.retain(|kind, one| {
            let unused_since = if kinds.contains_key(kind) { None } else { one.unused_since.or(Some(now)) };
            one.unused_since = unused_since;
            let over = unused_since.is_some_and(|since| since + LINGER <= now);
            if over {
                tracing::debug!(group = kind.group, kind = kind.kind, "drift watch ends: nothing of the kind is ours");
                one.stop.cancel();
            }
            !over
        });
        for (kind, gvk) in kinds {
            if running.contains_key(&kind) {
                continue;
            }
            tracing::debug!(group = kind.group, kind = kind.kind, "drift watch begins");
            let stop = shutdown.child_token();
            running.insert(kind.clone(), Running { stop: stop.clone(), unused_since: None });
            let (context, client) = (context.clone(), client.clone());
            tasks.spawn(async move { watch(&context, &client, &kind, &gvk, stop).await });
        }
        context.metrics.drift_watches.set(i64::try_from(running.len()).unwrap_or(i64::MAX));
        let next = running.values().filter_map(|one| one.unused_since).min().map_or(now + LINGER * 6, |at| at + LINGER);
        tokio::select! {
            () = shutdown.cancelled() => break,
            changed = changes.changed() => changed?,
            () = tokio::time::sleep_until(next) => {}
            Some(ended) = tasks.join_next() => ended?,
        }
    }
    while let Some(ended) = tasks.join_next().await {
        ended?;
    }
    Ok(())
}

/// A client over the same connections that asks for metadata alone. kube's own metadata watch decodes into a type in which one object
/// that cannot be read ends the watch of all.
fn of_metadata(client: &Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let client = client.clone();
    let service = tower::service_fn(move |mut request: Request<Body>| {
        let is_watch = request.uri().query().is_some_and(|query| query.split('&').any(|pair| pair == "watch=true"));
        request.headers_mut().insert(ACCEPT, if is_watch { ONE } else { LIST });
        let client = client.clone();
        async move { client.send(request).await }
    });
    Client::new(service, namespace)
}
