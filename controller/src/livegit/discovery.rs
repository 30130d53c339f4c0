//! What the API server serves, for rules, streams and the folder engine. The last good look stays in use while discovery is away, so that
//! an outage flips no verdict (folders.md F23).

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use arc_swap::ArcSwapOption;
use kube::{
    Client, Discovery as Look,
    api::ApiResource,
    discovery::{Scope, verbs},
};
use nsclass_manifests::kinds::{KindTable, Scope as FolderScope};
use nsclass_shared::{
    livegit::{
        kinds::GroupResource,
        served::{Found, Served},
    },
    runtime::follow_discovery,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Pause between two looks, also when kinds are missed.
const PAUSE: Duration = Duration::from_secs(2);

/// The last good look.
#[derive(Clone, Default)]
pub struct Discovery {
    seen: Arc<ArcSwapOption<Seen>>,
    missed: Arc<Notify>,
}

struct Seen {
    kinds: BTreeMap<GroupResource, Kind>,
    table: Arc<KindTable>,
}

/// One kind, in the version that its group prefers.
#[derive(Clone, Debug, PartialEq)]
struct Kind {
    resource: ApiResource,
    is_namespaced: bool,
    /// Whether it can be listed and watched.
    is_watchable: bool,
}

impl Discovery {
    /// For the folder engine; ready only after a good look.
    pub fn table(&self) -> Arc<KindTable> {
        self.seen.load().as_ref().map_or_else(|| Arc::new(KindTable::builtin()), |seen| seen.table.clone())
    }

    /// How to speak of a kind.
    pub fn resource(&self, kind: &GroupResource) -> Option<ApiResource> {
        self.seen.load().as_ref()?.kinds.get(kind).map(|kind| kind.resource.clone())
    }

    /// Has everything looked at again soon.
    pub fn look_again(&self) {
        self.missed.notify_one();
    }

    /// Looks at once and again whenever somebody misses a kind or a definition changes, until shutdown; `changed` is called when a look
    /// showed something else than the one before.
    ///
    /// # Errors
    /// None; the signature is that of a supervised task.
    pub async fn follow(
        self,
        client: Client,
        changed: impl Fn() + Send,
        shutdown: CancellationToken,
    ) -> anyhow::Result<()> {
        let seen = self.clone();
        let looked = move |found: Option<&Look>| {
            if found.is_some_and(|found| seen.take(found)) {
                changed();
            }
        };
        follow_discovery(client, &self.missed, PAUSE, looked, shutdown).await;
        Ok(())
    }

    /// Whether it shows something else.
    fn take(&self, found: &Look) -> bool {
        let mut kinds = BTreeMap::new();
        for group in found.groups() {
            let mut versions: Vec<_> = group.versions().collect();
            // The preferred version comes last, so that it stands.
            versions.sort_by_key(|version| *version == group.preferred_version_or_latest());
            let mut is_empty = true;
            for (resource, capabilities) in versions.into_iter().flat_map(|version| group.versioned_resources(version))
            {
                is_empty = false;
                let is_namespaced = capabilities.scope == Scope::Namespaced;
                let is_watchable = [verbs::LIST, verbs::WATCH].iter().all(|verb| capabilities.supports_operation(verb));
                let name = GroupResource { group: resource.group.clone(), resource: resource.plural.clone() };
                kinds.insert(name, Kind { resource, is_namespaced, is_watchable });
            }
            // The server behind an aggregated group is away: the group is listed, and nothing of it.
            if is_empty && let Some(before) = self.seen.load().as_ref() {
                let of_group = before.kinds.iter().filter(|(kind, _)| kind.group == group.name());
                kinds.extend(of_group.map(|(name, kind)| (name.clone(), kind.clone())));
            }
        }
        if self.seen.load().as_ref().is_some_and(|seen| seen.kinds == kinds) {
            return false;
        }
        let mut table = KindTable::default();
        for (name, kind) in &kinds {
            let scope = if kind.is_namespaced { FolderScope::Namespaced } else { FolderScope::Cluster };
            table.insert(&name.group, &kind.resource.kind, &name.resource, scope);
        }
        self.seen.store(Some(Arc::new(Seen { kinds, table: Arc::new(table.ready(true)) })));
        true
    }
}

impl Served for Discovery {
    fn find(&self, kind: &GroupResource) -> Found {
        let seen = self.seen.load();
        let Some(seen) = seen.as_ref() else { return Found::Unknown };
        match seen.kinds.get(kind) {
            Some(Kind { is_watchable: true, is_namespaced: true, .. }) => Found::Namespaced,
            Some(Kind { is_watchable: true, .. }) => Found::Cluster,
            Some(_) => Found::NotServed,
            None => {
                self.missed.notify_one();
                Found::NotServed
            }
        }
    }
}
