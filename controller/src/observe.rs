//! From the caches to the facts of one pass. Asks the API server only where a cache cannot prove something.

use std::collections::BTreeMap;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, ResourceExt, runtime::reflector::ObjectRef};
use nsclass_shared::{
    api::{InventoryEntry, NamespaceClassBinding},
    config::NamespaceFinalizer,
    names,
    plan::{ClassState, NamespaceFacts, NamespaceState, ObjectRef as Object, Observed, Rendering, Suspended, damage},
    scope::{Snapshot, Verdict},
};
use thiserror::Error;

use crate::{
    bindings::Damaged,
    classes::Target,
    context::{Context, WatchedNamespace},
    drift::Asked,
    recover,
    requests::{self, ReadError},
};

/// Why there are no facts. Nothing may be done then.
#[derive(Error, Debug)]
pub enum ObserveError {
    /// The binding is damaged.
    #[error(transparent)]
    Damaged(#[from] Damaged),
    /// The API server gave no definite answer.
    #[error("the API server gave no definite answer: {0}")]
    Unknown(#[from] kube::Error),
    /// An object could not be looked at.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Reads everything that a pass over this namespace decides on. With `look`, the live objects of the inventory too; what is `asked` for
/// because of drift is read by the pass itself.
///
/// # Errors
/// Anything that is not definite.
pub async fn observe(context: &Context, name: &str, look: bool, asked: Asked) -> Result<Observed, ObserveError> {
    let settings = context.settings();
    let binding = context.bindings.get(name)?.map(|binding| NamespaceClassBinding::clone(&binding));
    let watched = context.namespaces.get(&ObjectRef::new(name));
    let namespace = match watched {
        Some(watched) => Some(watched.as_ref().clone()),
        // The cache alone does not prove that it is gone.
        None if binding.is_some() => live_namespace(context, name).await?,
        None => None,
    };
    let scope = agreed(&context.scope.handle().load(), name, namespace.as_ref());
    let label = namespace.as_ref().and_then(|n| n.labels().get(names::CLASS_LABEL)).filter(|l| !l.is_empty()).cloned();
    let reserved = settings.is_reserved(name);
    let (mut requested, mut bound) = (None, None);
    if let Some(namespace) = &namespace
        && !reserved
        && scope == Verdict::InScope
    {
        let uid = namespace.uid().unwrap_or_default();
        let target = Target { name, uid: &uid, labels: namespace.labels(), annotations: namespace.annotations() };
        let bound_name = binding.as_ref().map(|b| b.spec.class_name.clone()).filter(|b| !b.is_empty());
        if let Some(other) = bound_name.filter(|b| label.as_ref() != Some(b)) {
            bound = Some(context.classes.state(&other, target, &context.kinds, &settings).await?);
        }
        if let Some(label) = label {
            let state = context.classes.state(&label, target, &context.kinds, &settings).await?;
            requested = Some((label, state));
        }
    }
    let (unlicensed, first_start) = match &namespace {
        // Out of scope is asked before the licence (scope.md S61), and so is everything that has nothing to do with one.
        Some(namespace) if scope == Verdict::InScope && !reserved => context.licence.ask(context, namespace),
        _ => (None, None),
    };
    let suspended = suspension(context, namespace.as_ref(), binding.as_ref());
    let wants_protection = look || !asked.suspects.is_empty();
    let protected = match (&namespace, &binding) {
        (Some(namespace), Some(binding)) if wants_protection && !reserved && !converges(requested.as_ref()) => {
            let uid = namespace.uid().unwrap_or_default();
            let target = Target { name, uid: &uid, labels: namespace.labels(), annotations: namespace.annotations() };
            context.classes.protection(binding, target, &context.kinds, &settings).await?
        }
        _ => None,
    };
    let live = if look {
        look_at_all(context, binding.as_ref(), protected.is_some() || converges(requested.as_ref())).await?
    } else {
        BTreeMap::new()
    };
    let search = if binding.as_ref().and_then(damage).is_some() || context.memory.is_search_due(name) {
        Some(recover::search(context, name).await)
    } else {
        None
    };
    Ok(Observed {
        now: now(),
        name: name.to_owned(),
        instance: settings.config.instance.clone(),
        namespace: namespace.as_ref().map_or(NamespaceState::Gone, |n| NamespaceState::Present(facts(n))),
        scope,
        reserved,
        requested,
        bound,
        unlicensed,
        first_start,
        suspended,
        hold_namespaces: settings.config.controller.namespace_finalizer == NamespaceFinalizer::WhenOwed,
        binding,
        search,
        live,
        suspects: asked.suspects,
        fights: asked.fights,
        protected,
        refused: context.memory.refused(name),
    })
}

/// The verdict, where the snapshot and the namespace that is decided on agree. The two are brought up to date one after the other: labels of
/// today must not meet the verdict of yesterday, or a namespace that leaves its class and the scope at once loses its objects. Where they
/// differ an event is on its way.
fn agreed(snapshot: &Snapshot, name: &str, namespace: Option<&WatchedNamespace>) -> Verdict {
    let verdict = snapshot.verdict(name);
    let agrees = namespace.is_none_or(|namespace| snapshot.rule().judge(name, namespace.labels()) == verdict);
    if agrees { verdict } else { Verdict::Unknown }
}

/// Whether the annotations of a class or a namespace stop writes there (class.md C39).
pub fn is_suspended(annotations: &BTreeMap<String, String>) -> bool {
    annotations.get(names::SUSPEND_ANNOTATION).is_some_and(|value| value == "true")
}

/// The namespace itself, then the class that it has, then the one that it asks for.
fn suspension(
    context: &Context,
    namespace: Option<&WatchedNamespace>,
    binding: Option<&NamespaceClassBinding>,
) -> Option<Suspended> {
    let namespace = namespace?;
    if is_suspended(namespace.annotations()) {
        return Some(Suspended::Namespace);
    }
    let bound = binding.map(|b| &b.spec.class_name);
    let classes = bound.into_iter().chain(namespace.labels().get(names::CLASS_LABEL)).filter(|class| !class.is_empty());
    let mut suspended =
        classes.filter(|class| context.classes.get(class).is_some_and(|class| is_suspended(class.annotations())));
    suspended.next().map(|class| Suspended::Class(class.clone()))
}

/// The wall clock in whole seconds, which is what the API server keeps of a time.
pub fn now() -> Timestamp {
    let now = Timestamp::now();
    now.round(TimestampRound::new().smallest(Unit::Second).mode(RoundMode::Trunc)).unwrap_or(now)
}

fn facts(namespace: &WatchedNamespace) -> NamespaceFacts {
    NamespaceFacts {
        uid: namespace.uid().unwrap_or_default(),
        terminating: namespace.metadata.deletion_timestamp.is_some(),
        held: namespace.finalizers().iter().any(|f| f == names::FINALIZER),
    }
}

async fn live_namespace(context: &Context, name: &str) -> Result<Option<WatchedNamespace>, kube::Error> {
    let api: Api<Namespace> = Api::all(context.client.clone());
    match api.get_metadata(name).await {
        Ok(live) => Ok(Some(live)),
        Err(kube::Error::Api(status)) if requests::is_definitely_absent(&status, name) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the class that is asked for can be applied.
fn converges(requested: Option<&(String, ClassState)>) -> bool {
    matches!(requested, Some((_, ClassState::Accepted(_, Rendering::Objects { .. }))))
}

/// Objects that are there and can be compared: only where a difference would be mended.
async fn look_at_all(
    context: &Context,
    binding: Option<&NamespaceClassBinding>,
    is_mended: bool,
) -> Result<BTreeMap<nsclass_shared::identity::ObjectIdentity, Option<nsclass_shared::plan::LiveObject>>, ReadError> {
    let mut live = BTreeMap::new();
    let Some(status) = binding.and_then(|b| b.status.as_ref()).filter(|_| is_mended) else { return Ok(live) };
    for entry in status.inventory.iter().filter(|entry| !entry.uid.is_empty()) {
        let object = Object { identity: InventoryEntry::identity(entry), version: entry.version.clone() };
        let found = requests::read(&context.client, &context.kinds, &object).await?;
        live.insert(object.identity, found);
    }
    Ok(live)
}
