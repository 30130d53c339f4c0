//! What a worker is given: targets, changes of live objects, and complete sets of them.

use std::{fmt, sync::Arc, time::Duration};

use nsclass_manifests::{folder::BoundRule, identity::LiveId, path::FolderPath, plan::Policy};
use nsclass_shared::livegit::{credentials::Credentials, message::MessageTemplate, person::Person, url::RepositoryUrl};
use serde_json::Value;

/// The name of a namespaced object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// Its namespace.
    pub namespace: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
}

/// A `GitTarget`.
pub type TargetKey = ObjectKey;

/// What one worker works for: one branch of one `GitProvider`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepositoryKey {
    /// The `GitProvider`.
    pub provider: ObjectKey,
    /// The branch, without `refs/heads/`.
    pub branch: Arc<str>,
}

/// How a provider's repository is reached, and how commits to it look.
#[derive(Clone, Debug, PartialEq)]
pub struct Remote {
    /// Where it is.
    pub url: RepositoryUrl,
    /// What opens it.
    pub credentials: Credentials,
    /// Whether a branch that does not exist is made by the first push (folders.md F56).
    pub creates_branches: bool,
    /// How long a window stays open after its last change (F51).
    pub window: Duration,
    /// Who commits; also the author where nobody else is (F52).
    pub committer: Person,
    /// Replaces the built-in messages (F59).
    pub message: Option<MessageTemplate>,
}

/// When documents are removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prune {
    /// Never.
    Never,
    /// When their object was seen to be deleted.
    #[default]
    OnEvent,
    /// Also when a complete set lacks their object (F50).
    Always,
}

/// A `GitTarget`, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Which.
    pub key: TargetKey,
    /// The `metadata.generation` that reports will name.
    pub generation: i64,
    /// The folder, from the repository's root.
    pub path: FolderPath,
    /// When documents are removed.
    pub prune: Prune,
    /// How files are written (F35).
    pub policy: Policy,
    /// `namespaceContext` (F36).
    pub fixed: Option<Arc<str>>,
    /// The rules bound to it (F36).
    pub rules: Vec<BoundRule>,
}

/// One thing that happened to one live object.
#[derive(Clone, Debug)]
pub struct Change {
    /// Where it is written.
    pub target: TargetKey,
    /// Which object.
    pub id: LiveId,
    /// What happened.
    pub what: What,
    /// `metadata.uid` of the live object.
    pub uid: Arc<str>,
    /// `metadata.resourceVersion` that the change led to, as the watch told it.
    pub resource_version: Arc<str>,
}

/// What happened to a live object.
#[derive(Clone, Debug)]
pub enum What {
    /// It is now so; without what the server and controllers wrote (F37).
    Put(Arc<Value>),
    /// It is gone, or out of the rule's selection.
    Delete,
}

/// Every object that a target should hold, as a complete list or the bookmark after initial events tells it (F50).
#[derive(Clone, Debug)]
pub struct Resync {
    /// Where they are written.
    pub target: TargetKey,
    /// All that belong there, without what the server and controllers wrote (F37).
    pub objects: Vec<(LiveId, Arc<Value>)>,
    /// Objects that exist and are in no rule's selection: their documents are neither written nor swept.
    pub spared: Vec<LiveId>,
    /// What `objects` is complete for: only there is anything swept.
    pub streamed: Vec<Streamed>,
}

/// The objects of one kind in one namespace, or of one cluster-scoped kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Streamed {
    /// The API group.
    pub group: Arc<str>,
    /// The resource.
    pub resource: Arc<str>,
    /// The namespace.
    pub namespace: Option<Arc<str>>,
}

/// What a worker is told. Messages of one sender keep their order.
#[derive(Clone, Debug)]
pub enum Message {
    /// A target, new or with another spec. Its folder is judged again.
    Target(Arc<Target>),
    /// No more writes to this target; what is pending for it is dropped and the folder stays (F60).
    Forget(TargetKey),
    /// A change.
    Change(Change),
    /// A complete set.
    Resync(Resync),
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

impl fmt::Display for RepositoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} branch {}", self.provider, self.branch)
    }
}

impl Streamed {
    /// Whether the object is one of these.
    pub fn covers(&self, id: &LiveId) -> bool {
        self.group == id.group && self.resource == id.resource && self.namespace == id.namespace
    }
}
