//! The `ConfigMap` with what the gate must not forget, and what it shows.

use kube::Client;
use nsclass_shared::{
    licence::{RECORD_KEY, Record, SHOWN_KEY, Shown},
    names,
};
use serde::Serialize;
use thiserror::Error;

use crate::own_map::OwnMap;

/// Why nothing was read or written.
#[derive(Error, Debug)]
pub(super) enum RecordError {
    #[error("ConfigMap {0}: {1}")]
    Api(String, kube::Error),
    #[error(
        "ConfigMap {0}, key {RECORD_KEY}: {1}; correct it, or delete the ConfigMap: what the bindings know is kept"
    )]
    Unreadable(String, serde_json::Error),
}

/// The record as it is stored.
pub(super) struct Stored {
    name: String,
    map: OwnMap,
    /// Empty where there is none.
    pub(super) record: Record,
    shown: Option<Shown>,
}

impl Stored {
    /// Reads it.
    pub(super) async fn read(client: Client, namespace: &str, instance: &str) -> Result<Self, RecordError> {
        let name = names::licence_record(instance);
        let map = OwnMap::read(client, namespace, name.clone()).await;
        let map = map.map_err(|error| RecordError::Api(name.clone(), error))?;
        let record = map.get(RECORD_KEY).map(serde_json::from_str).transpose();
        let record = record.map_err(|error| RecordError::Unreadable(name.clone(), error))?.unwrap_or_default();
        let shown = map.get(SHOWN_KEY).and_then(|text| serde_json::from_str(text).ok());
        Ok(Self { name, map, record, shown })
    }

    /// Writes both, where they are not as stored. Whoever wrote meanwhile is not overwritten.
    pub(super) async fn write(self, record: Record, shown: &Shown) -> Result<(), RecordError> {
        let Self { name, map, record: before, shown: shown_before } = self;
        if map.is_there() && before == record && shown_before.as_ref() == Some(shown) {
            return Ok(());
        }
        let written = map.write([(RECORD_KEY, text(&record)), (SHOWN_KEY, text(shown))]).await;
        written.map_err(|error| RecordError::Api(name, error))
    }
}

fn text(value: &impl Serialize) -> String {
    // invariant: these are plain structs with names for keys, which always become JSON.
    serde_json::to_string(value).unwrap_or_default()
}
