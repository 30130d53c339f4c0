//! Questions to the API server, with three answers: it is there, it is not, it is not known.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use kube::discovery::{ApiCapabilities, Scope, pinned_kind};
use kube::{Api, Client, Resource};
use nsclass_shared::api::{InventoryEntry, NamespaceClass, NamespaceClassBinding};
use serde::de::DeserializeOwned;

/// The cluster, as the demo looks at it.
pub struct Cluster {
    client: Client,
    /// Kinds that were found to be served.
    kinds: Mutex<HashMap<GroupVersionKind, (ApiResource, ApiCapabilities)>>,
}

impl Cluster {
    /// Through `client`.
    pub fn new(client: Client) -> Self {
        Self { client, kinds: Mutex::default() }
    }

    /// The client.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// A namespace.
    pub async fn namespace(&self, name: &str) -> Result<Option<Namespace>> {
        find(&Api::all(self.client()), name).await
    }

    /// A class.
    pub async fn class(&self, name: &str) -> Result<Option<NamespaceClass>> {
        find(&Api::all(self.client()), name).await
    }

    /// The binding of a namespace.
    pub async fn binding(&self, namespace: &str) -> Result<Option<NamespaceClassBinding>> {
        find(&Api::all(self.client()), namespace).await
    }

    /// What the binding of a namespace lists.
    pub async fn inventory(&self, namespace: &str) -> Result<Vec<InventoryEntry>> {
        let binding = self.binding(namespace).await?.with_context(|| format!("{namespace} has no binding"))?;
        Ok(binding.status.unwrap_or_default().inventory)
    }

    /// The live object of an inventory's entry.
    pub async fn object(&self, entry: &InventoryEntry) -> Result<Option<DynamicObject>> {
        let gvk = GroupVersionKind::gvk(&entry.group, &entry.version, &entry.kind);
        let (resource, capabilities) = self.kind(&gvk).await?;
        let api = match capabilities.scope {
            Scope::Cluster => Api::all_with(self.client(), &resource),
            Scope::Namespaced => Api::namespaced_with(self.client(), &entry.namespace, &resource),
        };
        find(&api, &entry.name).await
    }

    async fn kind(&self, gvk: &GroupVersionKind) -> Result<(ApiResource, ApiCapabilities)> {
        let known = self.kinds.lock().unwrap_or_else(PoisonError::into_inner).get(gvk).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let served = pinned_kind(&self.client, gvk).await.with_context(|| format!("{} is not served", gvk.kind))?;
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner).insert(gvk.clone(), served.clone());
        Ok(served)
    }
}

/// The object of that name; none only where the API server says that this very object is not there. A plain 404, as a kind that is not
/// served answers, proves nothing.
pub async fn find<K>(api: &Api<K>, name: &str) -> Result<Option<K>>
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
{
    match api.get(name).await {
        Ok(object) => Ok(Some(object)),
        Err(kube::Error::Api(status))
            if status.reason == "NotFound" && status.details.as_ref().is_some_and(|it| it.name == name) =>
        {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
