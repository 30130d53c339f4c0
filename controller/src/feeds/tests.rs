//! Lists that come while the process runs: after 410 Gone, or a broken watch.

use std::sync::Arc;

use nsclass_shared::{api::NamespaceClassBinding, runtime::NamespaceListener};
use serde_json::{Value, json};

use super::*;
use crate::{
    bindings::{Bindings, Guarded},
    scope::Namespaces,
    testing::{FakeServer, context},
};

/// A context without namespaces, whose stores these writers fill.
fn parts() -> (Context, Writer<WatchedNamespace>, Writer<Guarded>) {
    let class = json!({ "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass", "metadata": { "name": "std" } });
    let context = context(&FakeServer::new(|_| None), &class, &[]);
    let mut context = Arc::into_inner(context).unwrap();
    let (namespaces, bindings) = (Writer::default(), Writer::<Guarded>::new(()));
    context.namespaces = namespaces.as_reader();
    context.bindings = Bindings::new(bindings.as_reader());
    context.class_queue.open();
    (context, namespaces, bindings)
}

/// As workers do that are quicker than the list.
async fn drain(context: &Context) -> Vec<String> {
    let mut taken = Vec::new();
    for queue in [&context.namespace_queue, &context.class_queue] {
        while queue.depth() > 0 {
            let key = queue.next().await;
            queue.done(&key);
            taken.push(key);
        }
    }
    taken
}

fn of<K: serde::de::DeserializeOwned>(object: Value) -> K {
    serde_json::from_value(object).unwrap()
}

#[tokio::test]
async fn fault09_a_namespace_labelled_while_the_watch_was_broken_is_looked_at_when_the_store_shows_it() {
    let (context, store, _bindings) = parts();
    let context = Arc::new(context);
    let mut listener = Namespaces { context: context.clone(), store };
    let namespace = |class: &str| {
        let metadata = json!({ "name": "pay", "uid": "u", "labels": { names::CLASS_LABEL: class } });
        of::<WatchedNamespace>(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata }))
    };
    for class in ["", "std"] {
        drain(&context).await;
        for event in [Event::Init, Event::InitApply(namespace(class))] {
            listener.store(&event);
            listener.told(event);
        }
        assert_eq!(drain(&context).await, Vec::<String>::new(), "the store does not have it yet");
        listener.store(&Event::InitDone);
        listener.told(Event::InitDone);
    }
    assert_eq!(drain(&context).await, ["pay", "std"]);
}

#[tokio::test]
async fn fault09_what_somebody_did_to_a_binding_while_the_watch_was_broken_is_looked_at_when_the_store_shows_it() {
    let (context, _namespaces, mut store) = parts();
    let mut told = BindingsTold::default();
    let metadata = json!({ "name": "pay", "uid": "u", "resourceVersion": "7" });
    let binding: NamespaceClassBinding = of(json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClassBinding", "metadata": metadata,
        "spec": { "namespaceName": "pay", "className": "std", "instance": "default" },
    }));
    // A list that breaks off tells of nothing.
    let binding = || Event::InitApply(Guarded(Ok(binding.clone())));
    for event in [Event::Init, binding(), Event::Init, binding()] {
        store.apply_watcher_event(&event);
        told.on_binding(&context, event);
    }
    assert_eq!(drain(&context).await, ["std"], "the store does not have it yet, and the class counts from events");
    store.apply_watcher_event(&Event::InitDone);
    told.on_binding(&context, Event::InitDone);
    assert_eq!(drain(&context).await, ["pay"]);
}

#[tokio::test]
async fn fault09_a_class_edited_while_the_watch_was_broken_is_looked_at_when_the_store_shows_it() {
    let (context, _namespaces, _bindings) = parts();
    let mut told = ClassesTold::default();
    let class =
        of(json!({ "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass", "metadata": { "name": "std" } }));
    told.on_class(&context, Event::Init);
    told.on_class(&context, Event::InitApply(class));
    assert_eq!(drain(&context).await, Vec::<String>::new(), "the store does not have it yet");
    told.on_class(&context, Event::InitDone);
    assert_eq!(drain(&context).await, ["std"]);
}

#[tokio::test]
async fn s60_a_licence_that_comes_has_everything_looked_at_the_oldest_first_and_once() {
    let (context, mut store, _bindings) = parts();
    store.apply_watcher_event(&Event::Init);
    for (name, created) in [("c", 1), ("a", 3), ("b", 1), ("d", 2)] {
        let metadata = json!({
            "name": name, "uid": name, "labels": { names::CLASS_LABEL: "std" },
            "creationTimestamp": jiff::Timestamp::from_second(created).unwrap().to_string(),
        });
        let namespace = of(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata }));
        store.apply_watcher_event(&Event::InitApply(namespace));
    }
    store.apply_watcher_event(&Event::InitDone);
    for _ in 0..2 {
        tell_oldest_first(&context, "licence");
    }
    let mut looked_at = drain(&context).await;
    looked_at.retain(|name| name != "std");
    assert_eq!(looked_at, ["b", "c", "d", "a"]);
}
