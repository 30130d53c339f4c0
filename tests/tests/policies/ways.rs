//! Every way to change the metadata of a namespace.

use nsclass_shared::names::CLASS_LABEL;
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::stage::{at, namespace};

/// A change of one key of a namespace's metadata.
#[derive(Clone, Copy)]
pub(crate) struct Change<'a> {
    /// `labels` or `annotations`.
    pub(crate) map: &'a str,
    pub(crate) key: &'a str,
    /// Nothing: the key is removed.
    pub(crate) value: Option<&'a str>,
}

impl<'a> Change<'a> {
    /// The class label gets this value, or goes.
    pub(crate) fn class(value: Option<&'a str>) -> Self {
        Self { map: "labels", key: CLASS_LABEL, value }
    }

    /// All requests that make this change to a namespace as it is: `replace --raw` of the object and its subresources, and patches of all
    /// types. An apply removes only what its manager set (see [`Change::by_apply`]).
    pub(crate) fn ways(&self, live: &Value) -> Vec<Ask> {
        let name = live["metadata"]["name"].as_str().unwrap_or_default();
        let mut whole = live.clone();
        let metadata = &mut whole["metadata"];
        metadata["resourceVersion"] = Value::Null;
        metadata["managedFields"] = Value::Null;
        let had = metadata[self.map].get(self.key).is_some();
        match self.value {
            Some(value) => metadata[self.map][self.key] = json!(value),
            None => drop(metadata[self.map].as_object_mut().map(|map| map.remove(self.key))),
        }
        let patch = json!({ "metadata": { self.map: { self.key: self.value } } });
        let pointer = format!("/metadata/{}/{}", self.map, self.key.replace('~', "~0").replace('/', "~1"));
        let operations = match self.value {
            Some(value) if had => json!([{ "op": "replace", "path": pointer, "value": value }]),
            Some(value) if live["metadata"][self.map].is_null() => {
                json!([{ "op": "add", "path": format!("/metadata/{}", self.map), "value": { self.key: value } }])
            }
            Some(value) => json!([{ "op": "add", "path": pointer, "value": value }]),
            None => json!([{ "op": "remove", "path": pointer }]),
        };
        let mut ways = vec![Ask::put(at(name, "/finalize"), whole.clone())];
        for path in [at(name, ""), at(name, "/status")] {
            ways.push(Ask::put(&path, whole.clone()));
            ways.push(Ask::merge(&path, patch.clone()));
            ways.push(Ask::strategic(&path, patch.clone()));
            ways.push(Ask::operations(&path, operations.clone()));
            if self.value.is_some() {
                ways.push(self.by_apply(name, &path, "somebody"));
            }
        }
        ways
    }

    /// An apply of nothing but this key, or of nothing at all where it is to go.
    pub(crate) fn by_apply(&self, name: &str, path: &str, manager: &str) -> Ask {
        let map = self.value.map(|value| json!({ self.key: value }));
        let metadata = match map {
            Some(map) => json!({ "name": name, self.map: map }),
            None => json!({ "name": name }),
        };
        Ask::apply(path, manager, namespace(metadata))
    }

    /// All requests that make a new namespace with this key.
    pub(crate) fn births(&self, name: &str) -> Vec<Ask> {
        let map = json!({ self.key: self.value });
        let created = |metadata: Value| Ask::post("/api/v1/namespaces", namespace(metadata));
        vec![
            created(json!({ "name": name, self.map: map })),
            created(json!({ "generateName": format!("{name}-"), self.map: map })),
            self.by_apply(name, &at(name, ""), "somebody"),
        ]
    }
}
