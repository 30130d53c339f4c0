//! The mass-delete guard (class.md C47): one ledger per class, asked and counted inside one lock, and recorded in the class's status
//! before anything is let through. The rules are [`nsclass_shared::guard`].

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use kube::{ResourceExt, api::DynamicObject};
use nsclass_shared::{
    answer::Action,
    api::{ClassStatus, GuardPassed},
    guard::{Answer, Facts, Ledger, Loss, Waits},
    names,
    plan::Outcome,
};
use serde_json::json;
use tokio::{sync::Mutex as AsyncMutex, time::Instant};

use crate::{answers, class_reconcile, context::Context, observe::now};

/// For how long a count of bindings is good enough: the ledger keeps the largest that it has seen in a window.
const COUNT_FOR: Duration = Duration::from_secs(1);

/// The guards of all classes.
#[derive(Default)]
pub struct MassDeleteGuard {
    classes: Mutex<HashMap<String, Arc<AsyncMutex<ClassGuard>>>>,
    /// Namespaces that keep their objects for now, with the class.
    held: Mutex<HashMap<String, String>>,
}

/// The guard of one class.
#[derive(Default)]
pub struct ClassGuard {
    /// Of the class that the ledger is of; empty before the first, and while it is absent.
    uid: String,
    ledger: Ledger,
    counted: Option<(Instant, usize)>,
}

impl ClassGuard {
    /// What the class's status is to record of what was let through.
    pub fn record(&self) -> Option<GuardPassed> {
        self.ledger.record()
    }
}

impl MassDeleteGuard {
    /// Asks for a namespace that is about to lose objects.
    pub async fn ask(&self, context: &Context, namespace: &str, class: &str, loss: &Loss) -> Outcome {
        let object = context.classes.get(class);
        let guard = self.of(class, object.as_deref());
        let mut guard = guard.lock().await;
        let status = object.as_deref().map(status_of).unwrap_or_default();
        guard.belongs_to(object.as_deref(), &status);
        let bound = guard.bound(context, class);
        let confirmed = object.as_deref().and_then(confirmation);
        let uid = guard.uid.clone();
        let facts = Facts { class_uid: &uid, confirmed, status: &status.guard, bound };
        let mut answer = guard.ledger.ask(namespace, loss, facts, now());
        if let Answer::RecordFirst(record) = answer {
            if let Some(object) = &object
                && let Err(error) = record_ahead(context, object, &record).await
            {
                return answers::no_answer(&error, Action::Record);
            }
            // A class that is not there has no status: then this process remembers alone.
            guard.ledger.recorded(record);
            answer = guard.ledger.ask(namespace, loss, facts, now());
        }
        drop(guard);
        let again = match answer {
            Answer::Pass => {
                self.held().remove(namespace);
                return Outcome::GuardPassed;
            }
            Answer::Wait(Waits::Until(at)) => Some(at),
            Answer::Wait(Waits::Confirmation) => None,
            // invariant: what was asked for is recorded. Should it not be, nothing goes.
            Answer::RecordFirst(_) => Some(now()),
        };
        tracing::warn!(namespace, class, cause = ?loss.cause(), "the mass-delete guard keeps the objects of this namespace");
        self.held().insert(namespace.to_owned(), class.to_owned());
        context.class_queue.add(class);
        Outcome::GuardHolds(again)
    }

    /// The guard of a class, for whoever writes the class's status: nobody else records while it is held.
    pub fn of(&self, class: &str, object: Option<&DynamicObject>) -> Arc<AsyncMutex<ClassGuard>> {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        classes.entry(class.to_owned()).or_insert_with(|| {
            let mut guard = ClassGuard::default();
            guard.belongs_to(object, &object.map(status_of).unwrap_or_default());
            Arc::new(AsyncMutex::new(guard))
        });
        classes[class].clone()
    }

    /// A pass of this namespace ended without being held: the change was undone, or nothing is left of it.
    pub async fn not_held(&self, context: &Context, namespace: &str) {
        let Some(class) = self.held().remove(namespace) else { return };
        self.of(&class, None).lock().await.ledger.settled(namespace);
        context.class_queue.add(&class);
    }

    /// The class is gone, and nothing has it any more.
    pub fn forget(&self, class: &str) {
        self.classes.lock().unwrap_or_else(PoisonError::into_inner).remove(class);
    }

    fn held(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClassGuard {
    /// Another class of that name, or one that came back, has a ledger of its own.
    fn belongs_to(&mut self, object: Option<&DynamicObject>, status: &ClassStatus) {
        let Some(uid) = object.and_then(ResourceExt::uid) else { return };
        if self.uid != uid {
            *self = Self { uid, ledger: Ledger::inherit(&status.guard), counted: None };
        }
    }

    fn bound(&mut self, context: &Context, class: &str) -> usize {
        if let Some((at, count)) = self.counted
            && at.elapsed() < COUNT_FOR
        {
            return count;
        }
        let mut count = 0;
        context.bindings.visit(|binding| count += usize::from(binding.spec.class_name == class));
        self.counted = Some((Instant::now(), count));
        count
    }
}

/// The annotation that confirms changes of a class.
pub fn confirmation(class: &DynamicObject) -> Option<&str> {
    class.annotations().get(names::CONFIRM_ANNOTATION).map(String::as_str)
}

fn status_of(class: &DynamicObject) -> ClassStatus {
    class.data.get("status").and_then(|status| serde_json::from_value(status.clone()).ok()).unwrap_or_default()
}

async fn record_ahead(context: &Context, class: &DynamicObject, record: &GuardPassed) -> Result<(), kube::Error> {
    class_reconcile::patch_status(context, class, &json!({ "guard": { "passed": record } })).await
}
