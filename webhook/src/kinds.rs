//! Which kinds the API server serves: asked in the background, so that no answer waits for discovery.

use std::{collections::HashMap, sync::Arc, time::Duration};

use arc_swap::ArcSwapOption;
use kube::{Client, Discovery, discovery};
use nsclass_shared::{
    identity::Gvk,
    kinds::{Kinds, Scope},
    livegit::{
        kinds::GroupResource,
        served::{self, Found},
    },
    runtime::follow_discovery,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{author::Resources, metrics::Metrics};

/// Pause between two looks, also when kinds are missed: reviews of a class that waits for its CRD must not become a storm.
const PAUSE: Duration = Duration::from_secs(5);

/// The kinds as they were at the last look. A kind that has just come counts as unknown for a few seconds, which is a warning.
#[derive(Clone, Default)]
pub struct KindTable {
    known: Arc<ArcSwapOption<HashMap<Gvk, Served>>>,
    missed: Arc<Notify>,
}

/// What discovery says of a kind.
#[derive(Clone)]
struct Served {
    scope: Scope,
    resource: String,
}

impl KindTable {
    /// Whether there was a look.
    pub fn is_known(&self) -> bool {
        self.known.load().is_some()
    }

    /// Looks at once, and again whenever a kind was missed, until shutdown.
    ///
    /// # Errors
    /// None; the signature is that of a supervised task.
    pub async fn follow(self, client: Client, metrics: Metrics, shutdown: CancellationToken) -> anyhow::Result<()> {
        let looked = |found: Option<&Discovery>| match found {
            Some(found) => self.known.store(Some(Arc::new(table(found)))),
            None => metrics.discovery_failures.inc(),
        };
        follow_discovery(client, &self.missed, PAUSE, looked, shutdown).await;
        Ok(())
    }
}

fn table(found: &Discovery) -> HashMap<Gvk, Served> {
    let mut table = HashMap::new();
    for group in found.groups() {
        for (resource, capabilities) in group.versions().flat_map(|version| group.versioned_resources(version)) {
            let scope = match capabilities.scope {
                discovery::Scope::Namespaced => Scope::Namespaced,
                discovery::Scope::Cluster => Scope::ClusterScoped,
            };
            let gvk = Gvk { group: resource.group, version: resource.version, kind: resource.kind };
            table.insert(gvk, Served { scope, resource: resource.plural });
        }
    }
    table
}

impl Kinds for KindTable {
    fn scope(&self, gvk: &Gvk) -> Scope {
        let known = self.known.load();
        known.as_ref().and_then(|known| known.get(gvk).map(|served| served.scope)).unwrap_or_else(|| {
            self.missed.notify_one();
            Scope::Unknown
        })
    }
}

impl served::Served for KindTable {
    fn find(&self, kind: &GroupResource) -> Found {
        let known = self.known.load();
        let Some(known) = known.as_ref() else { return Found::Unknown };
        let is = |(gvk, served): &(&Gvk, &Served)| gvk.group == kind.group && served.resource == kind.resource;
        match known.iter().find(is).map(|(_, served)| served.scope) {
            Some(Scope::Namespaced) => Found::Namespaced,
            Some(Scope::ClusterScoped) => Found::Cluster,
            Some(Scope::Unknown) | None => {
                self.missed.notify_one();
                Found::NotServed
            }
        }
    }
}

impl Resources for KindTable {
    fn resource(&self, gvk: &Gvk) -> Option<String> {
        self.known.load().as_ref().and_then(|known| known.get(gvk).map(|served| served.resource.clone()))
    }
}
