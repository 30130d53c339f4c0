//! The `ConfigMap` with what the gate must not forget, and what it shows.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    api::{ObjectMeta, PostParams},
};
use nsclass_shared::{
    licence::{Record, Shown},
    names,
};
use serde::{Serialize, de::DeserializeOwned};
use thiserror::Error;

use crate::requests::is_definitely_absent;

const RECORD: &str = "record";
const SHOWN: &str = "shown";

/// Why nothing was read or written.
#[derive(Error, Debug)]
pub(super) enum RecordError {
    #[error("ConfigMap {0}: {1}")]
    Api(String, kube::Error),
    #[error("ConfigMap {0}, key {RECORD}: {1}; correct it, or delete the ConfigMap: what the bindings know is kept")]
    Unreadable(String, serde_json::Error),
}

/// The record as it is stored.
pub(super) struct Stored {
    api: Api<ConfigMap>,
    name: String,
    map: Option<ConfigMap>,
    /// Empty where there is none.
    pub(super) record: Record,
    shown: Option<Shown>,
}

impl Stored {
    /// Reads it.
    pub(super) async fn read(client: Client, namespace: &str, instance: &str) -> Result<Self, RecordError> {
        let (api, name) = (Api::<ConfigMap>::namespaced(client, namespace), names::licence_record(instance));
        let map = match api.get(&name).await {
            Ok(map) => Some(map),
            Err(kube::Error::Api(status)) if is_definitely_absent(&status, &name) => None,
            Err(error) => return Err(RecordError::Api(name, error)),
        };
        let record = value(map.as_ref(), RECORD).map_err(|error| RecordError::Unreadable(name.clone(), error))?;
        let shown = value(map.as_ref(), SHOWN).unwrap_or_default();
        Ok(Self { api, name, map, record: record.unwrap_or_default(), shown })
    }

    /// Writes both, where they are not as stored. Whoever wrote meanwhile is not overwritten.
    pub(super) async fn write(self, record: Record, shown: &Shown) -> Result<(), RecordError> {
        let Self { api, name, map, record: before, shown: shown_before } = self;
        if map.is_some() && before == record && shown_before.as_ref() == Some(shown) {
            return Ok(());
        }
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
        let data = map.data.get_or_insert_default();
        data.insert(RECORD.into(), text(&record));
        data.insert(SHOWN.into(), text(shown));
        let params = PostParams { field_manager: Some(names::FIELD_MANAGER.into()), ..PostParams::default() };
        let written = if is_new { api.create(&params, &map).await } else { api.replace(&name, &params, &map).await };
        written.map(drop).map_err(|error| RecordError::Api(name, error))
    }
}

fn value<T: DeserializeOwned>(map: Option<&ConfigMap>, key: &str) -> Result<Option<T>, serde_json::Error> {
    map.and_then(|map| map.data.as_ref()?.get(key)).map(|text| serde_json::from_str(text)).transpose()
}

fn text(value: &impl Serialize) -> String {
    // invariant: these are plain structs with names for keys, which always become JSON.
    serde_json::to_string(value).unwrap_or_default()
}
