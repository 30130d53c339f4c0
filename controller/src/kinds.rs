//! Which kinds the API server serves, cached by group and version, and asked again when a kind is unknown.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
    time::Duration,
};

use kube::{Client, api::ApiResource};
use nsclass_shared::{
    identity::Gvk,
    kinds::{Kinds, Scope},
};
use tokio::time::Instant;

/// How long "not served" is believed without asking again. A CRD's arrival ends it at once.
const UNKNOWN_FOR: Duration = Duration::from_secs(10);
/// How long it is believed while the group has just changed: discovery follows the last event of a CRD after a moment, without another
/// event. Not zero, because thousands of namespaces may wait for one kind.
const UNKNOWN_WHILE_SETTLING: Duration = Duration::from_millis(250);
/// How long a change of a group may take to show in discovery.
const SETTLING: Duration = Duration::from_secs(10);

/// Group and version.
type GroupVersion = (String, String);

/// The cache. Answers are as old as the last [`KindCache::learn`] that found them missing.
pub struct KindCache {
    client: Client,
    known: RwLock<HashMap<GroupVersion, Served>>,
    /// When something about a group was last said to have changed.
    changed: RwLock<HashMap<String, Instant>>,
}

#[derive(Debug, Clone)]
struct Served {
    kinds: HashMap<String, (ApiResource, Scope)>,
    asked: Instant,
}

impl KindCache {
    /// Empty.
    pub fn new(client: Client) -> Self {
        Self { client, known: RwLock::default(), changed: RwLock::default() }
    }

    /// Asks the API server for the kinds among `gvks` that are not known.
    ///
    /// # Errors
    /// When the API server gives no definite answer; nothing may be concluded then.
    pub async fn learn(&self, gvks: impl IntoIterator<Item = Gvk>) -> Result<(), kube::Error> {
        for gvk in gvks {
            if self.is_answered(&gvk) {
                continue;
            }
            let kinds = self.ask(&gvk).await?;
            let served = Served { kinds, asked: Instant::now() };
            self.known.write().unwrap_or_else(PoisonError::into_inner).insert((gvk.group, gvk.version), served);
        }
        Ok(())
    }

    /// How to speak of a kind, if it is served.
    pub fn resource(&self, gvk: &Gvk) -> Option<(ApiResource, Scope)> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&(gvk.group.clone(), gvk.version.clone()))?.kinds.get(&gvk.kind).cloned()
    }

    /// How to speak of a kind in that version, or in another one that is served where that one is not. None is a definite "the kind
    /// is not served".
    ///
    /// # Errors
    /// As [`Self::learn`].
    pub async fn resource_in_any_version(&self, gvk: &Gvk) -> Result<Option<ApiResource>, kube::Error> {
        self.learn([gvk.clone()]).await?;
        if let Some((resource, _)) = self.resource(gvk) {
            return Ok(Some(resource));
        }
        for version in self.versions(&gvk.group).await? {
            let other = Gvk { version, ..gvk.clone() };
            self.learn([other.clone()]).await?;
            if let Some((resource, _)) = self.resource(&other) {
                return Ok(Some(resource));
            }
        }
        Ok(None)
    }

    /// Something about a group's kinds changed.
    pub fn forget_group(&self, group: &str) {
        self.changed.write().unwrap_or_else(PoisonError::into_inner).insert(group.to_owned(), Instant::now());
        self.known.write().unwrap_or_else(PoisonError::into_inner).retain(|(g, _), _| g != group);
    }

    fn is_answered(&self, gvk: &Gvk) -> bool {
        let changed = self.changed.read().unwrap_or_else(PoisonError::into_inner).get(&gvk.group).map(Instant::elapsed);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known
            .get(&(gvk.group.clone(), gvk.version.clone()))
            .is_some_and(|served| served.kinds.contains_key(&gvk.kind) || served.asked.elapsed() < unknown_for(changed))
    }

    async fn ask(&self, gvk: &Gvk) -> Result<HashMap<String, (ApiResource, Scope)>, kube::Error> {
        let answer = if gvk.group.is_empty() {
            self.client.list_core_api_resources(&gvk.version).await
        } else {
            self.client.list_api_group_resources(&gvk.api_version()).await
        };
        let list = match answer {
            Ok(list) => list,
            // No such group and version: a definite answer.
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(HashMap::new()),
            Err(error) => return Err(error),
        };
        let whole = list.resources.into_iter().filter(|resource| !resource.name.contains('/'));
        Ok(whole
            .map(|resource| {
                let scope = if resource.namespaced { Scope::Namespaced } else { Scope::ClusterScoped };
                let kind = ApiResource {
                    group: gvk.group.clone(),
                    version: gvk.version.clone(),
                    api_version: gvk.api_version(),
                    kind: resource.kind.clone(),
                    plural: resource.name,
                };
                (resource.kind, (kind, scope))
            })
            .collect())
    }

    async fn versions(&self, group: &str) -> Result<Vec<String>, kube::Error> {
        if group.is_empty() {
            return Ok(vec!["v1".into()]);
        }
        let groups = self.client.list_api_groups().await?;
        let found = groups.groups.into_iter().find(|g| g.name == group);
        Ok(found.map(|g| g.versions.into_iter().map(|v| v.version).collect()).unwrap_or_default())
    }
}

impl Kinds for KindCache {
    fn scope(&self, gvk: &Gvk) -> Scope {
        self.resource(gvk).map_or(Scope::Unknown, |(_, scope)| scope)
    }
}

/// How long "not served" is believed, given how long ago the group changed.
fn unknown_for(changed: Option<Duration>) -> Duration {
    if changed.is_some_and(|ago| ago < SETTLING) { UNKNOWN_WHILE_SETTLING } else { UNKNOWN_FOR }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_served_is_doubted_soon_after_the_group_changed_and_believed_later() {
        assert_eq!(unknown_for(None), UNKNOWN_FOR);
        assert_eq!(unknown_for(Some(Duration::ZERO)), UNKNOWN_WHILE_SETTLING);
        assert_eq!(unknown_for(Some(SETTLING)), UNKNOWN_FOR);
    }
}
