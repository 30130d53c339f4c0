//! `NamespaceClassBinding`: the durable record of what was put into one namespace.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OnDelete, OptOutDelay};
use crate::identity::{Gvk, ObjectIdentity};

/// Most objects that one binding records. The union of an old and a new set is held to it before anything is applied.
pub const MAX_INVENTORY: usize = 300;

/// Which class's objects are in one namespace, and which objects these are. Cluster-scoped, named like the namespace, written by the
/// controller alone.
///
/// It has no status subresource: it has one writer, so class, inventory and conditions change together in one write and are never torn.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "nsclass.io",
    version = "v1alpha1",
    kind = "NamespaceClassBinding",
    plural = "namespaceclassbindings",
    shortname = "nscb",
    status = "BindingStatus",
    derive = "PartialEq",
    printcolumn(name = "Class", type_ = "string", json_path = ".spec.className"),
    printcolumn(name = "Ready", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].status"),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].reason"),
    printcolumn(name = "Objects", type_ = "integer", json_path = ".status.objects"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.metadata.name == self.spec.namespaceName")
        .message("spec.namespaceName: a binding is named like its namespace")
)]
#[serde(rename_all = "camelCase")]
pub struct BindingSpec {
    /// The namespace that this binding speaks of; equal to `metadata.name`.
    #[schemars(length(min = 1, max = 63))]
    pub namespace_name: String,
    /// The class whose objects are there; empty before the first.
    #[serde(default)]
    #[schemars(length(max = 63))]
    pub class_name: String,
    /// The operator instance that keeps this binding.
    #[serde(default)]
    #[schemars(length(max = 63))]
    pub instance: String,
}

/// Written by the controller alone.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct BindingStatus {
    /// What the namespace's label says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub requested_class: String,
    /// `onDelete` of the class, as last seen.
    #[serde(default)]
    pub on_delete: OnDelete,
    /// When the objects go, once the label went (class.md C01).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects_go: Option<ObjectsGone>,
    /// UID of the namespace that the inventory belongs to. A namespace made again under the same name has another one.
    #[serde(default, rename = "observedNamespaceUID", skip_serializing_if = "String::is_empty")]
    pub observed_namespace_uid: String,
    /// `metadata.generation` of the class that was last applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_class_generation: Option<i64>,
    /// The variables that the last good render used, with their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
    /// Every object that we put there, and every one whose creation may have happened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 300), extend("x-kubernetes-list-type" = "atomic"))]
    pub inventory: Vec<InventoryEntry>,
    /// How many objects the inventory holds; for the printer column.
    #[serde(default)]
    pub objects: u32,
    /// `Ready` says whether the namespace has what its class says, and if not, why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}

/// A pending departure.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ObjectsGone {
    /// When the label was first seen missing.
    pub since: Time,
    /// When the objects are deleted, unless the label is back by then.
    pub at: Time,
}

impl ObjectsGone {
    /// A departure that begins now.
    pub fn after(now: Timestamp, delay: OptOutDelay) -> Self {
        // invariant: a delay is at most 30 days, and no clock of ours is within 30 days of the year 9999.
        let at = now.saturating_add(SignedDuration::try_from(delay.0).unwrap_or(SignedDuration::ZERO)).unwrap_or(now);
        Self { since: Time(now), at: Time(at) }
    }
}

/// One object of the inventory.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
pub struct InventoryEntry {
    /// API group; empty for core.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The version it was last applied with. Not a part of its identity.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Empty for a cluster-scoped object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name.
    pub name: String,
    /// UID of the live object; empty while its creation may or may not have happened.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// `<hash of what was rendered>-<hash of our managedFields entry>`, as of the last apply; empty before the first.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub applied: String,
    /// What the item said of its end (`nsclass.io/on-delete`). It is kept here because whoever may edit the live object could
    /// otherwise make it outlive its class.
    #[serde(default, rename = "onDelete", skip_serializing_if = "Option::is_none")]
    pub on_delete: Option<OnDelete>,
}

impl InventoryEntry {
    /// An object whose creation may be about to happen.
    pub fn reserved(identity: &ObjectIdentity, version: &str) -> Self {
        Self {
            group: identity.group.clone(),
            version: version.to_owned(),
            kind: identity.kind.clone(),
            namespace: identity.namespace.clone().unwrap_or_default(),
            name: identity.name.clone(),
            ..Self::default()
        }
    }

    /// What it is, whatever its version.
    pub fn identity(&self) -> ObjectIdentity {
        ObjectIdentity {
            group: self.group.clone(),
            kind: self.kind.clone(),
            namespace: (!self.namespace.is_empty()).then(|| self.namespace.clone()),
            name: self.name.clone(),
        }
    }

    /// Group, version and kind it was last applied with.
    pub fn gvk(&self) -> Gvk {
        Gvk { group: self.group.clone(), version: self.version.clone(), kind: self.kind.clone() }
    }

    /// Hash of what was rendered for the last apply.
    pub fn rendered_hash(&self) -> Option<&str> {
        self.applied.split_once('-').map(|(rendered, _)| rendered)
    }

    /// Hash of our managedFields entry after the last apply.
    pub fn fields_hash(&self) -> Option<&str> {
        self.applied.split_once('-').map(|(_, fields)| fields)
    }

    /// Notes an apply.
    pub fn record_applied(&mut self, version: &str, uid: String, rendered: &str, fields: &str) {
        version.clone_into(&mut self.version);
        self.uid = uid;
        self.applied = format!("{rendered}-{fields}");
    }

    /// What becomes of the object when it is pruned: what its item said, else what its kind is worth, else what its class wants
    /// (class.md C48).
    pub fn on_delete(&self, class: OnDelete) -> OnDelete {
        self.on_delete.unwrap_or(if self.holds_data() { OnDelete::Orphan } else { class })
    }

    /// Whether deleting it loses what no manifest brings back.
    pub fn holds_data(&self) -> bool {
        self.group.is_empty() && self.kind == "PersistentVolumeClaim"
    }

    /// Whether nothing of a namespace holds it: it outlives the namespace.
    pub fn is_cluster_scoped(&self) -> bool {
        self.namespace.is_empty()
    }
}
