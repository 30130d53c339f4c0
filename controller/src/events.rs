//! Events (class.md C38): what was created, deleted, refused and repaired, on the namespace and on its class.
//!
//! A pass hands over at most one event and never waits: [`Events::tell`] drops it where the queue is full. One task writes them, slowly,
//! through kube's recorder, which folds what repeats into a series: warnings before good news, and good news slower still while many
//! namespaces wait. A failure to write one is counted and forgotten.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    ResourceExt,
    runtime::events::{Event, EventType, Recorder, Reporter},
};
use nsclass_shared::{
    identity::ObjectIdentity,
    names,
    plan::{Intent, Pass, Report},
    reason::Reason,
    scope::Verdict,
};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_util::sync::CancellationToken;

use crate::context::Context;

/// Warnings that wait to be written, and as many of the others; more are dropped.
const WAITING: usize = 256;
/// The pause after each: events must not compete with the work that they tell of.
const PAUSE: Duration = Duration::from_millis(100);
/// The pause after good news while [`MANY`] namespaces wait: most of what a class gives to thousands is not told one by one anyway.
const PAUSE_AMID_MANY: Duration = Duration::from_secs(1);
/// Namespaces in the queue that are more than a few teams' changes.
const MANY: usize = 100;
/// Objects named in one note; the others are counted.
const MOST_NAMED: usize = 3;
/// The API server takes notes of at most 1,024 bytes.
const LONGEST_NOTE: usize = 1000;

/// What one pass has to tell.
#[derive(Debug)]
struct Told {
    about: ObjectReference,
    class: Option<ObjectReference>,
    news: News,
}

/// One word, who should care, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
struct News {
    reason: String,
    action: &'static str,
    is_warning: bool,
    note: String,
}

/// Where passes leave their events.
#[derive(Debug)]
pub struct Events {
    warnings: Sender<Told>,
    others: Sender<Told>,
    waiting: Mutex<Option<Waiting>>,
}

/// What is left to write.
#[derive(Debug)]
struct Waiting {
    warnings: Receiver<Told>,
    others: Receiver<Told>,
}

impl Waiting {
    /// The next to write; none once nobody can leave another.
    async fn next(&mut self) -> Option<Told> {
        tokio::select! {
            biased;
            Some(told) = self.warnings.recv() => Some(told),
            told = self.others.recv() => told,
        }
    }
}

impl Default for Events {
    fn default() -> Self {
        let ((warnings, warned), (others, told)) = (channel(WAITING), channel(WAITING));
        Self { warnings, others, waiting: Mutex::new(Some(Waiting { warnings: warned, others: told })) }
    }
}

impl Events {
    /// Leaves the event of a pass, if it has one. Never waits. `reason_before` is what the binding gave for `Ready` before the pass.
    pub fn tell(&self, context: &Context, namespace: &str, pass: &Pass, report: &Report, reason_before: Option<&str>) {
        let Some(news) = hands_off(pass.intent()).or_else(|| news(report, reason_before)) else { return };
        let uid = context.namespaces.get(&kube::runtime::reflector::ObjectRef::new(namespace)).and_then(|n| n.uid());
        let class = pass.binding().map(|binding| binding.spec.class_name.clone()).filter(|class| !class.is_empty());
        let class = class.map(|name| {
            let uid = context.classes.get(&name).and_then(|class| class.uid());
            reference(&format!("{}/{}", names::GROUP, names::VERSION), "NamespaceClass", &name, uid)
        });
        let told = Told { about: reference("v1", "Namespace", namespace, uid), class, news };
        self.leave(context, told);
    }

    /// Leaves an event about an object of ours, with what its condition says. Never waits.
    pub fn tell_about(&self, context: &Context, about: ObjectReference, reason: &str, is_warning: bool, note: String) {
        let news = news_of(reason, "Reconcile", is_warning, note);
        self.leave(context, Told { about, class: None, news });
    }

    fn leave(&self, context: &Context, told: Told) {
        let queue = if told.news.is_warning { &self.warnings } else { &self.others };
        if queue.try_send(told).is_err() {
            context.metrics.events.with_label_values(&["dropped"]).inc();
        }
    }
}

/// Writes events until shutdown.
///
/// # Errors
/// It runs already.
pub async fn write(context: Arc<Context>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let taken = context.events.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut waiting = taken.ok_or_else(|| anyhow::anyhow!("events are written already"))?;
    let reporter = Reporter {
        controller: names::REPORTING_CONTROLLER.to_owned(),
        instance: Some(context.settings().config.instance.clone()),
    };
    let recorder = Recorder::new(context.client.clone(), reporter);
    loop {
        let told = tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            told = waiting.next() => told,
        };
        let Some(Told { about, class, news }) = told else { return Ok(()) };
        publish(&context, &recorder, &news, &about, class.as_ref()).await;
        if let Some(class) = &class {
            // Folded for all namespaces of the class: one event for each reason.
            publish(&context, &recorder, &for_class(&news, &about), class, None).await;
        }
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(pause(news.is_warning, context.namespace_queue.depth())) => {}
        }
    }
}

/// How long nothing is written after an event, with so many namespaces in the queue.
fn pause(is_warning: bool, depth: usize) -> Duration {
    if is_warning || depth < MANY { PAUSE } else { PAUSE_AMID_MANY }
}

/// Whether an object of ours is in a namespace that has left the scope since there was something to tell of it: nothing is written there.
fn has_left(context: &Context, about: &ObjectReference) -> bool {
    let is_of_ours =
        about.api_version.as_deref().is_some_and(|version| version.split('/').next() == Some(names::GROUP));
    let namespace = about.namespace.as_deref().filter(|_| is_of_ours);
    namespace.is_some_and(|namespace| context.scope.handle().verdict(namespace) != Verdict::InScope)
}

async fn publish(
    context: &Context,
    recorder: &Recorder,
    news: &News,
    about: &ObjectReference,
    related: Option<&ObjectReference>,
) {
    if has_left(context, about) {
        context.metrics.events.with_label_values(&["dropped"]).inc();
        return;
    }
    let event = Event {
        type_: if news.is_warning { EventType::Warning } else { EventType::Normal },
        reason: news.reason.clone(),
        note: Some(news.note.clone()),
        action: news.action.into(),
        secondary: related.cloned(),
    };
    let written = recorder.publish(&event, about).await;
    if let Err(error) = &written {
        tracing::debug!(about = about.name, reason = news.reason, %error, "an event is not written");
    }
    context.metrics.events.with_label_values(&[if written.is_ok() { "written" } else { "failed" }]).inc();
}

/// Another instance keeps the namespace (scope.md S35).
fn hands_off(intent: &Intent) -> Option<News> {
    let Intent::OtherInstance(other) = intent else { return None };
    let note = format!("kept by instance {other}: hands off. Remedy: {}.", Reason::OtherInstance.remedy());
    Some(news_of(Reason::OtherInstance.as_str(), "Reconcile", true, note))
}

/// What matters most of a pass: what failed, then what was undone, then what came and went. A failure that is said in the
/// binding already is no news, also after a restart.
fn news(report: &Report, reason_before: Option<&str>) -> Option<News> {
    let repairs: Vec<_> = report.repairs.iter().filter(|repair| repair.done).collect();
    if let Some(failure) = report.failures.first().filter(|failure| reason_before != Some(failure.reason.as_str())) {
        let object = failure.object.as_ref().map(|object| format!("{}: ", readable(object))).unwrap_or_default();
        let note = format!("{object}{}. Remedy: {}.", failure.message, failure.reason.remedy());
        return Some(news_of(failure.reason.as_str(), "Apply", true, note));
    }
    if let Some(first) = repairs.first() {
        let objects = most_of(repairs.iter().map(|repair| &repair.object));
        return Some(news_of("Repaired", "Repair", true, format!("set back {objects}: {}", first.what)));
    }
    if !report.drifted.is_empty() {
        let note = format!("changed or deleted by others: {}", most_of(report.drifted.iter()));
        return Some(news_of("Drifted", "Compare", true, note));
    }
    let (made, gone) = (&report.created, &report.deleted);
    match (made.is_empty(), gone.is_empty()) {
        (true, true) => None,
        (false, true) => Some(news_of("Created", "Apply", false, format!("created {}", most_of(made.iter())))),
        (true, false) => Some(news_of("Deleted", "Delete", false, format!("deleted {}", most_of(gone.iter())))),
        (false, false) => {
            let note = format!("created {}; deleted {}", most_of(made.iter()), most_of(gone.iter()));
            Some(news_of("Created", "Apply", false, note))
        }
    }
}

fn news_of(reason: &str, action: &'static str, is_warning: bool, mut note: String) -> News {
    while note.len() > LONGEST_NOTE {
        note.pop();
    }
    News { reason: reason.to_owned(), action, is_warning, note }
}

fn for_class(news: &News, namespace: &ObjectReference) -> News {
    let note = format!("namespace {}: {}", namespace.name.as_deref().unwrap_or_default(), news.note);
    news_of(&news.reason, news.action, news.is_warning, note)
}

fn reference(api_version: &str, kind: &str, name: &str, uid: Option<String>) -> ObjectReference {
    ObjectReference {
        api_version: Some(api_version.to_owned()),
        kind: Some(kind.to_owned()),
        name: Some(name.to_owned()),
        uid,
        ..ObjectReference::default()
    }
}

fn most_of<'a>(objects: impl ExactSizeIterator<Item = &'a ObjectIdentity>) -> String {
    let more = objects.len().saturating_sub(MOST_NAMED);
    let named: Vec<String> = objects.take(MOST_NAMED).map(readable).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    named.join(", ") + &more
}

fn readable(object: &ObjectIdentity) -> String {
    format!("{} {}", object.kind, object.name)
}

#[cfg(test)]
mod tests;
