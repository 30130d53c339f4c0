//! The bindings, as the watch has them or as we wrote them since, whichever is newer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use kube::{
    Api, Client, ResourceExt,
    core::{DeserializeGuard, error_boundary::InvalidObject},
    runtime::reflector::{ObjectRef, Store},
};
use nsclass_shared::api::NamespaceClassBinding;
use thiserror::Error;

/// What the watch decodes: one that cannot be read hurts only itself (DESIGN decision 12).
pub type Guarded = DeserializeGuard<NamespaceClassBinding>;

/// The binding is there and cannot be read; nothing of it may be touched.
#[derive(Error, Debug)]
#[error("the binding cannot be read: {0}")]
pub struct Damaged(String);

/// Bindings by namespace. A write of ours shows at once, before the watch tells of it.
#[derive(Clone, Debug)]
pub struct Bindings {
    watched: Store<Guarded>,
    written: Arc<Mutex<HashMap<String, Written>>>,
}

#[derive(Clone, Debug)]
enum Written {
    Stored(Arc<NamespaceClassBinding>),
    /// We deleted the one with this UID.
    Deleted(String),
}

impl Bindings {
    /// Over what the watch fills.
    pub fn new(watched: Store<Guarded>) -> Self {
        Self { watched, written: Arc::default() }
    }

    /// The store that the watch fills.
    pub fn watched(&self) -> &Store<Guarded> {
        &self.watched
    }

    /// The binding of a namespace.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn get(&self, namespace: &str) -> Result<Option<Arc<NamespaceClassBinding>>, Damaged> {
        let watched = self.watched.get(&ObjectRef::new(namespace));
        let mut written = self.written();
        match written.get(namespace) {
            None => {}
            Some(Written::Stored(ours)) => {
                if watched.as_ref().is_none_or(|w| {
                    revision(w.resource_version().as_deref()) < revision(ours.resource_version().as_deref())
                }) {
                    return Ok(Some(ours.clone()));
                }
                written.remove(namespace);
            }
            Some(Written::Deleted(uid)) => {
                if watched.as_ref().is_some_and(|w| w.uid().as_deref() == Some(uid)) {
                    return Ok(None);
                }
                written.remove(namespace);
            }
        }
        match watched.as_deref() {
            None => Ok(None),
            Some(DeserializeGuard(Ok(binding))) => Ok(Some(Arc::new(binding.clone()))),
            Some(DeserializeGuard(Err(InvalidObject { error, .. }))) => Err(Damaged(error.clone())),
        }
    }

    /// Whether the watch tells of what we wrote ourselves.
    pub fn is_own_write(&self, seen: &Guarded) -> bool {
        match self.written().get(&seen.name_any()) {
            Some(Written::Stored(ours)) => ours.resource_version() == seen.resource_version(),
            _ => false,
        }
    }

    /// We wrote this.
    pub fn wrote(&self, binding: NamespaceClassBinding) {
        self.written().insert(binding.name_any(), Written::Stored(Arc::new(binding)));
    }

    /// We deleted this.
    pub fn deleted(&self, binding: &NamespaceClassBinding) {
        let uid = binding.uid().unwrap_or_default();
        self.written().insert(binding.name_any(), Written::Deleted(uid));
    }

    /// Reads the binding from the API server, after a write found ours to be old.
    ///
    /// # Errors
    /// The API server's.
    pub async fn refresh(&self, client: &Client, namespace: &str) -> Result<(), kube::Error> {
        let live = Api::<NamespaceClassBinding>::all(client.clone()).get_opt(namespace).await?;
        let mut written = self.written();
        let now = if let Some(mut live) = live {
            live.metadata.managed_fields = None;
            Written::Stored(Arc::new(live))
        } else {
            let watched = self.watched.get(&ObjectRef::new(namespace)).and_then(|w| w.uid());
            Written::Deleted(watched.unwrap_or_default())
        };
        written.insert(namespace.to_owned(), now);
        Ok(())
    }

    /// All that can be read, as the watch has them or newer.
    pub fn all(&self) -> Vec<Arc<NamespaceClassBinding>> {
        let names = self.watched.state().iter().map(|w| w.name_any()).collect::<Vec<_>>();
        let mut all: HashMap<String, Arc<NamespaceClassBinding>> = HashMap::new();
        let unseen: Vec<String> = self.written().keys().cloned().collect();
        for name in names.into_iter().chain(unseen) {
            if let Ok(Some(binding)) = self.get(&name) {
                all.insert(name, binding);
            }
        }
        all.into_values().collect()
    }

    fn written(&self) -> MutexGuard<'_, HashMap<String, Written>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// resourceVersions of one kind grow as numbers, in every API server that is backed by etcd; since Kubernetes 1.35 that is promised
/// (KEP-5504). What is no number counts as oldest.
fn revision(resource_version: Option<&str>) -> u64 {
    resource_version.and_then(|version| version.parse().ok()).unwrap_or(0)
}
