//! A `ConfigMap` of ours in the operator's namespace.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    api::{ObjectMeta, PostParams},
};
use nsclass_shared::names;

use crate::requests::is_definitely_absent;

/// As it was read, or proved to be absent.
pub struct OwnMap {
    api: Api<ConfigMap>,
    name: String,
    map: Option<ConfigMap>,
}

impl OwnMap {
    /// Reads it.
    ///
    /// # Errors
    /// Anything that is not definite.
    pub async fn read(client: Client, namespace: &str, name: String) -> Result<Self, kube::Error> {
        let api = Api::<ConfigMap>::namespaced(client, namespace);
        let map = match api.get(&name).await {
            Ok(map) => Some(map),
            Err(kube::Error::Api(status)) if is_definitely_absent(&status, &name) => None,
            Err(error) => return Err(error),
        };
        Ok(Self { api, name, map })
    }

    /// Whether it is there.
    pub fn is_there(&self) -> bool {
        self.map.is_some()
    }

    /// What it holds under a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.map.as_ref()?.data.as_ref()?.get(key).map(String::as_str)
    }

    /// Makes it, or replaces the revision that was read, so that whoever wrote meanwhile is not overwritten. Other keys stay.
    ///
    /// # Errors
    /// The API server's.
    pub async fn write<const N: usize>(self, data: [(&str, String); N]) -> Result<(), kube::Error> {
        let Self { api, name, map } = self;
        let is_new = map.is_none();
        let mut map = map.unwrap_or_else(|| ConfigMap {
            metadata: ObjectMeta {
                name: Some(name.clone()),
                labels: Some([(names::MANAGED_BY_LABEL.to_owned(), "nsclass".to_owned())].into()),
                ..ObjectMeta::default()
            },
            ..ConfigMap::default()
        });
        map.metadata.managed_fields = None;
        map.data.get_or_insert_default().extend(data.map(|(key, text)| (key.to_owned(), text)));
        let params = PostParams { field_manager: Some(names::FIELD_MANAGER.into()), ..PostParams::default() };
        let written = if is_new { api.create(&params, &map).await } else { api.replace(&name, &params, &map).await };
        written.map(drop)
    }
}
