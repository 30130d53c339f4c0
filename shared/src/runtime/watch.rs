//! The one place where watches are made; clippy's disallowed-methods keeps others out (scope.md S31).

use std::fmt::Debug;

use futures::{Stream, StreamExt};
use kube::{
    Api, Resource, ResourceExt,
    runtime::{
        WatchStreamExt,
        watcher::{self, Config, Event},
    },
};
use serde::de::DeserializeOwned;

use super::ScopeHandle;
use crate::scope::Verdict;

/// Watches a cluster-scoped kind. What breaks is taken up again by the stream itself, with pauses; an error in it is for the log.
pub fn watch_cluster<K>(api: Api<K>, config: Config) -> impl Stream<Item = watcher::Result<Event<K>>> + Send
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    #[allow(clippy::disallowed_methods, reason = "this is the constructor")]
    let events = watcher::watcher(api, config);
    events.default_backoff()
}

/// Watches a kind in the operator's own namespace, which is in scope whatever was seen (S04).
pub fn watch_own<K>(api: Api<K>, config: Config) -> impl Stream<Item = watcher::Result<Event<K>>> + Send
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    watch_cluster(api, config)
}

/// Watches a namespaced kind. The scope stands before any other predicate: what is not in scope is not in the stream. Every event goes to
/// `unfiltered` first, so that what comes before its namespace is known is not lost: the flip that makes it known finds it there
/// ([`super::ByNamespace`], a kube store). The marks of a list ([`Event::Init`], [`Event::InitDone`]) always pass.
pub fn watch_namespaced<K>(
    api: Api<K>,
    config: Config,
    scope: ScopeHandle,
    mut unfiltered: impl FnMut(&Event<K>) + Send,
) -> impl Stream<Item = watcher::Result<Event<K>>> + Send
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    watch_cluster(api, config).filter(move |event| {
        let passes = event.as_ref().map_or(true, |event| {
            unfiltered(event);
            is_in_scope(&scope, event)
        });
        std::future::ready(passes)
    })
}

fn is_in_scope<K: Resource>(scope: &ScopeHandle, event: &Event<K>) -> bool {
    match event {
        Event::Apply(object) | Event::InitApply(object) | Event::Delete(object) => {
            scope.verdict(&object.namespace().unwrap_or_default()) == Verdict::InScope
        }
        Event::Init | Event::InitDone => true,
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::scope::{Index, Observation, Pick, ScopeRule};

    #[test]
    fn s31_only_what_is_in_scope_passes_and_the_marks_of_a_list_always_do() {
        let mut index = Index::new(ScopeRule::new("own", Pick::Named(["in".to_owned()].into())));
        let labels = std::collections::BTreeMap::new();
        for name in ["in", "out"] {
            index.apply(&Observation { name, uid: name, revision: 1, labels: &labels });
        }
        index.publish(jiff::Timestamp::UNIX_EPOCH);
        let scope = ScopeHandle::new(index.snapshot());
        let object = |namespace: &str| {
            let mut map = ConfigMap::default();
            map.metadata.namespace = Some(namespace.into());
            map
        };
        for (namespace, passes) in [("in", true), ("own", true), ("out", false), ("never", false)] {
            for event in
                [Event::Apply(object(namespace)), Event::InitApply(object(namespace)), Event::Delete(object(namespace))]
            {
                assert_eq!(is_in_scope(&scope, &event), passes, "{event:?}");
            }
        }
        assert!(is_in_scope::<ConfigMap>(&scope, &Event::Init) && is_in_scope::<ConfigMap>(&scope, &Event::InitDone));
    }
}
