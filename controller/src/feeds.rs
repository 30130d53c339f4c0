//! The watches: each fills its store, then says which namespaces and classes somebody should look at.

mod bindings_told;
mod classes_told;

use std::{fmt::Debug, hash::Hash, sync::Arc};

use futures::{Stream, StreamExt, pin_mut};
use kube::{
    ResourceExt,
    runtime::{
        reflector::{Lookup, store::Writer},
        watcher::{self, Event},
    },
};
use nsclass_shared::{names, runtime::Latch};
use tokio_util::sync::CancellationToken;

use crate::context::{Context, WatchedDefinition, WatchedNamespace};

pub use bindings_told::BindingsTold;
pub use classes_told::ClassesTold;

/// One watch.
pub struct Feed {
    /// What it watches, for logs and metrics.
    pub kind: &'static str,
    /// Where its events lead.
    pub context: Arc<Context>,
    /// Set when the first full list is in the store and its events are told.
    pub listed: Option<Latch>,
    /// Ends it.
    pub shutdown: CancellationToken,
}

impl Feed {
    /// Fills `writer` from `stream` until shutdown and hands every event on, after the store has it. A broken watch is taken up again
    /// by the stream itself, with pauses.
    ///
    /// # Errors
    /// When the stream ends, which it never should.
    pub async fn run<K>(
        self,
        stream: impl Stream<Item = Result<Event<K>, watcher::Error>> + Send,
        mut writer: Option<Writer<K>>,
        mut on: impl FnMut(&Context, Event<K>) + Send,
    ) -> anyhow::Result<()>
    where
        K: Lookup + Clone + Debug + Send + 'static,
        K::DynamicType: Eq + Hash + Clone + Send,
    {
        let Self { kind, context, listed, shutdown } = self;
        pin_mut!(stream);
        loop {
            let event = tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                event = stream.next() => event,
            };
            match event {
                Some(Ok(event)) => {
                    if let Some(writer) = &mut writer {
                        writer.apply_watcher_event(&event);
                    }
                    let is_complete = matches!(event, Event::InitDone);
                    on(&context, event);
                    if let Some(listed) = listed.as_ref().filter(|_| is_complete) {
                        listed.set();
                    }
                }
                Some(Err(error)) => {
                    context.metrics.watch_errors.with_label_values(&[kind]).inc();
                    tracing::warn!(kind, %error, "watch broke; it is taken up again");
                }
                None => anyhow::bail!("the watch of {kind} ended"),
            }
        }
    }
}

/// A namespace that has, wants or owes something; the snapshot shows it already.
pub fn on_namespace(context: &Context, event: Event<WatchedNamespace>) {
    match event {
        Event::Apply(namespace) => look_at_namespace(context, &namespace),
        Event::Delete(namespace) => context.namespace_queue.add(&namespace.name_any()),
        // A list is in the store when it is complete, and not before: who looked earlier would see what was, and nobody would tell
        // them again. What vanished while the watch was broken shows only as bindings without a namespace.
        Event::InitDone => {
            tell_concerned(context);
            tell_bound(context);
        }
        Event::Init | Event::InitApply(_) => {}
    }
}

/// Somebody changed this namespace.
fn look_at_namespace(context: &Context, namespace: &WatchedNamespace) {
    if is_concerned(context, namespace) {
        context.namespace_queue.add(&namespace.name_any());
    }
    tell_class_of(context, namespace);
}

/// Whether its class needs its finalizer may depend on this namespace.
fn tell_class_of(context: &Context, namespace: &WatchedNamespace) {
    let class = class_of(namespace);
    if !class.is_empty() {
        context.class_queue.add(class);
    }
}

/// The class that a namespace asks for; empty for none.
fn class_of(namespace: &WatchedNamespace) -> &str {
    namespace.labels().get(names::CLASS_LABEL).map_or("", String::as_str)
}

/// Queues every namespace that asks for a class.
pub fn tell_labelled(context: &Context) {
    for namespace in context.namespaces.state() {
        if let Some(class) = namespace.labels().get(names::CLASS_LABEL) {
            context.namespace_queue.add_to(class, &namespace.name_any());
        }
    }
}

/// Queues every namespace that has a binding.
fn tell_bound(context: &Context) {
    context.bindings.visit(|binding| context.namespace_queue.add_to(&binding.spec.class_name, &binding.name_any()));
}

/// Queues everything, once: what happened while this replica stood by was seen and not queued.
pub fn tell_everything(context: &Context) {
    tell_concerned(context);
    // Also those whose namespace is gone, and bindings that cannot be read.
    for binding in context.bindings.watched().state() {
        let class = binding.0.as_ref().map_or("", |binding| &binding.spec.class_name);
        context.namespace_queue.add_to(class, &binding.name_any());
    }
    context.classes.watched().state().iter().for_each(|class| context.class_queue.add(&class.name_any()));
}

/// Queues every namespace that has, wants or owes something, and the classes that are asked for.
fn tell_concerned(context: &Context) {
    for namespace in context.namespaces.state() {
        if is_concerned(context, &namespace) {
            context.namespace_queue.add_to(class_of(&namespace), &namespace.name_any());
        }
        tell_class_of(context, &namespace);
    }
}

/// Queues every namespace that has, wants or owes something, the oldest first, and every class.
pub fn tell_oldest_first(context: &Context, flow: &str) {
    let mut namespaces = context.namespaces.state();
    namespaces.retain(|namespace| is_concerned(context, namespace));
    namespaces.sort_by_cached_key(|namespace| {
        (namespace.metadata.creation_timestamp.as_ref().map(|time| time.0), namespace.name_any())
    });
    for namespace in namespaces {
        context.namespace_queue.add_to(flow, &namespace.name_any());
    }
    context.classes.watched().state().iter().for_each(|class| context.class_queue.add(&class.name_any()));
}

/// Whether a namespace has, wants or owes something.
fn is_concerned(context: &Context, namespace: &WatchedNamespace) -> bool {
    let held = namespace.finalizers().iter().any(|f| f == names::FINALIZER);
    let labelled = namespace.labels().contains_key(names::CLASS_LABEL);
    labelled || held || !matches!(context.bindings.get(&namespace.name_any()), Ok(None))
}

/// Queues every namespace that asks for the class or has it.
fn tell_namespaces(context: &Context, class: &str) {
    for namespace in context.namespaces.state() {
        if namespace.labels().get(names::CLASS_LABEL).is_some_and(|l| l == class) {
            context.namespace_queue.add_to(class, &namespace.name_any());
        }
    }
    context.bindings.visit(|binding| {
        if binding.spec.class_name == class {
            context.namespace_queue.add_to(class, &binding.name_any());
        }
    });
}

/// A kind came, went or changed: whoever waits for its group looks again.
pub fn on_crd(context: &Context, event: Event<WatchedDefinition>) {
    let (crd, removed) = match event {
        Event::Apply(crd) => (crd, false),
        Event::Delete(crd) => (crd, true),
        _ => return,
    };
    // A CRD's name is `<plural>.<group>`.
    let name = crd.name_any();
    let Some((_, group)) = name.split_once('.') else { return };
    context.kinds.forget_group(group);
    context.drift.group_changed(group);
    for namespace in context.memory.waiting_for(group) {
        context.namespace_queue.add_to(group, &namespace);
    }
    if removed {
        // Its objects went with it, also where it is back before anybody looks.
        context.bindings.visit(|binding| {
            if binding.status.as_ref().is_some_and(|s| s.inventory.iter().any(|e| e.group == group)) {
                context.memory.look_now(&binding.name_any());
                context.namespace_queue.add_to(group, &binding.name_any());
            }
        });
    }
}

#[cfg(test)]
mod tests;
