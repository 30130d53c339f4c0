//! `GitProvider`: a repository, and how commits are made in it. The doc comments here are what `kubectl explain` shows.
#![allow(
    clippy::doc_markdown,
    clippy::duplicated_attributes,
    reason = "kubectl explain shows the comments as they are, and columns may be of one type"
)]

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::conditions_schema;
use super::{BranchName, CommitWindow, LocalRef};

/// Where the repository is, and how commits are made in it.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "nsclass.io",
    version = "v1alpha1",
    kind = "GitProvider",
    plural = "gitproviders",
    shortname = "gitp",
    namespaced,
    status = "GitProviderStatus",
    derive = "PartialEq",
    doc = "A Git repository that live objects are written back to. GitTargets in the same namespace name a branch and a folder of it.",
    printcolumn(name = "URL", type_ = "string", json_path = ".spec.url", description = "The repository"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status",
        description = "Whether the repository can be read"
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
pub struct GitProviderSpec {
    /// The repository: `https://HOST/PATH`, `ssh://USER@HOST/PATH` or `USER@HOST:PATH`; `file:///PATH` where the operator's
    /// configuration allows it. Without credentials, which belong into the Secret. It does not change: another repository is another
    /// GitProvider.
    #[schemars(length(min = 1, max = 1024))]
    #[x_kube(validation = Rule::new("self == oldSelf").message(
        "does not change, because what waits to be pushed belongs to this repository; make another GitProvider"
    ))]
    #[x_kube(validation = Rule::new(
        "self.matches('^(https://|ssh://|file:///)[^\\\\s]+$') || self.matches('^[^\\\\s/:@]+@[^\\\\s/:@]+:[^\\\\s]+$')"
    ).message("is no repository's address; write https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH or file:///PATH"))]
    #[x_kube(validation = Rule::new(
        "!self.matches('^https://[^/?#]*@') && !self.matches('^ssh://[^/?#@]*:[^/?#]*@')"
    ).message("holds credentials, which everybody could read here; put them into the Secret that spec.secretRef names"))]
    pub url: String,
    /// The Secret in this namespace with what the repository asks for: `token`, or `username` and `password`, for HTTPS, and `ca.crt`
    /// for a CA of one's own; `identity` (a private key without a passphrase) and `known_hosts` for SSH.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalRef>,
    /// The branches that GitTargets may write.
    #[serde(default = "main_branch")]
    #[schemars(length(min = 1, max = 16), extend("x-kubernetes-list-type" = "set"))]
    pub branches: Vec<BranchName>,
    /// Whether a branch of that list that does not exist is made with the first push.
    #[serde(default)]
    pub create_branches: bool,
    /// How commits are made.
    #[serde(default)]
    pub commit: CommitSpec,
}

/// How commits are made.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase", default)]
pub struct CommitSpec {
    /// How long a commit waits for further changes by the same author after the last one: whole minutes and seconds, such as `5s`,
    /// up to `10m`. `0s` makes a commit for each change.
    pub window: CommitWindow,
    /// The name of the committer.
    #[schemars(length(min = 1, max = 128))]
    pub name: String,
    /// The address of the committer.
    #[schemars(length(min = 3, max = 254), regex(pattern = r"^[^\s<>@]+@[^\s<>@]+$"))]
    pub email: String,
    /// The message of a commit, with `{count}`, `{operation}`, `{object}`, `{target}` and `{author}` in it; `{{` is a brace.
    /// Without it the message says which objects changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 4096))]
    pub message: Option<String>,
}

impl Default for CommitSpec {
    fn default() -> Self {
        Self {
            window: CommitWindow::default(),
            name: "Namespace Class".to_owned(),
            email: "nsclass@localhost".to_owned(),
            message: None,
        }
    }
}

fn main_branch() -> Vec<BranchName> {
    vec![BranchName("main".to_owned())]
}

/// How the repository is. Written by the controller alone.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct GitProviderStatus {
    /// The `metadata.generation` that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// How many GitTargets write to it.
    #[serde(default)]
    #[schemars(with = "i32", range(min = 0))]
    pub targets: u32,
    /// `Validated` says whether the specification and its Secret are sound, `Ready` whether the repository could be read with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions_schema")]
    pub conditions: Vec<Condition>,
}
