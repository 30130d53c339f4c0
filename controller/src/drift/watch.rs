//! The watch of one kind: what it sees is compared with the inventory it belongs to.

use std::time::Duration;

use futures::{StreamExt, pin_mut};
use kube::{
    Api, Client, ResourceExt,
    core::ApiResource,
    runtime::watcher::{self, Event},
};
use nsclass_shared::{
    identity::{Gvk, ObjectIdentity},
    names,
    runtime::{WATCH_SECONDS, watch_cluster},
    scope::Verdict,
};
use tokio_util::sync::CancellationToken;

use super::{Wake, in_use::GroupKind, listing::Listing, seen::Seen, sighting::Sighting};
use crate::context::Context;

/// The pause after the first question whether the kind is served; it doubles, and begins anew when its group changes.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// How a watch ended.
enum End {
    Stopped,
    /// The API server does not serve the kind any more, or serves it differently.
    Unserved,
}

/// Watches a kind until `stop`. While it is not served, it is not asked for: the definitions' watch tells when to look again.
pub(super) async fn watch(context: &Context, client: &Client, kind: &GroupKind, gvk: &Gvk, stop: CancellationToken) {
    let mut pause = FIRST_PAUSE;
    let mut groups = context.drift.groups_changed.subscribe();
    let mut seen = 0;
    loop {
        let changes = groups.borrow_and_update().get(&kind.group).copied().unwrap_or_default();
        if changes != seen {
            (seen, pause) = (changes, FIRST_PAUSE);
        }
        if let Ok(Some(resource)) = context.kinds.resource_in_any_version(gvk).await {
            let one = Watch { context, kind, resource };
            if matches!(one.run(client, &stop).await, End::Stopped) {
                return;
            }
            context.kinds.forget_group(&kind.group);
        }
        let comes_or_goes = async {
            // invariant: the context holds the sender.
            while groups.changed().await.is_ok() {
                if groups.borrow().get(&kind.group).copied().unwrap_or_default() != seen {
                    return;
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = comes_or_goes => {}
            () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
        }
    }
}

struct Watch<'a> {
    context: &'a Context,
    kind: &'a GroupKind,
    resource: ApiResource,
}

impl Watch<'_> {
    async fn run(&self, client: &Client, stop: &CancellationToken) -> End {
        let api: Api<Seen> = Api::all_with(client.clone(), &self.resource);
        let ours = format!("{}=true", names::MANAGED_LABEL);
        let config = watcher::Config::default().labels(&ours).timeout(WATCH_SECONDS);
        // Of every namespace: what drifts out of scope is noted, and looked at when the namespace is back.
        let stream = watch_cluster(api, config);
        pin_mut!(stream);
        let (mut listing, mut broken) = (Listing::default(), false);
        loop {
            let event = tokio::select! {
                () = stop.cancelled() => return End::Stopped,
                event = stream.next() => event,
            };
            match event {
                Some(Ok(event)) => {
                    broken = false;
                    self.on(event, &mut listing);
                }
                Some(Err(error)) => {
                    self.context.metrics.watch_errors.with_label_values(&["drift"]).inc();
                    // Once for each time it breaks, not for each attempt.
                    if !std::mem::replace(&mut broken, true) {
                        tracing::warn!(group = self.kind.group, kind = self.kind.kind, %error, "drift watch broke; it is taken up again");
                    }
                    if is_unserved(&error) {
                        return End::Unserved;
                    }
                }
                None => return End::Unserved,
            }
        }
    }

    fn on(&self, event: Event<Seen>, listing: &mut Listing) {
        match event {
            Event::Init => {
                listing.begins();
                self.context.bindings.visit(|binding| listing.expect(self.kind, binding));
            }
            Event::InitApply(seen) => {
                listing.shows(&self.identity(&seen), &seen.uid().unwrap_or_default());
                self.sighted(seen);
            }
            Event::InitDone => {
                let mut missing = vec![];
                self.context.bindings.visit(|binding| {
                    let namespace = binding.name_any();
                    let objects = listing.missing(self.kind, binding).into_iter();
                    missing.extend(objects.map(|object| (namespace.clone(), object)));
                });
                for (namespace, object) in missing {
                    self.tell(&namespace, &object, Sighting::Missing);
                }
                listing.begins();
            }
            Event::Apply(seen) => self.sighted(seen),
            Event::Delete(seen) => {
                let object = self.identity(&seen);
                if let Some(namespace) = self.namespace(&object) {
                    self.tell(&namespace, &object, Sighting::Gone(seen.uid().unwrap_or_default()));
                }
            }
        }
    }

    fn sighted(&self, seen: Seen) {
        let object = self.identity(&seen);
        match (self.namespace(&object), seen.live) {
            (Some(namespace), Ok(live)) => self.tell(&namespace, &object, Sighting::There(live)),
            (_, Err(why)) => {
                self.context.metrics.watch_errors.with_label_values(&["drift"]).inc();
                tracing::warn!(%object, why, "this object's metadata cannot be read; its drift is not noticed");
            }
            (None, Ok(_)) => {}
        }
    }

    fn tell(&self, namespace: &str, object: &ObjectIdentity, sighting: Sighting) {
        let entry = || {
            let find = |binding: &nsclass_shared::api::NamespaceClassBinding| {
                binding.status.as_ref()?.inventory.iter().find(|entry| entry.is(object)).cloned()
            };
            self.context.bindings.read(namespace, find).flatten()
        };
        let wake = self.context.drift.sighted(namespace, object, sighting, entry);
        let is_out = self.context.scope.handle().verdict(namespace) == Verdict::OutOfScope;
        if let Some(wake) = wake.filter(|_| !is_out) {
            tracing::debug!(namespace, %object, "drift is suspected");
            wake_up(self.context, namespace, wake);
        }
    }

    fn identity(&self, seen: &Seen) -> ObjectIdentity {
        ObjectIdentity {
            group: self.kind.group.clone(),
            kind: self.kind.kind.clone(),
            namespace: seen.namespace(),
            name: seen.name_any(),
        }
    }

    /// The namespace whose inventory may hold it.
    fn namespace(&self, object: &ObjectIdentity) -> Option<String> {
        object.namespace.clone().or_else(|| self.context.drift.owner_of(object))
    }
}

/// Queues a namespace for when it is to be looked at.
pub fn wake_up(context: &Context, namespace: &str, wake: Wake) {
    match wake {
        Wake::Now => context.namespace_queue.add(namespace),
        Wake::At(at) => context.namespace_queue.add_at(namespace, at),
    }
}

/// Whether the API server says that there is no such kind.
fn is_unserved(error: &watcher::Error) -> bool {
    let is_404 = |error: &kube::Error| matches!(error, kube::Error::Api(status) if status.code == 404);
    match error {
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => is_404(error),
        watcher::Error::WatchError(status) => status.code == 404,
        watcher::Error::NoResourceVersion => false,
    }
}
