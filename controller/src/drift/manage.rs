//! Starts and stops the watches: one for each kind in use, for all namespaces together.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::{task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{in_use::GroupKind, lock, watch::watch};
use crate::{connect::metadata_only, context::Context};

/// How long a kind that no inventory holds is still watched: a namespace that goes from one class to another needs it again at once.
const LINGER: Duration = Duration::from_secs(10);

struct Running {
    stop: CancellationToken,
    unused_since: Option<Instant>,
}

/// Keeps the watches until shutdown.
///
/// # Errors
/// One of them panicked.
pub async fn watch_kinds(context: Arc<Context>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let client = metadata_only(&context.client);
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
            told = changes.changed() => told?,
            () = tokio::time::sleep_until(next) => {}
            Some(ended) = tasks.join_next() => ended?,
        }
    }
    while let Some(ended) = tasks.join_next().await {
        ended?;
    }
    Ok(())
}
