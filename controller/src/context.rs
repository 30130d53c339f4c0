//! What all parts of the controller share.

use std::sync::Arc;

use arc_swap::ArcSwap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Client, core::PartialObjectMeta, runtime::reflector::Store};
use nsclass_shared::{
    config::Settings,
    runtime::{Latch, Scope},
};

use crate::{
    bindings::Bindings,
    certs::Report,
    classes::Classes,
    drift::Drift,
    events::Events,
    kinds::KindCache,
    leader::{LeaderGuard, Standing},
    licence::{Gate, Pod},
    mass_delete::MassDeleteGuard,
    memory::Memory,
    metrics::Metrics,
    queue::WorkQueue,
};

pub use nsclass_shared::runtime::WatchedNamespace;

/// A definition of custom resources as the watch has it: metadata alone.
pub type WatchedDefinition = PartialObjectMeta<CustomResourceDefinition>;

/// The parts, each safe to share.
pub struct Context {
    /// For everything. It refuses to write while `guard` does.
    pub client: Client,
    /// Whether we lead.
    pub guard: LeaderGuard,
    /// How we stand among the replicas.
    pub standing: Arc<Standing>,
    /// In force now.
    pub settings: ArcSwap<Settings>,
    /// Which namespaces are managed.
    pub scope: Scope,
    /// The namespaces.
    pub namespaces: Store<WatchedNamespace>,
    /// The classes.
    pub classes: Classes,
    /// The bindings.
    pub bindings: Bindings,
    /// What the API server serves.
    pub kinds: KindCache,
    /// What keeps one slip from deleting everything.
    pub mass_delete: MassDeleteGuard,
    /// What is remembered of namespaces.
    pub memory: Memory,
    /// What watches saw changed or gone.
    pub drift: Drift,
    /// What passes have to tell people.
    pub events: Events,
    /// Namespaces to look at.
    pub namespace_queue: WorkQueue,
    /// Classes to look at.
    pub class_queue: WorkQueue,
    /// Which first lists are complete.
    pub listed: Listed,
    /// Whether a licence lets namespaces be gone on with.
    pub licence: Gate,
    /// The pod that this process is; none outside of one.
    pub pod: Option<Pod>,
    /// How certificates and the webhook configuration are.
    pub certificates: Report,
    /// What is counted.
    pub metrics: Metrics,
}

/// First full lists. Before all are there, nothing can be concluded from what is missing.
#[derive(Debug, Default)]
pub struct Listed {
    /// Of namespaces.
    pub namespaces: Latch,
    /// Of classes.
    pub classes: Latch,
    /// Of bindings.
    pub bindings: Latch,
}

impl Context {
    /// The settings in force, for one pass.
    pub fn settings(&self) -> Arc<Settings> {
        self.settings.load_full()
    }
}
