//! What the scope means to the controller: who is queued when a namespace crosses its edge, and what is dropped when one has left.

use std::{collections::HashMap, convert::Infallible, sync::Arc};

use kube::{
    ResourceExt,
    runtime::{
        reflector::{ObjectRef, store::Writer},
        watcher::Event,
    },
};
use nsclass_shared::{
    api::NamespaceClassBinding,
    config::Settings,
    names,
    runtime::{FlipMapper, NamespaceListener},
    scope::{Flip, Snapshot, Verdict},
};

use crate::{
    context::{Context, WatchedNamespace},
    feeds,
};

/// The controller's part in the watch of namespaces.
pub struct Namespaces {
    /// Where events lead.
    pub context: Arc<Context>,
    /// The store beside the snapshot. A pass trusts neither where they differ.
    pub store: Writer<WatchedNamespace>,
}

impl NamespaceListener for Namespaces {
    fn store(&mut self, event: &Event<WatchedNamespace>) {
        self.store.apply_watcher_event(event);
    }

    fn told(&mut self, event: Event<WatchedNamespace>) {
        feeds::on_namespace(&self.context, event);
    }
}

/// A flip concerns the namespace itself, and the class that it asks for, which may need its finalizer now.
pub struct Concerned(pub Arc<Context>);

/// What a flip puts into a queue.
pub enum Key {
    /// A namespace.
    Namespace(String),
    /// A class.
    Class(String),
}

impl FlipMapper for Concerned {
    type Object = Key;
    type Error = Infallible;

    async fn objects(&self, flip: &Flip) -> Result<Vec<Key>, Infallible> {
        let label = self.0.namespaces.get(&ObjectRef::new(&flip.namespace)).and_then(|namespace| {
            namespace.labels().get(names::CLASS_LABEL).filter(|label| !label.is_empty()).cloned()
        });
        let is_bound = !matches!(self.0.bindings.get(&flip.namespace), Ok(None));
        let mut keys: Vec<Key> = label.iter().cloned().map(Key::Class).collect();
        if label.is_some() || is_bound {
            keys.push(Key::Namespace(flip.namespace.to_string()));
        }
        Ok(keys)
    }
}

/// The flow of namespaces that crossed the scope's edge.
const FLIPS: &str = "scope";

/// Puts keys where they belong.
pub fn to_queues(context: Arc<Context>) -> impl Fn(Key) {
    move |key| match key {
        // One flip has its turn soon, and a changed rule, which may flip thousands, leaves others theirs.
        Key::Namespace(name) => context.namespace_queue.add_to(FLIPS, &name),
        Key::Class(name) => context.class_queue.add(&name),
    }
}

/// The out-of-scope hook (scope.md S32), for a namespace that is gone too: what is remembered of it in memory goes. All of that can be learnt
/// anew, so that a namespace which comes back within seconds loses nothing but time.
pub fn forget(context: &Context, name: &str) {
    context.memory.forget(name);
}

/// A selector without requirements may be one that was lost on its way here.
pub fn say_empty_selector(settings: &Settings) {
    if settings.config.scope.is_empty_selector() {
        tracing::info!("scope.namespaceSelector is {{}}: every namespace is managed");
    }
}

/// Who else keeps namespaces that we would keep (S35).
pub struct Others {
    scope: Arc<Snapshot>,
    settings: Arc<Settings>,
}

impl Others {
    /// As things are now.
    pub fn of(context: &Context) -> Self {
        Self { scope: context.scope.handle().load_full(), settings: context.settings() }
    }

    /// The other instance that keeps a namespace of our scope.
    pub fn keeper<'a>(&self, binding: &'a NamespaceClassBinding) -> Option<&'a str> {
        let other = &binding.spec.instance;
        let elsewhere = !other.is_empty() && *other != self.settings.config.instance;
        (elsewhere && self.scope.verdict(&binding.spec.namespace_name) == Verdict::InScope).then_some(other)
    }
}

/// Recounts the gauge of namespaces that we would keep if another instance did not (S35).
pub fn count_other_instances(context: &Context) {
    let (others, mut counts) = (Others::of(context), HashMap::<String, i64>::new());
    context.bindings.visit(|binding| {
        if let Some(other) = others.keeper(binding) {
            *counts.entry(other.to_owned()).or_default() += 1;
        }
    });
    context.metrics.other_instance.reset();
    for (instance, count) in counts {
        context.metrics.other_instance.with_label_values(&[&instance]).set(count);
    }
}
