//! `NamespaceClass`: what an admin writes. The doc comments here are what `kubectl explain` shows.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::conditions_schema;
use super::{GuardStatus, Item, OptOutDelay};

/// What every namespace of this class gets, and what happens to it later.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "nsclass.io",
    version = "v1alpha1",
    kind = "NamespaceClass",
    root = "NamespaceClass",
    plural = "namespaceclasses",
    shortname = "nsc",
    status = "ClassStatus",
    derive = "PartialEq",
    doc = "A set of manifests for namespaces. Every namespace with the label nsclass.io/name=<name of this class> gets these objects, \
           keeps them, follows each edit of the class, and loses them when it leaves it.",
    printcolumn(
        name = "Bound",
        type_ = "integer",
        json_path = ".status.namespaces.bound",
        description = "Namespaces that have this class"
    ),
    printcolumn(
        name = "Ready",
        type_ = "integer",
        json_path = ".status.namespaces.ready",
        description = "Namespaces that have everything the class says"
    ),
    printcolumn(
        name = "Failing",
        type_ = "integer",
        json_path = ".status.namespaces.failing",
        description = "Namespaces that lack something; the condition Ready names the first few"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.metadata.name.size() <= 63").message(
        "metadata.name: at most 63 characters, because namespaces ask for a class by its name in a label; choose a shorter name"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct ClassSpec {
    /// The objects that each namespace of the class gets, as 1 to 100 manifests, each with an identity of its own (group,
    /// kind and name). Their order does not matter.
    ///
    /// String values may hold variables in double braces: `.Namespace.Name`, `.Namespace.UID`, `.Namespace.Labels.<key>`,
    /// `.Namespace.Annotations.<key>` and `.Class.Name`. One that a namespace may lack needs a default, as in
    /// `{{ .Namespace.Labels.tier | default "small" }}`. A value that is nothing but one expression may end in `| int` or `| bool`
    /// to become a number or a boolean.
    #[schemars(length(min = 1, max = 100), extend("x-kubernetes-list-type" = "atomic"))]
    pub resources: Vec<Item>,
    /// What to do with an object that is there already under an item's name and is not from this class. `Refuse` leaves it alone and
    /// reports `NotOwned`; the other items are applied all the same. `Adopt` takes it over, unless it belongs to another namespace or
    /// another instance of the operator.
    #[serde(default)]
    pub adoption: Adoption,
    /// What to do when somebody changes a field that this class sets. `Repair` sets it back within seconds, `Report` says so in a
    /// condition and an event and leaves it, `Ignore` leaves it.
    #[serde(default)]
    pub drift: Drift,
    /// What becomes of the objects when a namespace leaves the class, or the class is deleted. `Delete` deletes them. `Orphan` lets them
    /// stay; they belong to whoever has the namespace then. A single item decides otherwise by its annotation
    /// `nsclass.io/on-delete`, and a `PersistentVolumeClaim` is deleted only if its item says so.
    #[serde(default)]
    pub on_delete: OnDelete,
    /// What to do when an edit of the class changes a field that the API server does not let anybody change, such as the `roleRef` of
    /// a `RoleBinding`. `Report` leaves the object as it is and reports `ImmutableField`. `Recreate` deletes it and creates it anew,
    /// but never an object that holds data.
    #[serde(default)]
    pub immutable: Immutable,
    /// How long the objects stay after a namespace lost its class label, so that a slip costs nothing (with the label back before
    /// that, nothing has happened). Written as whole hours, minutes and seconds in that order, such as `90s`, `5m` or `1h30m`, up to
    /// `720h`.
    #[serde(default)]
    pub opt_out_delay: OptOutDelay,
}

/// What to do with an object of an item's name that is not ours.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adoption {
    /// Leave it alone and report `NotOwned`.
    #[default]
    Refuse,
    /// Take it over. One that carries another namespace's or instance's marks is refused all the same.
    Adopt,
}

/// What to do when somebody changes a field that the class sets.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drift {
    /// Force our fields back.
    #[default]
    Repair,
    /// Say so, and leave the object as it is.
    Report,
    /// Leave the object as it is.
    Ignore,
}

/// What becomes of the objects when a namespace leaves the class.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDelete {
    /// They are deleted.
    #[default]
    Delete,
    /// They stay, without our marks.
    Orphan,
}

/// What to do when the API server refuses a change of an immutable field.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Immutable {
    /// Report `ImmutableField` and leave the object as it is.
    #[default]
    Report,
    /// Delete the object and create it anew. Never done to a kind that holds data.
    Recreate,
}

/// How far the namespaces of this class are. Written by the controller alone.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ClassStatus {
    /// The `metadata.generation` of the class that this status speaks of; a smaller one than the class has means that the last edit
    /// has not been taken up yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// How many namespaces have this class. `kubectl get nscb --field-selector spec.className=<name of this class>` lists them.
    #[serde(default)]
    pub namespaces: NamespaceCounts,
    /// The mass-delete guard: what it let through lately and what it holds. An edit, a deletion or lost labels that would take objects
    /// from more than three namespaces, and more than 30 % of those with the class, within ten minutes are stopped until they are
    /// confirmed; the condition `GuardEngaged` says how.
    #[serde(default, skip_serializing_if = "GuardStatus::is_empty")]
    pub guard: GuardStatus,
    /// The condition `Accepted` says whether the class itself is sound; if not, nothing of it is applied anywhere. `Ready` says whether
    /// every namespace of the class has what it says; if not, the message names the first few that have not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions_schema")]
    pub conditions: Vec<Condition>,
}

/// Namespaces by what became of them.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamespaceCounts {
    /// Namespaces whose binding names this class.
    #[schemars(with = "i32", range(min = 0))]
    pub bound: u32,
    /// Of these, the ones that have everything the class says.
    #[schemars(with = "i32", range(min = 0))]
    pub ready: u32,
    /// Of these, the ones that lack something.
    #[schemars(with = "i32", range(min = 0))]
    pub failing: u32,
}
