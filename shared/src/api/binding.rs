//! `NamespaceClassBinding`: the durable record of what was put into one namespace. The doc comments here are what `kubectl explain`
//! shows.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::{CustomResource, KubeSchema};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::condition::MAX_CONDITIONS;
use super::{OnDelete, OptOutDelay};
use crate::identity::{Gvk, ObjectIdentity};
use crate::text;

/// Most objects that one binding records. The union of an old and a new set is held to it before anything is applied.
pub const MAX_INVENTORY: usize = 300;

/// Which class's objects are in the namespace.
//
// No status subresource (`crd` takes it away): there is one writer, so class, inventory and conditions change together in one write and
// are never torn. For the same reason there is no `status.observedGeneration`: without the subresource every write of the status raises
// `metadata.generation`, and the status would for ever speak of the generation before.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "nsclass.io",
    version = "v1alpha1",
    kind = "NamespaceClassBinding",
    plural = "namespaceclassbindings",
    shortname = "nscb",
    status = "BindingStatus",
    derive = "PartialEq",
    doc = "The record of what the operator has put into one namespace, and where to look when something is missing there. It is named \
           like the namespace and written by the controller alone; to change what a namespace has, set its label nsclass.io/name or \
           edit the class.",
    printcolumn(
        name = "Class",
        type_ = "string",
        json_path = ".spec.className",
        description = "The class whose objects are in the namespace"
    ),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status",
        description = "Whether the namespace has everything its class says"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason",
        description = "Why, in one word; the condition Ready has the sentence"
    ),
    printcolumn(
        name = "Objects",
        type_ = "integer",
        json_path = ".status.objects",
        description = "How many objects the inventory records"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    selectable = ".spec.className",
    validation = Rule::new("self.metadata.name == self.spec.namespaceName").field_path(".spec.namespaceName").message(
        "must equal metadata.name, because a binding is named like its namespace; the controller writes bindings, \
         so set the label nsclass.io/name on the namespace instead"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct BindingSpec {
    /// The namespace that this binding speaks of; equal to `metadata.name`.
    #[schemars(length(min = 1, max = 63))]
    pub namespace_name: String,
    /// The class whose objects are in the namespace; empty before the first. What the namespace asks for is `status.requestedClass`.
    #[serde(default)]
    #[schemars(length(max = 63))]
    pub class_name: String,
    /// The instance of the operator that keeps this binding; another one leaves it and its objects alone.
    #[serde(default)]
    #[schemars(length(max = 63))]
    pub instance: String,
    /// What another version of the operator keeps here; written back as it was.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Unknown,
}

/// What is in the namespace, and what is in the way of the rest. Written by the controller alone.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct BindingStatus {
    /// The class that the namespace's label `nsclass.io/name` asks for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub requested_class: String,
    /// The class's `onDelete` as last seen, for when the class is gone.
    #[serde(default)]
    pub on_delete: OnDelete,
    /// Set while the namespace has lost its class label and its objects wait for the class's `optOutDelay` to pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects_go: Option<ObjectsGone>,
    /// UID of the namespace that the inventory belongs to. A namespace that is deleted and made again under the same name has another
    /// one, and starts afresh.
    #[serde(default, rename = "observedNamespaceUID", skip_serializing_if = "String::is_empty")]
    pub observed_namespace_uid: String,
    /// The `metadata.generation` of the class that was last applied here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_class_generation: Option<i64>,
    /// When the licence gate was first on in this cluster, where it is: kept here so that losing its own record widens nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Time")]
    pub first_start: Option<Time>,
    /// The variables that the last good rendering used, with their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
    /// Every object that the operator has put there, and every one that it is about to. Only what is listed here is ever deleted. An
    /// entry has `group` (none for the core group), `version`, `kind`, `namespace` (none for a cluster-scoped object) and `name`; `uid`,
    /// absent while its creation may or may not have happened; `applied`, two hashes of what the last apply sent and left; and
    /// `onDelete`, where its item has a say in its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "inventory_schema")]
    pub inventory: Vec<InventoryEntry>,
    /// How many objects the inventory lists.
    #[serde(default)]
    #[schemars(with = "i32", range(min = 0))]
    pub objects: u32,
    /// The condition `Ready` says whether the namespace has everything its class says; if not, the reason and the message say what is
    /// missing and what to do. `InScope` says whether the operator manages this namespace; if not, what is there stays as it is. Each has
    /// `type`, `status`, `reason`, `message` and `lastTransitionTime`, as conditions of every kind have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "said_schema")]
    pub conditions: Vec<Condition>,
    /// What another version of the operator keeps here; written back as it was.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Unknown,
}

/// The schema of an inventory, and of what is said of it: so many entries, of which the API server looks at none.
///
/// It would look at each field of each entry in every write of a binding, which comes to a third of the write at five objects and more
/// with every object (measured on a real 1.36 API server). Its answer could only be of use to who edits bindings by hand; the controller,
/// which alone writes them, takes an entry that is none for damage, deletes nothing, and makes it anew (class.md C45).
fn entries_schema(most: usize) -> Schema {
    json_schema!({ "maxItems": most, "x-kubernetes-preserve-unknown-fields": true })
}

fn inventory_schema(_: &mut SchemaGenerator) -> Schema {
    entries_schema(MAX_INVENTORY)
}

fn said_schema(_: &mut SchemaGenerator) -> Schema {
    entries_schema(MAX_CONDITIONS)
}

/// Fields that this version does not know (faults.md, fault 20). The API server lets through only what the installed definition has, so
/// they are there only where that is of another version.
pub type Unknown = BTreeMap<String, Value>;

/// A namespace's pending departure from its class.
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
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct InventoryEntry {
    /// API group; absent for the core group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The version it was last applied with. Not a part of its identity.
    pub version: String,
    /// Kind, such as `NetworkPolicy`.
    pub kind: String,
    /// The namespace it is in; absent for a cluster-scoped object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// UID of the live object, without which nothing is deleted; absent while its creation may or may not have happened.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// What the last apply left, as a hash of what was rendered, a dash, and a hash of our managedFields entry. While both fit, nothing is
    /// sent to the API server.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub applied: String,
    /// What its item said of its end (annotation `nsclass.io/on-delete`), before what the class says. It is kept here because whoever
    /// may edit the live object could otherwise make it outlive its class.
    #[serde(default, rename = "onDelete", skip_serializing_if = "Option::is_none")]
    pub on_delete: Option<OnDelete>,
    /// What another version of the operator keeps here; written back as it was.
    #[serde(flatten)]
    pub unknown: Unknown,
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

    /// Whether it is that object. Builds no identity to compare, since inventories are searched entry by entry.
    pub fn is(&self, identity: &ObjectIdentity) -> bool {
        self.name == identity.name
            && self.kind == identity.kind
            && text::same(&self.namespace, identity.namespace.as_deref().unwrap_or_default())
            && text::same(&self.group, &identity.group)
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
        self.on_delete.unwrap_or(if self.is_claim() { OnDelete::Orphan } else { class })
    }

    /// Whether it is a claim to storage, whose data goes with it.
    fn is_claim(&self) -> bool {
        self.group.is_empty() && self.kind == "PersistentVolumeClaim"
    }

    /// Whether nothing of a namespace holds it: it outlives the namespace.
    pub fn is_cluster_scoped(&self) -> bool {
        self.namespace.is_empty()
    }
}
