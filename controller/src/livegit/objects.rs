//! The objects of our four kinds as the watches have them, whatever the scope says of their namespaces (scope.md S24, S25).

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use kube::{Resource, ResourceExt, api::DynamicObject, runtime::watcher::Event};
use nsclass_shared::api::{ClusterWatchRule, GitProvider, GitTarget, WatchRule};
use serde::de::DeserializeOwned;

/// All of them.
#[derive(Debug, Default)]
pub struct Objects {
    /// Repositories.
    pub providers: Known<GitProvider>,
    /// Folders.
    pub targets: Known<GitTarget>,
    /// What is written from a namespace.
    pub rules: Known<WatchRule>,
    /// What is written from the cluster.
    pub cluster_rules: Known<ClusterWatchRule>,
}

/// The objects of one kind.
#[derive(Debug)]
pub struct Known<K>(Mutex<Maps<K>>);

/// By namespace and name.
type Map<K> = BTreeMap<(String, String), Arc<K>>;

#[derive(Debug)]
struct Maps<K> {
    known: Map<K>,
    /// Of the list that is under way.
    relist: Map<K>,
}

impl<K> Default for Known<K> {
    fn default() -> Self {
        Self(Mutex::new(Maps { known: Map::new(), relist: Map::new() }))
    }
}

impl<K: Resource + DeserializeOwned> Known<K> {
    /// Takes an event. One that cannot be decoded counts as no object, and stops no other (DESIGN decision 12); its text is returned.
    pub fn note(&self, event: &Event<DynamicObject>) -> Option<String> {
        let mut maps = self.maps();
        let (object, map) = match event {
            Event::Init => {
                maps.relist.clear();
                return None;
            }
            Event::InitDone => {
                maps.known = std::mem::take(&mut maps.relist);
                return None;
            }
            Event::Delete(object) => {
                maps.known.remove(&key(object));
                return None;
            }
            Event::Apply(object) => (object, &mut maps.known),
            Event::InitApply(object) => (object, &mut maps.relist),
        };
        match object.clone().try_parse::<K>() {
            Ok(parsed) => {
                map.insert(key(object), Arc::new(parsed));
                None
            }
            Err(error) => {
                map.remove(&key(object));
                Some(error.to_string())
            }
        }
    }

    /// All of them, by namespace and name.
    pub fn all(&self) -> Vec<Arc<K>> {
        self.maps().known.values().cloned().collect()
    }

    /// One of them.
    pub fn get(&self, namespace: &str, name: &str) -> Option<Arc<K>> {
        self.maps().known.get(&(namespace.to_owned(), name.to_owned())).cloned()
    }

    fn maps(&self) -> MutexGuard<'_, Maps<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(object: &DynamicObject) -> (String, String) {
    (object.namespace().unwrap_or_default(), object.name_any())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn target(name: &str, spec: &Value) -> DynamicObject {
        serde_json::from_value(json!({
            "apiVersion": "nsclass.io/v1alpha1", "kind": "GitTarget", "metadata": { "namespace": "pay", "name": name }, "spec": spec,
        }))
        .unwrap()
    }

    #[test]
    fn a06_an_object_that_cannot_be_decoded_is_none_and_stops_no_other() {
        let known = Known::<GitTarget>::default();
        let spec = json!({ "providerRef": { "name": "origin" }, "branch": "main", "path": "apps" });
        assert_eq!(known.note(&Event::Apply(target("good", &spec))), None);
        assert_eq!(known.note(&Event::Apply(target("bad", &spec))), None);
        assert!(known.note(&Event::Apply(target("bad", &json!({ "path": 7 })))).is_some());
        assert_eq!(known.all().iter().map(|target| target.name_any()).collect::<Vec<_>>(), ["good"]);
        // What vanished while the watch was broken goes with the next whole list, and not before.
        known.note(&Event::Init);
        known.note(&Event::InitApply(target("new", &spec)));
        assert!(known.get("pay", "good").is_some());
        known.note(&Event::InitDone);
        assert!(known.get("pay", "good").is_none() && known.get("pay", "new").is_some());
    }
}
