//! One class: its finalizer and its status. Its namespaces are others' work.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use kube::{
    Api, ResourceExt,
    api::{DynamicObject, Patch, PatchParams},
};
use nsclass_shared::{
    api::{ClassStatus, GuardStatus, NamespaceClass, NamespaceClassBinding, get_condition},
    class_status::{BindingSummary, ClassNow, FinalizerChange, Protection, class_status},
    guard::ClassView,
    names,
    reason::Reason,
    scope::Verdict,
};
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    answers, classes,
    context::Context,
    licence, mass_delete, memory,
    observe::{self, now},
    scope, worker,
};

/// Least time between two writes of one class's status, and between two counts of its bindings.
const STATUS_EVERY: Duration = Duration::from_secs(5);

/// What the worker remembers of classes.
#[derive(Debug, Default)]
struct Written {
    at: Mutex<HashMap<String, Instant>>,
    counted: Mutex<HashMap<String, Instant>>,
    failures: Mutex<HashMap<String, u32>>,
}

/// Works on classes until shutdown.
///
/// # Errors
/// None; the signature is that of a supervised task.
pub async fn work(context: Arc<Context>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let written = Written::default();
    let again = |name: &str| context.class_queue.add_at(name, Instant::now() + written.pause(name));
    let handle = |name: String| {
        let (context, written) = (&context, &written);
        async move {
            match reconcile(context, written, &name).await {
                Ok(()) => written.succeeded(&name),
                Err(error) => {
                    tracing::warn!(class = name, %error, "class not written; tried again");
                    // The server's wish and our own growing pause: the later counts.
                    let pause = written.pause(&name).max(answers::retry_after(&error).unwrap_or_default());
                    context.class_queue.add_at(&name, Instant::now() + pause);
                }
            }
        }
    };
    worker::work(&context.class_queue, &context.metrics.panics, &shutdown, handle, again).await;
    Ok(())
}

async fn reconcile(context: &Context, written: &Written, name: &str) -> Result<(), kube::Error> {
    if !context.guard.may_write() {
        // The process is about to end; its successor looks at every class.
        return Ok(());
    }
    let Some(class) = context.classes.get(name) else {
        context.classes.forget(name);
        context.mass_delete.forget(name);
        written.forget(name);
        return Ok(());
    };
    let deleting = class.metadata.deletion_timestamp.is_some();
    let next = written.counted_lately(name).filter(|_| !deleting && classes::is_protected(&class));
    if let Some(next) = next {
        // Every binding of a class that converges tells of itself, and counting them all each time would be quadratic work; also where
        // the count comes out as it was, as it does while all of them follow an edit.
        context.class_queue.add_at(name, next);
        return Ok(());
    }
    let (mut bindings, mut elsewhere, mut unlicensed) = (Vec::new(), Vec::new(), Vec::new());
    let others = scope::Others::of(context);
    let instance = context.settings().config.instance.clone();
    context.bindings.visit(|binding| {
        if binding.spec.instance == instance && licence::class_of(binding) == name && licence::waits(binding) {
            unlicensed.push(binding.spec.namespace_name.clone());
        }
        if binding.spec.class_name == name {
            bindings.push(BindingSummary::of(binding));
            elsewhere
                .extend(others.keeper(binding).map(|other| (binding.spec.namespace_name.clone(), other.to_owned())));
        }
    });
    let (requested, requested_elsewhere) = who_requests(context, name);
    let protection = Protection {
        deleting,
        withdrawn: deleting && classes::definition_is_going(&context.client).await?,
        protected: classes::is_protected(&class),
        requested,
        requested_elsewhere,
        bound: !bindings.is_empty(),
    };
    if !change_finalizer(context, &class, protection.change()).await? {
        return Ok(());
    }
    let seen = Seen { bindings: &bindings, elsewhere: &elsewhere, unlicensed: &unlicensed };
    write_status(context, written, &class, seen).await?;
    written.counts(name);
    Ok(())
}

/// What bindings say of one class.
#[derive(Clone, Copy)]
struct Seen<'a> {
    bindings: &'a [BindingSummary],
    elsewhere: &'a [(String, String)],
    unlicensed: &'a [String],
}

/// Whether a managed namespace that may be bound asks for the class, and whether another one does.
fn who_requests(context: &Context, class: &str) -> (bool, bool) {
    let (settings, scope) = (context.settings(), context.scope.handle().load_full());
    let asks = |n: &crate::context::WatchedNamespace| {
        n.labels().get(names::CLASS_LABEL).is_some_and(|l| l == class) && !settings.is_reserved(&n.name_any())
    };
    let is_managed = |n: &crate::context::WatchedNamespace| scope.verdict(&n.name_any()) == Verdict::InScope;
    let managed = context.namespaces.find(|n| asks(n) && is_managed(n)).is_some();
    (managed, context.namespaces.find(|n| asks(n) && !is_managed(n)).is_some())
}

/// Returns whether the class is still there.
async fn change_finalizer(
    context: &Context,
    class: &DynamicObject,
    change: FinalizerChange,
) -> Result<bool, kube::Error> {
    let mut finalizers = class.finalizers().to_vec();
    match change {
        FinalizerChange::Keep => return Ok(true),
        FinalizerChange::Protect => finalizers.push(names::FINALIZER.to_owned()),
        FinalizerChange::Release => finalizers.retain(|f| f != names::FINALIZER),
    }
    let gone =
        change == FinalizerChange::Release && class.metadata.deletion_timestamp.is_some() && finalizers.is_empty();
    // The resourceVersion keeps us from undoing somebody else's finalizer.
    let patch = json!({ "metadata": { "resourceVersion": class.resource_version(), "finalizers": finalizers } });
    let api: Api<NamespaceClass> = Api::all(context.client.clone());
    let params = PatchParams { field_manager: Some(names::FIELD_MANAGER.into()), ..PatchParams::default() };
    match api.patch_metadata(&class.name_any(), &params, &Patch::Merge(patch)).await {
        Ok(_) => Ok(!gone),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(false),
        Err(error) => Err(error),
    }
}

async fn write_status(
    context: &Context,
    written: &Written,
    class: &DynamicObject,
    Seen { bindings, elsewhere, unlicensed }: Seen<'_>,
) -> Result<(), kube::Error> {
    let name = class.name_any();
    let before: Option<ClassStatus> = class.data.get("status").and_then(|s| serde_json::from_value(s.clone()).ok());
    let accepted = context.classes.verdict(class, &context.kinds, &context.settings()).await?;
    let uid = class.uid().unwrap_or_default();
    // Held until the status is written, so that no older record overwrites a newer one.
    let guard = context.mass_delete.of(&name, Some(class));
    let guard = guard.lock().await;
    let view = ClassView {
        name: &name,
        uid: &uid,
        generation: class.metadata.generation.unwrap_or_default(),
        deleting: class.metadata.deletion_timestamp.is_some(),
        confirmed: mass_delete::confirmation(class),
    };
    let settings = context.settings();
    let class_now = ClassNow {
        view,
        accepted,
        suspended: observe::is_suspended(class.annotations()),
        passed: guard.record(),
        instance: &settings.config.instance,
        elsewhere,
        unlicensed,
    };
    let status = class_status(before.as_ref(), &class_now, bindings, now());
    if before.as_ref() == Some(&status) {
        return Ok(());
    }
    if let Some(next) = written.too_early(&name) {
        context.class_queue.add_at(&name, next);
        return Ok(());
    }
    let mut body = json!(status);
    // A merge takes only away what is named.
    let GuardStatus { passed, held } = &status.guard;
    body["guard"] = if status.guard.is_empty() { Value::Null } else { json!({ "passed": passed, "held": held }) };
    patch_status(context, class, &body).await?;
    written.now(&name);
    Ok(())
}

/// Merges `status` into the status of a class. Nothing happens where it is gone meanwhile, or made again: the watch tells.
pub async fn patch_status(context: &Context, class: &DynamicObject, status: &Value) -> Result<(), kube::Error> {
    let name = class.name_any();
    let body = json!({
        "metadata": { "uid": class.uid() },
        "status": status,
    });
    let api: Api<NamespaceClass> = Api::all(context.client.clone());
    let params = PatchParams { field_manager: Some(names::STATUS_MANAGER.into()), ..PatchParams::default() };
    // No apply: that needs an object in which everything has its right type, and one that was stored before a rule existed must get
    // its condition too. For the same reason the answer is not read as a class.
    let request =
        kube::core::Request::new(api.resource_url()).patch_subresource("status", &name, &params, &Patch::Merge(body));
    let request = request.map_err(kube::Error::BuildRequest)?;
    match context.client.request::<DynamicObject>(request).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.code == 404 || status.code == 409 => Ok(()),
        Err(error) => Err(error),
    }
}

/// Recounts the gauge of bindings by reason.
pub fn count_bindings(context: &Context) {
    let mut counts: HashMap<&'static str, i64> = HashMap::new();
    context.bindings.visit(|binding| *counts.entry(reason_word(binding)).or_default() += 1);
    context.metrics.bindings.reset();
    for (reason, count) in counts {
        context.metrics.bindings.with_label_values(&[reason]).set(count);
    }
}

/// The reason as a label: only words that we write ourselves. A binding says nothing before the first pass has ended.
fn reason_word(binding: &NamespaceClassBinding) -> &'static str {
    let ready = binding.status.as_ref().and_then(|status| get_condition(&status.conditions, "Ready"));
    if ready.is_none() {
        return Reason::Applying.as_str();
    }
    let mut known = Reason::ALL.iter().map(|reason| reason.as_str());
    known.find(|word| ready.is_some_and(|ready| ready.reason == *word)).unwrap_or("unknown")
}

impl Written {
    fn now(&self, name: &str) {
        self.at.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), Instant::now());
    }

    /// When the status may be written, if not yet.
    fn too_early(&self, name: &str) -> Option<Instant> {
        later(&self.at, name)
    }

    fn counts(&self, name: &str) {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), Instant::now());
    }

    /// When the bindings may be counted again, if not yet.
    fn counted_lately(&self, name: &str) -> Option<Instant> {
        later(&self.counted, name)
    }

    fn succeeded(&self, name: &str) {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    fn pause(&self, name: &str) -> Duration {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let count = failures.entry(name.to_owned()).or_default();
        *count += 1;
        memory::pause(*count, memory::random())
    }

    fn forget(&self, name: &str) {
        self.at.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        self.succeeded(name);
    }
}

/// When [`STATUS_EVERY`] has passed since what was noted, if it has not yet.
fn later(noted: &Mutex<HashMap<String, Instant>>, name: &str) -> Option<Instant> {
    let next = *noted.lock().unwrap_or_else(PoisonError::into_inner).get(name)? + STATUS_EVERY;
    (next > Instant::now()).then_some(next)
}
