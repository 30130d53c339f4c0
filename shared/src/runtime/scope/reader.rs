//! Reads that know the scope (scope.md S30).

use std::{collections::BTreeSet, fmt::Debug};

use k8s_openapi::NamespaceResourceScope;
use kube::{Api, Client, Resource, ResourceExt, api::ListParams};
use serde::de::DeserializeOwned;

use super::ScopeHandle;
use crate::scope::Verdict;

/// The answer to a read in one namespace. "Out of scope" is not "not found", and "unknown" is neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InScope<T> {
    /// The namespace is in scope, and this is what the API server says.
    Read(T),
    /// The namespace is out of scope: nobody asked the API server.
    OutOfScope,
    /// The namespace was never seen: nobody asked the API server, and nothing may be concluded.
    Unknown,
}

/// What a list over all namespaces holds.
#[derive(Clone, Debug)]
pub struct ScopedList<K> {
    /// The objects in scope.
    pub items: Vec<K>,
    /// Namespaces of objects that were left out because they are unknown; what is out of scope is left out without a word.
    pub unknown: BTreeSet<String>,
}

/// A client for the objects of one namespaced kind, where they are in scope. Writes pass through: [`Self::api`].
#[derive(Clone)]
pub struct ScopedReader {
    client: Client,
    scope: ScopeHandle,
}

impl ScopedReader {
    /// Over a client.
    pub fn new(client: Client, scope: ScopeHandle) -> Self {
        Self { client, scope }
    }

    /// The API of a kind in a namespace, whatever the scope says: for writes.
    pub fn api<K>(&self, namespace: &str) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), namespace)
    }

    /// One object; none where the API server says that it is not there.
    ///
    /// # Errors
    /// The API server's.
    pub async fn get<K>(&self, namespace: &str, name: &str) -> Result<InScope<Option<K>>, kube::Error>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
    {
        match self.scope.verdict(namespace) {
            Verdict::InScope => Ok(InScope::Read(self.api::<K>(namespace).get_opt(name).await?)),
            Verdict::OutOfScope => Ok(InScope::OutOfScope),
            Verdict::Unknown => Ok(InScope::Unknown),
        }
    }

    /// The objects of one namespace.
    ///
    /// # Errors
    /// The API server's.
    pub async fn list<K>(&self, namespace: &str, params: &ListParams) -> Result<InScope<Vec<K>>, kube::Error>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
    {
        match self.scope.verdict(namespace) {
            Verdict::InScope => Ok(InScope::Read(self.api::<K>(namespace).list(params).await?.items)),
            Verdict::OutOfScope => Ok(InScope::OutOfScope),
            Verdict::Unknown => Ok(InScope::Unknown),
        }
    }

    /// The objects of all namespaces that are in scope. One unknown namespace does not empty the list.
    ///
    /// # Errors
    /// The API server's.
    pub async fn list_all<K>(&self, params: &ListParams) -> Result<ScopedList<K>, kube::Error>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
    {
        let objects = Api::<K>::all(self.client.clone()).list(params).await?.items;
        // One snapshot for all of them, of after the list: what it knows is at least what the list shows.
        let snapshot = self.scope.load_full();
        let mut list = ScopedList { items: Vec::new(), unknown: BTreeSet::new() };
        for object in objects {
            let namespace = object.namespace().unwrap_or_default();
            match snapshot.verdict(&namespace) {
                Verdict::InScope => list.items.push(object),
                Verdict::OutOfScope => {}
                Verdict::Unknown => {
                    list.unknown.insert(namespace);
                }
            }
        }
        Ok(list)
    }
}
