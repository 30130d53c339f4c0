//! The task that owns the index.

use std::time::Duration;

use futures::{StreamExt, pin_mut};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api, Client,
    core::PartialObjectMeta,
    runtime::{
        WatchStreamExt,
        watcher::{self, Event},
    },
};
use prometheus::IntCounter;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::Scope;
use crate::{
    runtime::watch_cluster,
    scope::{Index, Observation},
};

/// A namespace as the watch has it: metadata alone, without managedFields.
pub type WatchedNamespace = PartialObjectMeta<Namespace>;

/// How long one watch of namespaces lasts, in seconds: the longest silence of a quiet cluster, and so what an age means.
const WATCH_SECONDS: u32 = 30;
/// Most events that become one snapshot. More that wait become the next one.
const BATCH: usize = 1024;
/// How often lagging subscribers are looked for.
const NAG_EVERY: Duration = Duration::from_secs(5);

/// Who else hears of the watch of namespaces.
pub trait NamespaceListener: Send {
    /// An event, before the snapshot that shows it is published: what is read beside the snapshot is brought up to date here.
    fn store(&mut self, event: &Event<WatchedNamespace>);

    /// The same event, after the snapshot that shows it, or a later one, is published (scope.md S20).
    fn told(&mut self, event: Event<WatchedNamespace>);
}

/// Nobody.
impl NamespaceListener for () {
    fn store(&mut self, _: &Event<WatchedNamespace>) {}

    fn told(&mut self, _: Event<WatchedNamespace>) {}
}

/// The one writer of a process's scope.
pub struct ScopeTask {
    scope: Scope,
    index: Index,
    watch_errors: IntCounter,
}

impl ScopeTask {
    pub(super) fn new(scope: Scope, index: Index, watch_errors: IntCounter) -> Self {
        Self { scope, index, watch_errors }
    }

    /// Watches namespaces until shutdown. What is broken is taken up again, and meanwhile the snapshot keeps answering.
    ///
    /// # Errors
    /// When the watch ends, which it never should.
    pub async fn run(
        mut self,
        client: Client,
        mut listener: impl NamespaceListener,
        shutdown: CancellationToken,
    ) -> anyhow::Result<()> {
        let api = Api::<WatchedNamespace>::all(self.scope.contact.listen(client));
        let events = watch_cluster(api, watcher::Config::default().timeout(WATCH_SECONDS));
        let events = events.modify(|namespace| namespace.metadata.managed_fields = None).ready_chunks(BATCH);
        pin_mut!(events);
        let mut rules = self.scope.rules.subscribe();
        let mut nag = interval(NAG_EVERY);
        nag.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                // invariant: `scope` holds the sender, so this never fails.
                _ = rules.changed() => {
                    let rule = rules.borrow_and_update().clone();
                    tracing::info!(%rule, "the scope in force");
                    if self.index.set_rule(rule) {
                        self.publish();
                    }
                }
                _ = nag.tick() => self.scope.telling.nag(),
                events = events.next() => match events {
                    Some(events) => self.take(events, &mut listener),
                    None => anyhow::bail!("the watch of namespaces ended"),
                },
            }
        }
    }

    /// Takes a batch: into the index, into what stands beside it, out as a snapshot, and only then to whoever waits for news.
    fn take(&mut self, batch: Vec<watcher::Result<Event<WatchedNamespace>>>, listener: &mut impl NamespaceListener) {
        let mut told = Vec::with_capacity(batch.len());
        for event in batch {
            match event {
                Ok(event) => {
                    self.scope.contact.touch();
                    self.index(&event);
                    listener.store(&event);
                    told.push(event);
                }
                Err(error) => {
                    self.watch_errors.inc();
                    tracing::warn!(%error, "the watch of namespaces broke; it is taken up again");
                }
            }
        }
        self.publish();
        for event in told {
            listener.told(event);
        }
        if self.index.snapshot().is_seeded() {
            self.scope.seeded.set();
        }
    }

    fn index(&mut self, event: &Event<WatchedNamespace>) {
        match event {
            Event::Apply(namespace) => self.index.apply(&Observation::of(&namespace.metadata)),
            Event::Delete(namespace) => self.index.delete(&Observation::of(&namespace.metadata)),
            Event::Init => self.index.relist_begins(),
            Event::InitApply(namespace) => self.index.relist_holds(&Observation::of(&namespace.metadata)),
            Event::InitDone => self.index.relist_done(),
        }
    }

    fn publish(&mut self) {
        if let Some(published) = self.index.publish(Timestamp::now()) {
            self.scope.handle.publish(published.snapshot);
            self.scope.telling.tell(&published.flips);
        }
    }
}
