//! One manifest of a class.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One manifest of a class, exactly as written.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(transparent)]
pub struct Item(pub Value);

impl JsonSchema for Item {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Item".into()
    }

    /// `preserve-unknown-fields` stands on the item and again on `metadata`: without the second the API server prunes labels
    /// and annotations silently, and `embedded-resource` would refuse templated labels (both measured on 1.36).
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "One Kubernetes manifest. apiVersion, kind and metadata.name are required; everything else is kept as \
                written and judged by the API server when it is applied. Leave metadata.namespace out, because the object \
                goes into the namespace that has the class.",
            "type": "object",
            "required": ["apiVersion", "kind", "metadata"],
            "x-kubernetes-preserve-unknown-fields": true,
            "properties": {
                "apiVersion": {
                    "description": "API group and version of the object, such as v1 or networking.k8s.io/v1.",
                    "type": "string", "minLength": 1, "maxLength": 317,
                },
                "kind": {
                    "description": "Kind of the object, such as NetworkPolicy.",
                    "type": "string", "minLength": 1, "maxLength": 63,
                },
                "metadata": {
                    "description": "Name, labels and annotations of the object. Three annotations speak to the operator. \
                        nsclass.io/template=false leaves the item's text as it is, nsclass.io/on-delete=Orphan (or Delete) \
                        decides about this object before the class does, and nsclass.io/exact=true has fields removed that \
                        others add to it.",
                    "type": "object",
                    "required": ["name"],
                    "x-kubernetes-preserve-unknown-fields": true,
                    "properties": {
                        "name": {
                            "description": "Name of the object; it may hold variables. A cluster-scoped object needs one that \
                                differs between namespaces, such as edit-{{ .Namespace.Name }}.",
                            "type": "string", "minLength": 1, "maxLength": 1024,
                        },
                    },
                },
            },
        })
    }
}
