//! Which objects of a kind are in which namespace, from an unfiltered watch: what a flip has to enqueue.

use std::{
    collections::{BTreeSet, HashMap},
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use kube::{Resource, ResourceExt, runtime::watcher::Event};

use super::FlipMapper;
use crate::scope::Flip;

/// A namespaced object by its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NamespacedName {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// The names of a kind's objects, by namespace, whatever the scope says of it: what came before its namespace was known is here when the
/// flip comes (scope.md S24). Clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct ByNamespace(Arc<Mutex<Names>>);

#[derive(Debug, Default)]
struct Names {
    known: HashMap<String, BTreeSet<String>>,
    /// Of the list that is under way.
    relist: HashMap<String, BTreeSet<String>>,
}

impl ByNamespace {
    /// Takes an event of the unfiltered watch.
    pub fn note<K: Resource>(&self, event: &Event<K>) {
        let mut names = self.names();
        match event {
            Event::Apply(object) => insert(&mut names.known, object),
            Event::InitApply(object) => insert(&mut names.relist, object),
            Event::Init => names.relist.clear(),
            Event::InitDone => names.known = std::mem::take(&mut names.relist),
            Event::Delete(object) => {
                let namespace = object.namespace().unwrap_or_default();
                if let Some(there) = names.known.get_mut(&namespace) {
                    there.remove(&object.name_any());
                    if there.is_empty() {
                        names.known.remove(&namespace);
                    }
                }
            }
        }
    }

    /// The objects in a namespace.
    pub fn of(&self, namespace: &str) -> Vec<NamespacedName> {
        let name = |name: &String| NamespacedName { namespace: namespace.to_owned(), name: name.clone() };
        self.names().known.get(namespace).into_iter().flatten().map(name).collect()
    }

    fn names(&self) -> MutexGuard<'_, Names> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn insert<K: Resource>(names: &mut HashMap<String, BTreeSet<String>>, object: &K) {
    names.entry(object.namespace().unwrap_or_default()).or_default().insert(object.name_any());
}

/// The default mapper: every object of the kind in the flipped namespace (S25).
#[derive(Clone, Debug)]
pub struct InNamespace(pub ByNamespace);

impl FlipMapper for InNamespace {
    type Object = NamespacedName;
    type Error = Infallible;

    async fn objects(&self, flip: &Flip) -> Result<Vec<NamespacedName>, Infallible> {
        Ok(self.0.of(&flip.namespace))
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::scope::Direction;

    fn map(namespace: &str, name: &str) -> ConfigMap {
        let mut map = ConfigMap::default();
        map.metadata.namespace = Some(namespace.into());
        map.metadata.name = Some(name.into());
        map
    }

    #[tokio::test]
    async fn s24_objects_that_came_before_their_namespace_are_there_when_it_flips() {
        let names = ByNamespace::default();
        names.note(&Event::Init::<ConfigMap>);
        names.note(&Event::InitApply(map("pay", "a")));
        assert_eq!(names.of("pay"), [], "a list that is not complete says nothing");
        names.note(&Event::InitDone::<ConfigMap>);
        names.note(&Event::Apply(map("pay", "b")));
        names.note(&Event::Apply(map("shop", "c")));
        names.note(&Event::Delete(map("shop", "c")));
        let flip = Flip { namespace: "pay".into(), direction: Direction::Appeared, epoch: 1 };
        let found = InNamespace(names.clone()).objects(&flip).await.unwrap();
        assert_eq!(found.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert!(names.names().known.len() == 1, "a namespace without objects takes no memory");
    }
}
