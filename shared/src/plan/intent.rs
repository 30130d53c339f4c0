//! What a namespace needs, before any step: the decision of class.md C01–C03, C08, C42–C44 and scope.md S32–S35 as one function.

use std::collections::BTreeMap;

use super::licensed::licensed;
use super::rebuild::{Rebuild, rebuild};
use super::{ClassFacts, ClassState, Desired, NamespaceFacts, NamespaceState, Observed, Rendering, Suspended, Waiting};
use crate::{
    api::{BindingStatus, InventoryEntry, ObjectsGone, OnDelete, OptOutDelay},
    reason::Reason,
    scope::Verdict,
};

/// What a pass is for.
#[derive(Clone, Debug)]
pub enum Intent {
    /// Nothing is ours here and nothing is asked for, or nobody knows whether the namespace is managed.
    Nothing,
    /// Another instance keeps this binding: hands off.
    OtherInstance(String),
    /// The inventory is damaged and is rebuilt so; nothing else happens.
    Rebuild(Vec<InventoryEntry>, String),
    /// The inventory is damaged and cannot be rebuilt now: nothing is touched.
    Damaged(String),
    /// The namespace is not managed (any more): it keeps everything, the binding says so and is given up, and that is the last write.
    OutOfScope(NamespaceFacts),
    /// The binding is nobody's, and the namespace is managed: it becomes ours before anything else happens.
    Adopt(NamespaceFacts),
    /// The namespace is gone: its cluster-scoped objects go, then the binding.
    Collect,
    /// The namespace is being deleted: its cluster-scoped objects go, our finalizer goes; nothing is created or repaired.
    Terminate(NamespaceFacts),
    /// The namespace was made again under the same name: the cluster-scoped objects of its former life go first.
    Renew(NamespaceFacts),
    /// Everything goes (or stays without marks), then the binding.
    Leave(NamespaceFacts, OnDelete),
    /// The label went; the objects wait for the time.
    OptOut(NamespaceFacts, ObjectsGone),
    /// Nothing changes; the binding says why.
    Hold(NamespaceFacts, Reason, String),
    /// The class is applied as soon as it carries our finalizer.
    AwaitProtection,
    /// The namespace gets what its class says.
    Converge(Box<Convergence>),
}

/// The goal of [`Intent::Converge`].
#[derive(Clone, Debug)]
pub struct Convergence {
    /// The namespace.
    pub namespace: NamespaceFacts,
    /// Name of the class.
    pub class: String,
    /// Its settings.
    pub facts: ClassFacts,
    /// What must be there.
    pub desired: Vec<Desired>,
    /// What must wait for its kind.
    pub waiting: Vec<Waiting>,
    /// The variables used.
    pub values: BTreeMap<String, String>,
    /// `onDelete` for objects that only the class before had.
    pub departing: OnDelete,
}

/// Decides what `observed` calls for, and whether the licence lets it be (scope.md S60, S61).
pub fn intent(observed: &Observed) -> Intent {
    licensed(observed, wanted(observed))
}

fn wanted(observed: &Observed) -> Intent {
    let binding = observed.binding.as_ref();
    let status = binding.and_then(|b| b.status.as_ref());
    let is_free = binding.is_some_and(|b| b.spec.instance.is_empty());
    if let Some(other) = binding.map(|b| &b.spec.instance).filter(|i| !is_free && **i != observed.instance) {
        return Intent::OtherInstance(other.clone());
    }
    // What is not managed, or nobody's yet, is left as it is.
    let is_managed = observed.scope == Verdict::InScope || observed.namespace == NamespaceState::Gone;
    match rebuild(observed).filter(|_| is_managed && !is_free) {
        Some(Rebuild::Write(inventory, why)) => return Intent::Rebuild(inventory, why),
        Some(Rebuild::Wait(why)) => return Intent::Damaged(why),
        None => {}
    }
    let namespace = match &observed.namespace {
        NamespaceState::Gone if binding.is_none() => return Intent::Nothing,
        NamespaceState::Gone => return Intent::Collect,
        NamespaceState::Present(facts) => facts.clone(),
    };
    if namespace.terminating {
        return if binding.is_some() || namespace.held { Intent::Terminate(namespace) } else { Intent::Nothing };
    }
    let is_another = status.is_some_and(|s| {
        // One that was made again under the same name.
        !s.observed_namespace_uid.is_empty() && s.observed_namespace_uid != namespace.uid
    });
    match observed.scope {
        Verdict::InScope => {}
        // Nothing is concluded; the event that makes it known comes with a look.
        Verdict::Unknown => return Intent::Nothing,
        Verdict::OutOfScope if binding.is_none() => return Intent::Nothing,
        Verdict::OutOfScope if is_another => return Intent::Collect,
        Verdict::OutOfScope if is_free => return Intent::Nothing,
        Verdict::OutOfScope => return Intent::OutOfScope(namespace),
    }
    if observed.reserved {
        // The configuration no longer names it: like a namespace that left the scope, it keeps what it has.
        return Intent::Nothing;
    }
    if is_free {
        return Intent::Adopt(namespace);
    }
    if is_another {
        return Intent::Renew(namespace);
    }
    // What a namespace owes to the cluster (above) is paid all the same, or a suspension would hold its deletion up.
    if let Some(suspended) = observed.suspended.as_ref().filter(|_| binding.is_some() || observed.requested.is_some()) {
        return Intent::Hold(namespace, Reason::Suspended, suspended.message());
    }
    let last_seen = status.map_or(OnDelete::Delete, |s| s.on_delete);
    let Some((requested, state)) = &observed.requested else {
        return without_request(observed, namespace, status);
    };
    let bound_name = binding.map(|b| b.spec.class_name.as_str()).filter(|name| !name.is_empty());
    let switches = bound_name.is_some_and(|bound| bound != requested);
    match state {
        ClassState::Accepted(facts, rendering) => match rendering {
            Rendering::Failed { reason, message } => match &observed.bound {
                Some(ClassState::Deleting(bound)) if switches => Intent::Leave(namespace, bound.on_delete),
                _ => Intent::Hold(namespace, *reason, message.clone()),
            },
            Rendering::Objects { desired, waiting, values } => Intent::Converge(Box::new(Convergence {
                namespace,
                class: requested.clone(),
                facts: *facts,
                desired: desired.clone(),
                waiting: waiting.clone(),
                values: values.clone(),
                departing: departing_rule(observed.bound.as_ref(), switches, last_seen),
            })),
        },
        ClassState::Unprotected => Intent::AwaitProtection,
        ClassState::Deleting(facts) if bound_name == Some(requested) => Intent::Leave(namespace, facts.on_delete),
        _ => match &observed.bound {
            Some(ClassState::Deleting(bound)) if switches => Intent::Leave(namespace, bound.on_delete),
            _ => {
                let (reason, message) = why_not(requested, state);
                Intent::Hold(namespace, reason, message)
            }
        },
    }
}

/// The label is absent or empty: a delay, then everything goes.
fn without_request(observed: &Observed, namespace: NamespaceFacts, status: Option<&BindingStatus>) -> Intent {
    let Some(status) = status else {
        // A binding without status holds nothing; one that we wrote always has it.
        return if observed.binding.is_some() { Intent::Leave(namespace, OnDelete::Orphan) } else { Intent::Nothing };
    };
    let facts = observed.bound.as_ref().and_then(ClassState::facts);
    let on_delete = facts.map_or(status.on_delete, |f| f.on_delete);
    if status.inventory.is_empty() || matches!(observed.bound, Some(ClassState::Deleting(_))) {
        return Intent::Leave(namespace, on_delete);
    }
    let delay = facts.map_or(OptOutDelay::default(), |f| f.opt_out_delay);
    let pending = status.objects_go.clone().unwrap_or_else(|| ObjectsGone::after(observed.now, delay));
    if pending.at.0 <= observed.now { Intent::Leave(namespace, on_delete) } else { Intent::OptOut(namespace, pending) }
}

/// What becomes of objects that the new set does not have: leaving a class asks that class; an edit of the class simply deletes.
fn departing_rule(bound: Option<&ClassState>, switches: bool, as_last_seen: OnDelete) -> OnDelete {
    if switches { bound.and_then(ClassState::facts).map_or(as_last_seen, |f| f.on_delete) } else { OnDelete::Delete }
}

/// Why a class cannot be applied.
fn why_not(name: &str, state: &ClassState) -> (Reason, String) {
    match state {
        ClassState::Deleting(_) => (Reason::ClassNotFound, format!("NamespaceClass {name} is being deleted")),
        ClassState::Invalid(_, why) => (Reason::ClassInvalid, format!("NamespaceClass {name} is not accepted: {why}")),
        _ => (Reason::ClassNotFound, format!("NamespaceClass {name} does not exist")),
    }
}

impl Suspended {
    fn message(&self) -> String {
        match self {
            Self::Namespace => {
                "the namespace carries the annotation nsclass.io/suspend: nothing here is changed".into()
            }
            Self::Class(class) => {
                format!("NamespaceClass {class} carries the annotation nsclass.io/suspend: nothing here is changed")
            }
        }
    }
}

impl ClassState {
    /// Its settings, where it can be read.
    pub fn facts(&self) -> Option<&ClassFacts> {
        match self {
            Self::Deleting(facts) | Self::Accepted(facts, _) => Some(facts),
            Self::Invalid(facts, _) => facts.as_ref(),
            Self::Absent | Self::Unprotected => None,
        }
    }
}
