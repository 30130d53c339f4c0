//! The watches: each fills its store, then says which namespaces and classes somebody should look at.

mod bindings_told;

use std::{
    collections::{HashMap, HashSet},
    fmt::Debug,
    hash::Hash,
    sync::Arc,
};

use futures::{Stream, StreamExt, pin_mut};
use kube::{
    ResourceExt,
    api::DynamicObject,
    runtime::{
        reflector::{Lookup, store::Writer},
        watcher::{self, Event},
    },
};
use nsclass_shared::{names, runtime::Latch};
use tokio_util::sync::CancellationToken;

use crate::{
    classes,
    context::{Context, WatchedDefinition, WatchedNamespace},
    mass_delete, observe,
};

pub use bindings_told::BindingsTold;

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
        Event::Apply(namespace) => look_at_namespace(context, &namespace, false),
        Event::InitApply(namespace) => look_at_namespace(context, &namespace, true),
        Event::Delete(namespace) => context.namespace_queue.add(&namespace.name_any()),
        // What vanished while the watch was broken shows only as bindings without a namespace.
        Event::InitDone => tell_bound(context),
        Event::Init => {}
    }
}

/// Somebody changed this namespace, or it is one of many in a list.
fn look_at_namespace(context: &Context, namespace: &WatchedNamespace, listed: bool) {
    let (name, class) = (namespace.name_any(), class_of(namespace));
    if is_concerned(context, namespace) {
        if listed {
            context.namespace_queue.add_to(class, &name);
        } else {
            context.namespace_queue.add(&name);
        }
    }
    if !class.is_empty() {
        context.class_queue.add(class);
    }
}

/// The class that a namespace asks for; empty for none.
fn class_of(namespace: &WatchedNamespace) -> &str {
    namespace.labels().get(names::CLASS_LABEL).map_or("", String::as_str)
}

/// What of a class concerns its namespaces. Its status does not.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    uid: String,
    generation: i64,
    deleting: bool,
    protected: bool,
    suspended: bool,
    /// What the guard is told to let through.
    confirmed: Option<String>,
}

/// Classes as they were when their namespaces were last told.
#[derive(Debug, Default)]
pub struct ClassesTold {
    versions: HashMap<String, Version>,
    relist: HashSet<String>,
}

impl ClassesTold {
    /// Tells the class's namespaces, where anything changed for them.
    pub fn on_class(&mut self, context: &Context, event: Event<DynamicObject>) {
        match event {
            Event::Apply(class) => {
                if self.is_new(context, &class) {
                    tell_namespaces(context, &class.name_any());
                }
            }
            Event::InitApply(class) => {
                self.is_new(context, &class);
                self.relist.insert(class.name_any());
            }
            Event::Delete(class) => self.gone(context, &class.name_any()),
            Event::Init => self.relist.clear(),
            Event::InitDone => {
                let vanished: Vec<String> =
                    self.versions.keys().filter(|name| !self.relist.contains(*name)).cloned().collect();
                for name in vanished {
                    self.gone(context, &name);
                }
                // Until now a class could be missing from the store although it exists. All of them at once: with a scan for each,
                // a thousand classes would cost a thousand scans.
                tell_labelled(context);
                tell_bound(context);
            }
        }
    }

    /// Notes a class; returns whether its namespaces must know.
    fn is_new(&mut self, context: &Context, class: &DynamicObject) -> bool {
        let name = class.name_any();
        let version = Version {
            uid: class.metadata.uid.clone().unwrap_or_default(),
            generation: class.metadata.generation.unwrap_or_default(),
            deleting: class.metadata.deletion_timestamp.is_some(),
            protected: classes::is_protected(class),
            suspended: observe::is_suspended(class.annotations()),
            confirmed: mass_delete::confirmation(class).map(str::to_owned),
        };
        context.class_queue.add(&name);
        self.versions.insert(name, version.clone()) != Some(version)
    }

    fn gone(&mut self, context: &Context, name: &str) {
        self.versions.remove(name);
        context.class_queue.add(name);
        tell_namespaces(context, name);
    }
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
    for namespace in context.namespaces.state() {
        if is_concerned(context, &namespace) {
            context.namespace_queue.add_to(class_of(&namespace), &namespace.name_any());
        }
    }
    // Also those whose namespace is gone, and bindings that cannot be read.
    for binding in context.bindings.watched().state() {
        let class = binding.0.as_ref().map_or("", |binding| &binding.spec.class_name);
        context.namespace_queue.add_to(class, &binding.name_any());
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
