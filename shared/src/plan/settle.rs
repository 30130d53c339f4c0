//! The binding as a pass writes it: ahead of the applies, and at the end.

use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use super::{Failure, Intent, NamespaceState, Observed, intent::Convergence, report};
use crate::{
    api::{
        Assessment, BindingSpec, BindingStatus, InventoryEntry, NamespaceClassBinding, ObjectsGone, OptOutDelay,
        get_condition, set_condition,
    },
    identity::ObjectIdentity,
    reason::{Reason, Remark},
    scope::Verdict,
};

/// A binding has no status subresource, so each write of its status raises its generation: a condition that named one would always be
/// behind. `status.observedClassGeneration` says which class it speaks of.
const NO_GENERATION: Option<i64> = None;

/// The union of old and new, before anything is applied.
pub(super) fn reserved(
    observed: &Observed,
    stored: Option<&NamespaceClassBinding>,
    goal: &Convergence,
    union: &[InventoryEntry],
) -> NamespaceClassBinding {
    let mut binding = stored.cloned().unwrap_or_else(|| fresh(observed));
    binding.spec.class_name.clone_from(&goal.class);
    let status = binding.status.get_or_insert_default();
    status.observed_namespace_uid.clone_from(&goal.namespace.uid);
    status.requested_class.clone_from(&goal.class);
    status.on_delete = goal.facts.on_delete;
    set_inventory(status, union);
    note_first_start(observed, status);
    // A new one says nothing yet, which is as good as Unknown, and a third less work for the API server; the write at the end does.
    if stored.is_some() {
        // What was ready is so no longer: another class's objects are coming, or more of them.
        let message = format!("the objects of NamespaceClass {} are being applied", goal.class);
        let applying = Assessment { status: None, reason: Reason::Applying.to_string(), message };
        set_condition(&mut status.conditions, "Ready", &applying, NO_GENERATION, observed.now);
        note_scope(observed, status);
    }
    binding
}

/// The binding of a namespace that left the scope: it says so and is nobody's, so that another instance may take it (scope.md S35). A
/// pending opting out begins anew wherever it is taken up.
fn given_up(observed: &Observed, stored: &NamespaceClassBinding) -> NamespaceClassBinding {
    let mut binding = stored.clone();
    binding.spec.instance.clear();
    let status = binding.status.get_or_insert_default();
    status.objects_go = None;
    let message = format!(
        "the scope of instance {} does not pick this namespace: what is there stays as it is, and is neither repaired nor deleted. \
         Remedy: label the namespace into the scope, or let the scope of another instance pick it.",
        observed.instance
    );
    let out = Assessment { status: Some(false), reason: Remark::OutOfScope.to_string(), message };
    set_condition(&mut status.conditions, "InScope", &out, NO_GENERATION, observed.now);
    binding
}

/// The binding as ours. Its resourceVersion sees to it that one instance gets it.
fn adopted(observed: &Observed, stored: &NamespaceClassBinding) -> NamespaceClassBinding {
    let mut binding = stored.clone();
    binding.spec.instance.clone_from(&observed.instance);
    note_scope(observed, binding.status.get_or_insert_default());
    binding
}

fn note_scope(observed: &Observed, status: &mut BindingStatus) {
    if observed.scope == Verdict::InScope {
        let message = format!("the scope of instance {} picks this namespace", observed.instance);
        let picked = Assessment { status: Some(true), reason: Remark::InScope.to_string(), message };
        set_condition(&mut status.conditions, "InScope", &picked, NO_GENERATION, observed.now);
    }
}

/// The earliest that anybody knows of is kept, so that a record which was lost is found again in any binding (scope.md S60).
fn note_first_start(observed: &Observed, status: &mut BindingStatus) {
    let earlier = status.first_start.iter().map(|time| time.0).chain(observed.first_start).min();
    status.first_start = earlier.map(Time);
}

/// What is about to be deleted, before anything is.
pub(super) fn announced(stored: &NamespaceClassBinding, inventory: &[InventoryEntry]) -> NamespaceClassBinding {
    let mut binding = stored.clone();
    set_inventory(binding.status.get_or_insert_default(), inventory);
    binding
}

/// What a pass has come to.
#[derive(Clone, Copy)]
pub(super) struct End<'a> {
    pub(super) inventory: &'a [InventoryEntry],
    pub(super) failures: &'a [Failure],
    /// Stale objects that wait for what failed.
    pub(super) held_back: &'a [ObjectIdentity],
    /// Objects that others changed and that the class leaves so; none where nobody looked.
    pub(super) drifted: Option<&'a [ObjectIdentity]>,
}

/// The state at the end of a pass; none where a binding is neither there nor needed.
pub(super) fn settled(
    observed: &Observed,
    intent: &Intent,
    stored: Option<&NamespaceClassBinding>,
    end: End<'_>,
) -> Option<NamespaceClassBinding> {
    let End { inventory, failures, held_back, drifted } = end;
    match intent {
        Intent::OutOfScope(_) => return stored.map(|stored| given_up(observed, stored)),
        Intent::Adopt(_) => return stored.map(|stored| adopted(observed, stored)),
        _ => {}
    }
    if stored.is_none() && !matches!(intent, Intent::Hold(..) | Intent::Converge(_)) {
        return None;
    }
    let mut binding = stored.cloned().unwrap_or_else(|| fresh(observed));
    if let Intent::Converge(goal) = intent {
        binding.spec.class_name.clone_from(&goal.class);
    }
    let status = binding.status.get_or_insert_default();
    status.requested_class = observed.requested.as_ref().map(|(name, _)| name.clone()).unwrap_or_default();
    if !matches!(intent, Intent::Damaged(_)) {
        set_inventory(status, inventory);
    }
    note_intent(status, observed, intent, failures);
    let verdict = match quiet_verdict(intent, &binding.spec.class_name) {
        Some((reason, message)) if failures.is_empty() => Assessment {
            status: Some(false),
            reason: reason.to_string(),
            message: format!("{message}. Remedy: {}.", reason.remedy()),
        },
        _ => report::ready(failures, held_back, inventory.len(), &binding.spec.class_name),
    };
    set_condition(&mut status.conditions, "Ready", &verdict, NO_GENERATION, observed.now);
    note_scope(observed, status);
    note_first_start(observed, status);
    let said = get_condition(&status.conditions, "Drifted");
    let was_fought_for = said.is_some_and(|said| said.reason == report::FOUGHT.as_str());
    let is_news = drifted.is_some_and(|drifted| said.is_some() || !drifted.is_empty());
    if !observed.fights.is_empty() || was_fought_for || is_news {
        let verdict = report::drifted(&observed.fights, drifted.unwrap_or_default());
        set_condition(&mut status.conditions, "Drifted", &verdict, NO_GENERATION, observed.now);
    }
    Some(binding)
}

fn note_intent(status: &mut BindingStatus, observed: &Observed, intent: &Intent, failures: &[Failure]) {
    match intent {
        Intent::Converge(goal) => {
            status.observed_namespace_uid.clone_from(&goal.namespace.uid);
            status.on_delete = goal.facts.on_delete;
            status.observed_class_generation = Some(goal.facts.generation);
            status.values.clone_from(&goal.values);
            status.objects_go = None;
        }
        Intent::Hold(namespace, reason, _) => {
            status.observed_namespace_uid.clone_from(&namespace.uid);
            if *reason != Reason::GuardEngaged {
                status.objects_go = None;
            } else if observed.requested.is_none() {
                // Without a delay nobody has noted yet when the label went, and the guard speaks of it by that time.
                status.objects_go.get_or_insert_with(|| ObjectsGone::after(observed.now, OptOutDelay(Duration::ZERO)));
            }
        }
        // While something of the former life is left, the inventory stays under its UID.
        Intent::Renew(namespace) if failures.is_empty() => status.observed_namespace_uid.clone_from(&namespace.uid),
        Intent::OptOut(_, gone) => status.objects_go = Some(gone.clone()),
        Intent::Rebuild(..) => {
            if let (NamespaceState::Present(facts), true) =
                (&observed.namespace, status.observed_namespace_uid.is_empty())
            {
                status.observed_namespace_uid.clone_from(&facts.uid);
            }
        }
        _ => {}
    }
}

/// Why the binding is not Ready although nothing failed.
fn quiet_verdict(intent: &Intent, class: &str) -> Option<(Reason, String)> {
    match intent {
        Intent::Renew(_) => {
            Some((Reason::NamespaceTerminating, "the namespace was deleted and made again; it starts afresh".into()))
        }
        Intent::Rebuild(_, why) => Some((Reason::InventoryCorrupted, why.clone())),
        Intent::Terminate(_) => Some((Reason::NamespaceTerminating, "the namespace is being deleted".into())),
        Intent::OptOut(_, gone) => Some((
            Reason::OptingOut,
            format!(
                "the label nsclass.io/name is gone since {}; the objects of NamespaceClass {class} go at {}",
                gone.since.0, gone.at.0
            ),
        )),
        _ => None,
    }
}

fn set_inventory(status: &mut BindingStatus, inventory: &[InventoryEntry]) {
    status.inventory = inventory.to_vec();
    // invariant: an inventory holds at most MAX_INVENTORY entries.
    status.objects = u32::try_from(inventory.len()).unwrap_or(u32::MAX);
}

fn fresh(observed: &Observed) -> NamespaceClassBinding {
    NamespaceClassBinding {
        metadata: ObjectMeta { name: Some(observed.name.clone()), ..ObjectMeta::default() },
        spec: BindingSpec {
            namespace_name: observed.name.clone(),
            class_name: String::new(),
            instance: observed.instance.clone(),
            ..BindingSpec::default()
        },
        status: None,
    }
}
