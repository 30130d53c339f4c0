//! `WatchRule` and `ClusterWatchRule`: which live objects go to a target. The doc comments here are what `kubectl explain` shows.
#![allow(
    clippy::doc_markdown,
    clippy::duplicated_attributes,
    reason = "kubectl explain shows the comments as they are, and columns may be of one type"
)]

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::conditions_schema;

/// Which objects of its own namespace go to which target.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "nsclass.io",
    version = "v1alpha1",
    kind = "WatchRule",
    plural = "watchrules",
    shortname = "wr",
    namespaced,
    status = "WatchRuleStatus",
    derive = "PartialEq",
    doc = "Says which objects of its own namespace are written to the folder of a GitTarget. It reads what its author may read.",
    printcolumn(name = "Target", type_ = "string", json_path = ".spec.targetRef.name", description = "The GitTarget"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status",
        description = "Whether all of its objects are watched"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason",
        description = "Why, in one word; the condition Ready has the sentence"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase")]
pub struct WatchRuleSpec {
    /// The GitTarget. Without a namespace it is one of this namespace; one of another must name this namespace among those that it
    /// allows.
    pub target_ref: TargetRef,
    /// Who wrote this rule: yourself. The rule reads nothing that its author may not get, list and watch; it is asked when the rule is
    /// written, and again whenever it starts.
    pub author: Author,
    /// The kinds, and of each which objects.
    #[schemars(length(min = 1, max = 32), extend("x-kubernetes-list-type" = "atomic"))]
    pub rules: Vec<KindRule>,
}

/// Which cluster-scoped objects go to which target.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "nsclass.io",
    version = "v1alpha1",
    kind = "ClusterWatchRule",
    plural = "clusterwatchrules",
    shortname = "cwr",
    status = "WatchRuleStatus",
    derive = "PartialEq",
    doc = "Says which cluster-scoped objects are written to the folder of a GitTarget. It reads what its author may read.",
    printcolumn(
        name = "Namespace",
        type_ = "string",
        json_path = ".spec.targetRef.namespace",
        description = "The namespace of the GitTarget"
    ),
    printcolumn(name = "Target", type_ = "string", json_path = ".spec.targetRef.name", description = "The GitTarget"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status",
        description = "Whether all of its objects are watched"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason",
        description = "Why, in one word; the condition Ready has the sentence"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase")]
pub struct ClusterWatchRuleSpec {
    /// The GitTarget, with its namespace.
    #[x_kube(validation = Rule::new("has(self.namespace)").message(
        "namespace: missing; a ClusterWatchRule is in no namespace, so say in which the GitTarget is"
    ))]
    pub target_ref: TargetRef,
    /// Who wrote this rule: yourself. The rule reads nothing that its author may not get, list and watch; it is asked when the rule is
    /// written, and again whenever it starts.
    pub author: Author,
    /// The kinds, cluster-scoped ones only, and of each which objects.
    #[schemars(length(min = 1, max = 32), extend("x-kubernetes-list-type" = "atomic"))]
    pub rules: Vec<KindRule>,
}

/// A GitTarget.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetRef {
    /// Its name.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Its namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 63))]
    pub namespace: Option<String>,
}

/// Who wrote a rule.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Author {
    /// The user, as the API server names them: `kubectl auth whoami` tells.
    #[schemars(length(min = 1, max = 253))]
    pub user: String,
    /// Those of the user's groups by which they have the right to read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), inner(length(min = 1, max = 253)), extend("x-kubernetes-list-type" = "set"))]
    pub groups: Vec<String>,
}

/// Some kinds, and of each which objects.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct KindRule {
    /// API groups, each by its name; `""` is the core group.
    #[schemars(length(min = 1, max = 16), inner(length(max = 253)), extend("x-kubernetes-list-type" = "set"))]
    pub api_groups: Vec<String>,
    /// Resources in the plural, such as `configmaps`, each by its name. Each is looked for in each of the groups; together a rule may
    /// name 64 kinds.
    #[schemars(length(min = 1, max = 64), inner(length(min = 1, max = 63)), extend("x-kubernetes-list-type" = "set"))]
    pub resources: Vec<String>,
    /// Only objects with these labels; without it all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
}

/// How far the rule is. Written by the controller alone.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct WatchRuleStatus {
    /// The `metadata.generation` that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// How many kinds the rule names.
    #[serde(default)]
    #[schemars(with = "i32", range(min = 0))]
    pub kinds: u32,
    /// Of these, how many are watched and have been listed whole.
    #[serde(default)]
    #[schemars(with = "i32", range(min = 0))]
    pub streaming: u32,
    /// `Validated` says whether the specification is sound and its target takes it, `Streaming` whether all of its kinds are watched,
    /// and `Ready` both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions_schema")]
    pub conditions: Vec<Condition>,
}
