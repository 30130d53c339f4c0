//! `GitTarget`: a folder of a repository that rules write to. The doc comments here are what `kubectl explain` shows.
#![allow(clippy::doc_markdown, reason = "kubectl explain shows the comments as they are")]

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::conditions_schema;
use super::{BranchName, LocalRef};

/// Which folder, and how it is written.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "nsclass.io",
    version = "v1alpha1",
    kind = "GitTarget",
    plural = "gittargets",
    shortname = "gitt",
    namespaced,
    status = "GitTargetStatus",
    derive = "PartialEq",
    doc = "A folder of a Git repository that is kept as live objects are. WatchRules and ClusterWatchRules say which objects; documents \
           are edited where they stand, with their comments. Deleting a GitTarget leaves the folder as it is.",
    printcolumn(name = "Provider", type_ = "string", json_path = ".spec.providerRef.name", description = "The repository"),
    printcolumn(name = "Branch", type_ = "string", json_path = ".spec.branch", description = "Its branch"),
    printcolumn(name = "Path", type_ = "string", json_path = ".spec.path", description = "The folder in it"),
    printcolumn(
        name = "Valid",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"RepositoryValid\")].status",
        description = "Whether everything in the folder is explained, so that it can be written"
    ),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status",
        description = "Whether the folder is kept as the live objects are"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason",
        description = "Why, in one word; the condition Ready has the sentence"
    ),
    printcolumn(
        name = "Commit",
        type_ = "string",
        json_path = ".status.commit",
        description = "The last commit that was pushed or found there",
        priority = 1
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.metadata.name.size() <= 63")
        .message("metadata.name: at most 63 characters, because it stands in commits and metrics; choose a shorter name")
)]
#[serde(rename_all = "camelCase")]
pub struct GitTargetSpec {
    /// The GitProvider in this namespace. It does not change.
    #[x_kube(validation = Rule::new("self == oldSelf").message(
        "does not change, because what waits to be pushed belongs to this repository; make another GitTarget"
    ))]
    pub provider_ref: LocalRef,
    /// The branch; the GitProvider must allow it. It does not change.
    #[x_kube(validation = Rule::new("self == oldSelf").message(
        "does not change, because what waits to be pushed belongs to this branch; make another GitTarget"
    ))]
    pub branch: BranchName,
    /// The folder, from the root of the repository; `.` is all of it. Folders of one branch lie beside each other, never within. It does
    /// not change.
    #[schemars(length(min = 1, max = 512))]
    #[x_kube(validation = Rule::new("self == oldSelf").message(
        "does not change, because the old folder would be left half-kept; make another GitTarget"
    ))]
    #[x_kube(validation = Rule::new(
        "self == '.' || (!self.matches('[\\\\x00-\\\\x1f\\\\x7f\\\\\\\\]') && \
         self.split('/').all(part, part != '' && part != '.' && part != '..' && part.lowerAscii() != '.git'))"
    ).message(
        "must lead from the root of the repository to a folder, such as clusters/prod: no slash in front, behind or twice, no . or .. \
         and no .git in it; . alone is the whole repository"
    ))]
    pub path: String,
    /// What becomes of documents whose live object is gone. `Never` keeps them; `OnEvent` deletes a document when its object is seen to
    /// be deleted; `Always` also deletes those that have no object when everything has been listed.
    #[serde(default)]
    pub prune: Prune,
    /// How new objects are written: `Explicit` with their namespace, `Contextual` without it where a kustomization supplies it.
    #[serde(default)]
    pub new_files: FileStyle,
    /// What becomes of a namespace that a document does not state: `Preserve` leaves it out, `Explicit` writes it with the next
    /// update.
    #[serde(default)]
    pub existing: ExistingFiles,
    /// The namespace of documents that nothing else gives one. Valid only while every rule of this target watches that namespace
    /// alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_context: Option<NamespaceContext>,
    /// The other namespaces whose WatchRules may name this target. Those of its own namespace always may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 63)), extend("x-kubernetes-list-type" = "set"))]
    pub allowed_namespaces: Vec<String>,
}

/// What becomes of documents whose live object is gone.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prune {
    /// They stay.
    Never,
    /// They go when the deletion of the object is seen.
    #[default]
    OnEvent,
    /// They go then, and when a complete list shows that there is no such object.
    Always,
}

/// How new objects are written.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileStyle {
    /// With their namespace.
    #[default]
    Explicit,
    /// Without it, where one kustomization supplies it.
    Contextual,
}

/// What becomes of a namespace that a document does not state.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExistingFiles {
    /// It stays unstated.
    #[default]
    Preserve,
    /// It is written with the next update.
    Explicit,
}

/// The namespace of documents that nothing else gives one.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
pub struct NamespaceContext {
    /// How it is told: `Fixed`, by its name.
    #[serde(rename = "type")]
    pub kind: ContextKind,
    /// Its name.
    #[schemars(length(min = 1, max = 63), regex(pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"))]
    pub namespace: String,
}

/// How the namespace is told.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextKind {
    /// By its name.
    Fixed,
}

/// How the folder is. Written by the controller alone.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct GitTargetStatus {
    /// The `metadata.generation` that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The last commit of the branch that was pushed or found there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// How many documents of the folder hold an object.
    #[serde(default)]
    #[schemars(with = "i32", range(min = 0))]
    pub documents: u32,
    /// How many rules name this target and may.
    #[serde(default)]
    #[schemars(with = "i32", range(min = 0))]
    pub rules: u32,
    /// How many live objects are not written because they were refused, such as Secrets.
    #[serde(default)]
    #[schemars(with = "i32", range(min = 0))]
    pub refused: u32,
    /// `Validated` says whether the specification is sound and the folder nobody else's, `RepositoryValid` whether everything in the
    /// folder is explained, `Streaming` whether all objects are watched, and `Ready` whether the folder is kept as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions_schema")]
    pub conditions: Vec<Condition>,
}
