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

#[cfg(test)]
mod tests {
    use kube::api::ObjectMeta;
    use prometheus::Registry;

    use super::*;
    use crate::{
        runtime::ScopeHandle,
        scope::{Direction, Pick, ScopeRule, Verdict},
    };

    fn namespace(name: &str, uid: &str, revision: u64) -> WatchedNamespace {
        let metadata = ObjectMeta {
            name: Some(name.into()),
            uid: Some(uid.into()),
            resource_version: Some(revision.to_string()),
            ..ObjectMeta::default()
        };
        PartialObjectMeta { types: None, metadata, _phantom: std::marker::PhantomData }
    }

    fn broken() -> watcher::Result<Event<WatchedNamespace>> {
        Err(watcher::Error::NoResourceVersion)
    }

    /// Notes what the snapshot said of the namespace of each event, before it was published and after.
    struct Notes {
        scope: ScopeHandle,
        before: Vec<Verdict>,
        after: Vec<Verdict>,
    }

    impl Notes {
        fn verdict(&self, event: &Event<WatchedNamespace>) -> Option<Verdict> {
            match event {
                Event::Apply(n) | Event::InitApply(n) | Event::Delete(n) => {
                    Some(self.scope.verdict(n.metadata.name.as_deref()?))
                }
                Event::Init | Event::InitDone => None,
            }
        }
    }

    impl NamespaceListener for Notes {
        fn store(&mut self, event: &Event<WatchedNamespace>) {
            self.before.extend(self.verdict(event));
        }

        fn told(&mut self, event: Event<WatchedNamespace>) {
            self.after.extend(self.verdict(&event));
        }
    }

    fn parts() -> (Scope, ScopeTask) {
        let rule = ScopeRule::new("own", Pick::Named(["a".to_owned(), "b".to_owned()].into()));
        Scope::new(rule, None, &Registry::new()).unwrap()
    }

    #[tokio::test]
    async fn s20_whoever_is_told_finds_the_snapshot_published() {
        let (scope, mut task) = parts();
        let flips = scope.subscribe("test");
        let mut notes = Notes { scope: scope.handle().clone(), before: vec![], after: vec![] };
        let list = vec![Ok(Event::Init), Ok(Event::InitApply(namespace("a", "1", 1))), Ok(Event::InitDone)];
        task.take(list, &mut notes);
        assert_eq!(
            (notes.before.as_slice(), notes.after.as_slice()),
            (&[Verdict::Unknown][..], &[Verdict::InScope][..])
        );
        let flip = flips.next().await;
        assert!(scope.handle().load().epoch() >= flip.epoch);
        assert_eq!((&*flip.namespace, flip.direction), ("a", Direction::Appeared));
        assert!(scope.seeded().is_set());
    }

    #[tokio::test]
    async fn fault09_a_broken_list_publishes_nothing_and_the_snapshot_is_never_half() {
        let (scope, mut task) = parts();
        let flips = scope.subscribe("test");
        task.take(vec![Ok(Event::Init), Ok(Event::InitApply(namespace("a", "1", 1))), broken()], &mut ());
        assert!(!scope.handle().load().is_seeded() && !scope.seeded().is_set());
        assert_eq!(scope.handle().verdict("a"), Verdict::Unknown);
        let both = [Event::InitApply(namespace("a", "1", 1)), Event::InitApply(namespace("b", "2", 2))];
        let list = std::iter::once(Event::Init).chain(both).chain([Event::InitDone]).map(Ok).collect();
        task.take(list, &mut ());
        assert_eq!((flips.backlog(), scope.handle().load().epoch()), (2, 1));
        // 410 Gone: the stream begins again, and breaks off after the first namespace.
        task.take(vec![broken(), Ok(Event::Init), Ok(Event::InitApply(namespace("a", "1", 1))), broken()], &mut ());
        assert_eq!(scope.handle().load().epoch(), 1);
        assert_eq!(scope.handle().verdict("b"), Verdict::InScope);
        // Then it is whole: `b` vanished meanwhile, and `a` was deleted and made again between two events.
        let list = vec![Ok(Event::Init), Ok(Event::InitApply(namespace("a", "3", 5))), Ok(Event::InitDone)];
        task.take(list, &mut ());
        assert_eq!(scope.handle().verdict("b"), Verdict::Unknown);
        assert_eq!(scope.handle().load().entry("a").map(|entry| entry.uid().to_owned()), Some("3".to_owned()));
        assert_eq!(task.watch_errors.get(), 3);
    }

    #[tokio::test]
    async fn s10_a_rule_does_not_move_the_operator() {
        let (scope, _task) = parts();
        scope.set_rule(&ScopeRule::new("elsewhere", Pick::Every));
        assert_eq!(*scope.rules.borrow(), ScopeRule::new("own", Pick::Every));
    }
}
