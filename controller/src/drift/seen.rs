//! One object as a drift watch decodes it: metadata, and one that cannot be read hurts only itself (DESIGN decision 12).
//!
//! kube's `DeserializeGuard` falls back on the metadata of an object that cannot be read. Here metadata is all there is, so this falls
//! back on the few strings that name the object.

use std::borrow::Cow;

use kube::{
    Resource,
    core::{ApiResource, DynamicResourceScope, ObjectMeta},
};
use nsclass_shared::plan::LiveObject;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::requests::live_object;

/// An object, decoded and digested.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// Its name and nothing more: what a watch needs.
    metadata: ObjectMeta,
    /// The rest; or why it cannot be read.
    pub(super) live: Result<Box<LiveObject>, String>,
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Whole {
            #[serde(default)]
            metadata: Value,
        }
        let Whole { metadata } = Whole::deserialize(deserializer)?;
        let text = |field: &str| metadata.get(field).and_then(Value::as_str).map(ToOwned::to_owned);
        let named = ObjectMeta {
            name: text("name"),
            namespace: text("namespace"),
            uid: text("uid"),
            resource_version: text("resourceVersion"),
            ..ObjectMeta::default()
        };
        let live = serde_json::from_value::<ObjectMeta>(metadata);
        let live = live.map(|whole| Box::new(live_object(&whole))).map_err(|error| error.to_string());
        Ok(Self { metadata: named, live })
    }
}

impl Resource for Seen {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn kind(resource: &ApiResource) -> Cow<'_, str> {
        Cow::Borrowed(&resource.kind)
    }

    fn group(resource: &ApiResource) -> Cow<'_, str> {
        Cow::Borrowed(&resource.group)
    }

    fn version(resource: &ApiResource) -> Cow<'_, str> {
        Cow::Borrowed(&resource.version)
    }

    fn api_version(resource: &ApiResource) -> Cow<'_, str> {
        Cow::Borrowed(&resource.api_version)
    }

    fn plural(resource: &ApiResource) -> Cow<'_, str> {
        Cow::Borrowed(&resource.plural)
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[cfg(test)]
mod tests {
    use kube::core::ObjectList;
    use serde_json::json;

    use super::*;

    #[test]
    fn fault12_an_object_that_cannot_be_read_hurts_only_itself() {
        let metadata =
            |name: &str, labels: Value| json!({ "metadata": { "name": name, "uid": "u", "labels": labels } });
        let list = json!({
            "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList", "metadata": { "resourceVersion": "7" },
            "items": [metadata("good", json!({ "a": "b" })), metadata("bad", json!(["no", "map"])), metadata("better", json!({}))],
        });
        let list: ObjectList<Seen> = serde_json::from_value(list).unwrap();
        let read: Vec<_> = list.items.iter().map(|s| (s.metadata.name.as_deref().unwrap(), s.live.is_ok())).collect();
        assert_eq!(read, [("good", true), ("bad", false), ("better", true)]);
        assert_eq!(list.items[1].metadata.uid.as_deref(), Some("u"));
    }
}
