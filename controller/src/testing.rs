//! An API server for tests of crash points and faults: it keeps bindings and config maps in memory, and fails where it is told to.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard},
};

use http::{Method, Request, Response, StatusCode};
use kube::{
    Client,
    api::{ApiResource, DynamicObject},
    client::Body,
    runtime::{
        reflector::{Lookup, store::Writer},
        watcher::Event,
    },
};
use nsclass_shared::{
    api::NamespaceClass,
    config::Config,
    names,
    runtime::{KeepRetryAfter, Scope},
    scope::{Index, Observation},
};
use serde_json::{Value, json};
use tokio::time::Instant;
use tower::Layer;

use crate::{
    bindings::{Bindings, Guarded},
    certs,
    classes::Classes,
    context::{Context, Listed, WatchedNamespace},
    kinds::KindCache,
    leader::LeaderGuard,
    mass_delete::MassDeleteGuard,
    memory::Memory,
    metrics::Metrics,
    queue::WorkQueue,
};

/// One request and its answer.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    /// Of the object.
    pub(crate) path: String,
    pub(crate) at: Instant,
    pub(crate) code: u16,
}

/// The server's memory.
#[derive(Debug, Default)]
pub(crate) struct Memories {
    /// By path.
    pub(crate) objects: BTreeMap<String, Value>,
    pub(crate) asked: Vec<Asked>,
    revision: u64,
    writes: usize,
}

/// An answer that is none, for the n-th write.
type Trouble = fn(usize) -> Option<Response<String>>;

/// The server.
#[derive(Clone)]
pub(crate) struct FakeServer {
    memories: Arc<Mutex<Memories>>,
    trouble: Trouble,
}

impl FakeServer {
    pub(crate) fn new(trouble: Trouble) -> Self {
        Self { memories: Arc::default(), trouble }
    }

    pub(crate) fn memories(&self) -> MutexGuard<'_, Memories> {
        self.memories.lock().unwrap()
    }

    /// A client with the product's layers.
    #[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "it leads to no cluster")]
    pub(crate) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move {
                let (parts, body) = request.into_parts();
                let body = body.collect_bytes().await.unwrap();
                let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
                // Long enough that requests of several workers overlap.
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
                Ok::<_, Infallible>(server.memories().answer(&parts.method, parts.uri.path(), &body, server.trouble))
            }
        });
        Client::new(KeepRetryAfter.layer(service), "default")
    }
}

impl Memories {
    fn answer(&mut self, method: &Method, path: &str, body: &Value, trouble: Trouble) -> Response<String> {
        let refused = if method == Method::GET {
            None
        } else {
            self.writes += 1;
            trouble(self.writes)
        };
        let response = refused.unwrap_or_else(|| self.serve(method, path, body));
        let code = response.status().as_u16();
        self.asked.push(Asked { method: method.clone(), path: key(method, path, body), at: Instant::now(), code });
        response
    }

    fn serve(&mut self, method: &Method, path: &str, body: &Value) -> Response<String> {
        if path == "/api/v1" {
            let maps = json!({ "name": "configmaps", "singularName": "", "kind": "ConfigMap", "namespaced": true, "verbs": ["patch"] });
            return success(&json!({ "kind": "APIResourceList", "groupVersion": "v1", "resources": [maps] }));
        }
        let key = key(method, path, body);
        let before = self.objects.get(&key).cloned();
        let metadata = |what: &str| body["metadata"][what].as_str();
        let stored = |what: &str| before.as_ref().and_then(|b| b["metadata"][what].as_str());
        match (method.as_str(), &before) {
            ("GET", Some(object)) => success(object),
            ("GET" | "PUT", None) => failure(404, "NotFound", &key),
            ("POST", Some(_)) => failure(409, "AlreadyExists", &key),
            ("PUT", Some(_)) if metadata("resourceVersion") != stored("resourceVersion") => {
                failure(409, "Conflict", &key)
            }
            ("PATCH", Some(_)) if metadata("resourceVersion") == Some("1") => failure(409, "AlreadyExists", &key),
            ("PATCH", None) if metadata("uid").is_some() => failure(409, "Conflict", &key),
            ("PATCH", Some(_)) if metadata("uid").is_some_and(|uid| stored("uid") != Some(uid)) => {
                failure(409, "Conflict", &key)
            }
            _ => {
                self.revision += 1;
                let uid = stored("uid").map_or_else(|| format!("uid-{key}"), ToOwned::to_owned);
                let mut after = body.clone();
                after["metadata"]["uid"] = json!(uid);
                after["metadata"]["resourceVersion"] = json!((self.revision + 1).to_string());
                if method == Method::PATCH {
                    after["metadata"]["managedFields"] = json!([{
                        "manager": names::FIELD_MANAGER, "operation": "Apply", "apiVersion": "v1",
                        "fieldsType": "FieldsV1", "fieldsV1": { "f:data": {} },
                    }]);
                }
                self.objects.insert(key, after.clone());
                success(&after)
            }
        }
    }
}

/// The path of the object that a request is about; a create names it in its body alone.
fn key(method: &Method, path: &str, body: &Value) -> String {
    let name = body["metadata"]["name"].as_str().unwrap_or_default();
    if method == Method::POST { format!("{path}/{name}") } else { path.to_owned() }
}

fn success(object: &Value) -> Response<String> {
    Response::new(object.to_string())
}

/// A `Status` as the server writes it, about the object of a path.
pub(crate) fn failure(code: u16, reason: &str, path: &str) -> Response<String> {
    let mut parts = path.rsplit('/');
    let (name, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": reason,
        "details": { "name": name, "kind": kind },
    });
    let mut response = Response::new(status.to_string());
    *response.status_mut() = StatusCode::from_u16(code).unwrap();
    response
}

/// What the process shares, over a server, with a class that these namespaces ask for.
pub(crate) fn context(server: &FakeServer, class: &Value, namespaces: &[String]) -> Arc<Context> {
    let client = server.client();
    let watched = namespaces.iter().map(|name| {
        let metadata = json!({ "name": name, "uid": format!("uid-{name}"), "labels": { names::CLASS_LABEL: class["metadata"]["name"] } });
        serde_json::from_value::<WatchedNamespace>(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata })).unwrap()
    });
    let mut namespace_writer = Writer::<WatchedNamespace>::default();
    fill(&mut namespace_writer, watched);
    let mut class_writer = Writer::<DynamicObject>::new(ApiResource::erase::<NamespaceClass>(&()));
    fill(&mut class_writer, [serde_json::from_value(class.clone()).unwrap()]);
    let mut binding_writer = Writer::<Guarded>::new(());
    fill(&mut binding_writer, []);
    let settings = Config::parse("").unwrap().settings().unwrap();
    let metrics = Metrics::new().unwrap();
    let (scope, _) = Scope::new(settings.scope.clone(), None, &metrics.registry).unwrap();
    let mut index = Index::new(settings.scope.clone());
    index.relist_begins();
    for namespace in namespace_writer.as_reader().state() {
        index.relist_holds(&Observation::of(&namespace.metadata));
    }
    index.relist_done();
    index.publish(jiff::Timestamp::now());
    scope.handle().publish(index.snapshot());
    let context = Context {
        client: client.clone(),
        guard: LeaderGuard::leading(),
        standing: Arc::default(),
        scope,
        namespaces: namespace_writer.as_reader(),
        classes: Classes::new(client.clone(), class_writer.as_reader()),
        bindings: Bindings::new(binding_writer.as_reader()),
        kinds: KindCache::new(client),
        mass_delete: MassDeleteGuard::default(),
        drift: crate::drift::Drift::default(),
        events: crate::events::Events::default(),
        memory: Memory::new(settings.periodic_pass()),
        namespace_queue: WorkQueue::default(),
        class_queue: WorkQueue::default(),
        listed: Listed::default(),
        licence: crate::licence::Gate::default(),
        pod: None,
        certificates: certs::Report::default(),
        metrics,
        settings: arc_swap::ArcSwap::from_pointee(settings),
    };
    context.namespace_queue.open();
    Arc::new(context)
}

/// Puts a full list into a store.
fn fill<K>(writer: &mut Writer<K>, all: impl IntoIterator<Item = K>)
where
    K: Lookup + Clone + 'static,
    K::DynamicType: Eq + std::hash::Hash + Clone,
{
    writer.apply_watcher_event(&Event::Init);
    all.into_iter().for_each(|object| writer.apply_watcher_event(&Event::InitApply(object)));
    writer.apply_watcher_event(&Event::InitDone);
}
