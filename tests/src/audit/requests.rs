//! Requests out of the audit log, picked and counted.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

/// One answered request (or one watch that began).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Who it was to authorization: the impersonated user, where there is one.
    pub user: String,
    /// The client's `User-Agent`.
    pub agent: String,
    /// `create`, `update`, `patch`, `delete`, `deletecollection`; `get`, `list`, `watch`.
    pub verb: String,
    /// `configmaps`, `networkpolicies.networking.k8s.io`; empty where no object was asked for (`/apis`).
    pub resource: String,
    /// `status`, for instance; mostly empty.
    pub subresource: String,
    /// Empty for what is cluster-scoped.
    pub namespace: String,
    /// Empty for lists and watches.
    pub name: String,
    /// Path and query.
    pub uri: String,
    /// HTTP status code of the answer.
    pub code: u16,
    /// Whether its author lacked the right to it. Admission and quotas refuse too; this is neither.
    pub is_forbidden: bool,
    /// When the server received it.
    pub received: Timestamp,
    /// When it had answered.
    pub answered: Timestamp,
}

impl Request {
    /// Whether it asked for a change; refused ones did, and dry runs did not.
    pub fn is_write(&self) -> bool {
        matches!(&*self.verb, "create" | "update" | "patch" | "delete" | "deletecollection") && !self.is_dry_run()
    }

    /// Whether it only asked for objects.
    pub fn is_read(&self) -> bool {
        matches!(&*self.verb, "get" | "list" | "watch")
    }

    /// Whether it was a change that the server was asked not to make.
    pub fn is_dry_run(&self) -> bool {
        self.uri.split_once('?').is_some_and(|(_, query)| query.split('&').any(|pair| pair.starts_with("dryRun=")))
    }

    /// Whether the server did as it was asked.
    pub fn is_accepted(&self) -> bool {
        self.code < 400
    }

    /// Who did what to which object.
    pub fn subject(&self) -> Subject {
        Subject {
            user: self.user.clone(),
            verb: self.verb.clone(),
            resource: self.resource.clone(),
            subresource: self.subresource.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }
}

/// Who did what to which object: what requests are counted by. Fields as in [`Request`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the fields of Request, where they are told")]
pub struct Subject {
    pub user: String,
    pub verb: String,
    pub resource: String,
    pub subresource: String,
    pub namespace: String,
    pub name: String,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { user, verb, resource, subresource, namespace, name } = self;
        write!(f, "{user} {verb} {resource}")?;
        [subresource, namespace, name]
            .into_iter()
            .filter(|part| !part.is_empty())
            .try_for_each(|part| write!(f, "/{part}"))
    }
}

/// Some requests, in the order in which they were answered. Each method keeps those it names.
#[derive(Debug, Clone, Default)]
pub struct Requests(Vec<Arc<Request>>);

impl Requests {
    pub(super) fn new(requests: Vec<Arc<Request>>) -> Self {
        Self(requests)
    }

    /// Those that asked for a change, refused ones included, dry runs excluded.
    #[must_use]
    pub fn writes(&self) -> Self {
        self.filter(Request::is_write)
    }

    /// Those that got, listed or watched.
    #[must_use]
    pub fn reads(&self) -> Self {
        self.filter(Request::is_read)
    }

    /// Dry runs of changes.
    #[must_use]
    pub fn dry_runs(&self) -> Self {
        self.filter(Request::is_dry_run)
    }

    /// Those that the server did not refuse.
    #[must_use]
    pub fn accepted(&self) -> Self {
        self.filter(Request::is_accepted)
    }

    /// Those whose authors lacked the right to them.
    #[must_use]
    pub fn forbidden(&self) -> Self {
        self.filter(|request| request.is_forbidden)
    }

    /// Those of one user: `test-admin`, `system:serviceaccount:NAMESPACE:NAME`.
    #[must_use]
    pub fn by_user(&self, user: &str) -> Self {
        self.filter(|request| request.user == user)
    }

    /// Those of one program: its `User-Agent` starts with `agent`.
    #[must_use]
    pub fn by_agent(&self, agent: &str) -> Self {
        self.filter(|request| request.agent.starts_with(agent))
    }

    /// Those with one verb.
    #[must_use]
    pub fn verb(&self, verb: &str) -> Self {
        self.filter(|request| request.verb == verb)
    }

    /// Those for one resource, as kubectl spells it: `configmaps`, `networkpolicies.networking.k8s.io`.
    #[must_use]
    pub fn on(&self, resource: &str) -> Self {
        self.filter(|request| request.resource == resource)
    }

    /// Those in one namespace.
    #[must_use]
    pub fn in_namespace(&self, namespace: &str) -> Self {
        self.filter(|request| request.namespace == namespace)
    }

    /// Those for objects of one name.
    #[must_use]
    pub fn named(&self, name: &str) -> Self {
        self.filter(|request| request.name == name)
    }

    /// Those that satisfy `wanted`.
    #[must_use]
    pub fn filter(&self, wanted: impl Fn(&Request) -> bool) -> Self {
        Self(self.0.iter().filter(|request| wanted(request)).cloned().collect())
    }

    /// How many there are of each, by who did what to which object.
    pub fn counts(&self) -> BTreeMap<Subject, usize> {
        self.count_by(Request::subject)
    }

    /// How many there are of each user agent, verb and resource: what a program asks of the server.
    pub fn per_agent(&self) -> BTreeMap<(String, String, String), usize> {
        self.count_by(|request| (request.agent.clone(), request.verb.clone(), request.resource.clone()))
    }

    /// How many there are of each key.
    pub fn count_by<K: Ord>(&self, key: impl Fn(&Request) -> K) -> BTreeMap<K, usize> {
        let mut counts = BTreeMap::new();
        for request in &self.0 {
            *counts.entry(key(request)).or_default() += 1;
        }
        counts
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &Request> {
        self.0.iter().map(AsRef::as_ref)
    }
}

/// A line per subject, with its count: what a failed claim shows.
impl fmt::Display for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts().iter().try_for_each(|(subject, count)| writeln!(f, "{count:>5} × {subject}"))
    }
}
