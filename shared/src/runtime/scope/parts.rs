//! What a process holds of its scope.

use std::{sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use axum::Router;
use prometheus::Registry;
use serde_json::{Map, Value};
use tokio::sync::watch;

use super::{
    FlipQueue, ScopeHandle, ScopeTask,
    contact::Contact,
    debug,
    metrics::ScopeMetrics,
    telling::{SharedTelling, Telling},
};
use crate::{
    runtime::Latch,
    scope::{Index, ScopeRule},
};

/// Asks whether this process leads now.
pub type Leads = Arc<dyn Fn() -> bool + Send + Sync>;

/// The scope of a process. Clones are the same one; its [`ScopeTask`] keeps it up.
#[derive(Clone)]
pub struct Scope {
    pub(super) handle: ScopeHandle,
    pub(super) contact: Contact,
    pub(super) telling: SharedTelling,
    pub(super) rules: watch::Sender<ScopeRule>,
    pub(super) seeded: Latch,
    pub(super) beside: Arc<ArcSwap<Map<String, Value>>>,
}

impl Scope {
    /// A scope and the task that keeps it up. `leads` is none in a process that has no leader, such as the webhook.
    ///
    /// # Errors
    /// The registry has a scope already.
    pub fn new(rule: ScopeRule, leads: Option<Leads>, registry: &Registry) -> prometheus::Result<(Self, ScopeTask)> {
        let index = Index::new(rule.clone());
        let scope = Self {
            handle: ScopeHandle::new(index.snapshot()),
            contact: Contact::default(),
            telling: Arc::new(Telling::new(leads, registry)?),
            rules: watch::Sender::new(rule),
            seeded: Latch::default(),
            beside: Arc::default(),
        };
        let metrics = ScopeMetrics::new(scope.clone())?;
        let watch_errors = metrics.watch_errors.clone();
        registry.register(Box::new(metrics))?;
        let task = ScopeTask::new(scope.clone(), index, watch_errors);
        Ok((scope, task))
    }

    /// Where the snapshot is found.
    pub fn handle(&self) -> &ScopeHandle {
        &self.handle
    }

    /// Puts another rule into force; the difference is told as flips (scope.md S10). Where the operator lives does not change while it
    /// runs.
    pub fn set_rule(&self, rule: &ScopeRule) {
        let own = self.rules.borrow().operator_namespace().to_owned();
        self.rules.send_replace(ScopeRule::new(own, rule.pick().clone()));
    }

    /// A queue of flips for one more subscriber, whose name is a label of the backlog metric.
    pub fn subscribe(&self, name: &'static str) -> FlipQueue {
        self.telling.subscribe(name)
    }

    /// Tells every subscriber of every namespace, as the snapshot has it: to be called once when this process begins to lead (S23).
    pub fn tell_everything(&self) {
        self.telling.tell_everything(&self.handle.load_full());
    }

    /// Set when the first full list is in the snapshot and its events are told.
    pub fn seeded(&self) -> &Latch {
        &self.seeded
    }

    /// How long ago the API server was last heard of on the watch of namespaces. The snapshot is at least as old.
    pub fn age(&self) -> Duration {
        self.contact.age()
    }

    /// Shows something beside the scope in `/debug/scope`, such as what the licence gate does; the last of each name counts.
    pub fn show(&self, name: &str, value: &Value) {
        self.beside.rcu(|before| {
            let mut after = Map::clone(before);
            after.insert(name.to_owned(), value.clone());
            after
        });
    }

    /// `/debug/scope`, for the admin port.
    pub fn routes(&self) -> Router {
        debug::routes(self.clone())
    }
}
