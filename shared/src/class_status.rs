//! What a class says of itself: its conditions, how many namespaces have it, and whether it carries our finalizer.

use jiff::Timestamp;

use crate::api::{
    Assessment, ClassStatus, GuardPassed, GuardStatus, NamespaceClassBinding, NamespaceCounts, get_condition,
    set_condition,
};
use crate::guard::{self, ClassView, HeldNamespace};
use crate::reason::{Reason, Remark};

/// Failing namespaces named in one message; the others are counted.
const MOST_NAMED: usize = 3;

/// What one binding says to its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingSummary {
    /// The namespace.
    pub namespace: String,
    /// Its `Ready` condition; none for `Unknown` or no condition yet.
    pub ready: Option<bool>,
    /// The reason there.
    pub reason: String,
    /// The mass-delete guard keeps its objects.
    pub held: Option<HeldNamespace>,
}

impl BindingSummary {
    /// Reads a binding.
    pub fn of(binding: &NamespaceClassBinding) -> Self {
        let ready = binding.status.as_ref().and_then(|status| get_condition(&status.conditions, "Ready"));
        let reason = ready.map(|c| c.reason.clone()).unwrap_or_default();
        let lost = binding.status.as_ref().filter(|status| status.requested_class.is_empty());
        let label_lost = lost.and_then(|status| status.objects_go.as_ref()).map(|gone| gone.since.0);
        Self {
            namespace: binding.spec.namespace_name.clone(),
            ready: ready.and_then(|c| match c.status.as_str() {
                "True" => Some(true),
                "False" => Some(false),
                _ => None,
            }),
            held: (reason == Reason::GuardEngaged.as_str()).then_some(HeldNamespace { label_lost }),
            reason,
        }
    }
}

/// What is known of a class besides its bindings.
#[derive(Clone, Debug)]
pub struct ClassNow<'a> {
    /// Its metadata, as far as it counts here.
    pub view: ClassView<'a>,
    /// What [`crate::validate`] found, as the condition `Accepted`.
    pub accepted: Assessment,
    /// It carries the annotation `nsclass.io/suspend: "true"`.
    pub suspended: bool,
    /// What its guard has recorded.
    pub passed: Option<GuardPassed>,
    /// Our instance.
    pub instance: &'a str,
    /// Namespaces of our scope that have the class by another instance's hand, each with that instance (scope.md S35).
    pub elsewhere: &'a [(String, String)],
    /// Namespaces that have the class or ask for it, and wait for a licence (scope.md S60, S61).
    pub unlicensed: &'a [String],
}

/// The status of a class, from what it said before. `bindings` are those whose `spec.className` is this class.
pub fn class_status(
    before: Option<&ClassStatus>,
    class: &ClassNow<'_>,
    bindings: &[BindingSummary],
    now: Timestamp,
) -> ClassStatus {
    let ClassNow { view, accepted, suspended, passed, instance, elsewhere, unlicensed } = class;
    let generation = Some(view.generation);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut failing: Vec<&BindingSummary> = bindings.iter().filter(|b| b.ready == Some(false)).collect();
    failing.sort_by(|a, b| a.namespace.cmp(&b.namespace));
    let ready_ones = bindings.iter().filter(|b| b.ready == Some(true)).count();
    let mut status = before.cloned().unwrap_or_default();
    status.observed_generation = generation;
    status.namespaces =
        NamespaceCounts { bound: count(bindings.len()), ready: count(ready_ones), failing: count(failing.len()) };
    set_condition(&mut status.conditions, "Accepted", accepted, generation, now);
    let ready = if *suspended { when_suspended() } else { ready(accepted, bindings.len(), ready_ones, &failing) };
    set_condition(&mut status.conditions, "Ready", &ready, generation, now);
    let held: Vec<&HeldNamespace> = bindings.iter().filter_map(|binding| binding.held.as_ref()).collect();
    let held = guard::held(&status.guard.held, &held, view);
    if !held.is_empty() || get_condition(&status.conditions, "GuardEngaged").is_some() {
        let engaged = guard::condition(view.name, &held, bindings.len());
        set_condition(&mut status.conditions, "GuardEngaged", &engaged, generation, now);
    }
    status.guard = GuardStatus { passed: passed.clone(), held };
    // Of a type of its own for each instance: none writes what another says.
    let kind = format!("OtherInstance.{instance}");
    if !elsewhere.is_empty() || get_condition(&status.conditions, &kind).is_some() {
        set_condition(&mut status.conditions, &kind, &other_instance(instance, elsewhere), generation, now);
    }
    let kind = format!("LicenceHolds.{instance}");
    if !unlicensed.is_empty() || get_condition(&status.conditions, &kind).is_some() {
        set_condition(&mut status.conditions, &kind, &licence_holds(instance, unlicensed), generation, now);
    }
    status
}

fn licence_holds(ours: &str, unlicensed: &[String]) -> Assessment {
    if unlicensed.is_empty() {
        let message = format!("no namespace of instance {ours} waits for a licence");
        return Assessment { status: Some(false), reason: Remark::NothingWaits.to_string(), message };
    }
    let mut named = unlicensed.to_vec();
    named.sort();
    let message = format!(
        "{} of instance {ours} wait for a licence: {}; the binding of each says why. Remedy: {}.",
        named.len(),
        and_more(&named),
        Reason::LicenceRequired.remedy()
    );
    Assessment { status: Some(true), reason: Remark::LicenceRequired.to_string(), message }
}

fn other_instance(ours: &str, elsewhere: &[(String, String)]) -> Assessment {
    if elsewhere.is_empty() {
        let message = format!("no other instance keeps a namespace of the scope of instance {ours}");
        return Assessment { status: Some(false), reason: Remark::NoOverlap.to_string(), message };
    }
    let mut named: Vec<String> =
        elsewhere.iter().map(|(namespace, instance)| format!("{namespace} (by {instance})")).collect();
    named.sort();
    let message = format!(
        "instance {ours} keeps its hands off what another instance keeps: {}; {}",
        and_more(&named),
        Reason::OtherInstance.remedy()
    );
    Assessment { status: Some(true), reason: Remark::KeptByAnother.to_string(), message }
}

/// The first few, and how many more there are.
fn and_more(named: &[String]) -> String {
    let more = named.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named[..named.len().min(MOST_NAMED)].join(", "))
}

fn when_suspended() -> Assessment {
    let message = "the class carries the annotation nsclass.io/suspend, so nothing is written in its namespaces; remove it to go on";
    Assessment { status: Some(false), reason: Remark::Suspended.to_string(), message: message.into() }
}

fn ready(accepted: &Assessment, bound: usize, ready: usize, failing: &[&BindingSummary]) -> Assessment {
    let (status, reason, message) = if accepted.status != Some(true) {
        (Some(false), Remark::NotAccepted, "the class is not applied: see the condition Accepted".to_owned())
    } else if failing.is_empty() && ready < bound {
        (None, Remark::Applying, format!("{ready} of {bound} namespaces are ready; nothing failed so far"))
    } else if failing.is_empty() {
        let message = match bound {
            0 => "no namespace has this class".to_owned(),
            1 => "the one namespace with this class is ready".to_owned(),
            n => format!("all {n} namespaces with this class are ready"),
        };
        (Some(true), Remark::NamespacesReady, message)
    } else {
        let named: Vec<String> = failing.iter().map(|b| format!("{} ({})", b.namespace, b.reason)).collect();
        let message = format!("{} of {bound} namespaces are not ready: {}", failing.len(), and_more(&named));
        (Some(false), Remark::NamespacesFailing, message)
    };
    Assessment { status, reason: reason.to_string(), message }
}

/// What is known of a class that decides over its finalizer.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts, each asked by name")]
pub struct Protection {
    /// It has a deletionTimestamp.
    pub deleting: bool,
    /// Its definition is being removed: nobody decided to delete this class, and nothing of it is deleted (class.md C03).
    pub withdrawn: bool,
    /// It carries our finalizer.
    pub protected: bool,
    /// A managed namespace asks for it.
    pub requested: bool,
    /// A namespace that we do not manage asks for it: another instance may, and its finalizer is not ours to take.
    pub requested_elsewhere: bool,
    /// A binding names it.
    pub bound: bool,
}

/// What to do about a class's finalizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalizerChange {
    /// Put it on.
    Protect,
    /// Take it off.
    Release,
    /// It is right as it is.
    Keep,
}

impl Protection {
    /// A class that is bound, or about to be, carries the finalizer; one that is neither does not (class.md C03).
    pub fn change(self) -> FinalizerChange {
        let wanted = !self.withdrawn && (self.bound || (self.requested && !self.deleting));
        match (self.protected, wanted) {
            // The API server lets no finalizer be added to what is being deleted.
            (false, true) if !self.deleting => FinalizerChange::Protect,
            (true, false) if self.deleting || !self.requested_elsewhere => FinalizerChange::Release,
            _ => FinalizerChange::Keep,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(namespace: &str, ready: bool) -> BindingSummary {
        BindingSummary { namespace: namespace.into(), ready: Some(ready), reason: "NotOwned".into(), held: None }
    }

    fn accepted() -> ClassNow<'static> {
        let accepted = Assessment { status: Some(true), reason: "Valid".into(), message: String::new() };
        let view = ClassView { name: "std", uid: "u", generation: 2, deleting: false, confirmed: None };
        ClassNow { view, accepted, suspended: false, passed: None, instance: "blue", elsewhere: &[], unlicensed: &[] }
    }

    #[test]
    fn the_message_names_the_first_few_failing_namespaces_and_counts_the_rest() {
        let bindings: Vec<_> = ["e", "d", "c", "b", "a", "z"].iter().map(|n| summary(n, *n == "z")).collect();
        let status = class_status(None, &accepted(), &bindings, Timestamp::UNIX_EPOCH);
        assert_eq!(status.namespaces, NamespaceCounts { bound: 6, ready: 1, failing: 5 });
        let ready = get_condition(&status.conditions, "Ready").unwrap();
        insta::assert_snapshot!(ready.message, @"5 of 6 namespaces are not ready: a (NotOwned), b (NotOwned), c (NotOwned) and 2 more");
        let again = class_status(Some(&status), &accepted(), &bindings, Timestamp::MAX);
        assert_eq!(again, status, "nothing new writes nothing");
    }

    #[test]
    fn s35_what_another_instance_keeps_is_a_condition_of_ours_alone_until_nothing_is_left_of_it() {
        let elsewhere: Vec<_> = ["d", "c", "b", "a"].map(|name| (name.to_owned(), "green".to_owned())).into();
        let overlaps = ClassNow { elsewhere: &elsewhere, ..accepted() };
        let status = class_status(None, &overlaps, &[], Timestamp::UNIX_EPOCH);
        let said = get_condition(&status.conditions, "OtherInstance.blue").unwrap();
        insta::assert_snapshot!(said.message, @"instance blue keeps its hands off what another instance keeps: a (by green), b (by green), c (by green) and 1 more; let the other instance's scope exclude this namespace");
        let theirs = ClassNow { instance: "green", ..accepted() };
        assert_eq!(class_status(Some(&status), &theirs, &[], Timestamp::MAX), status, "the other leaves it as it is");
        let over = class_status(Some(&status), &accepted(), &[], Timestamp::MAX);
        assert_eq!(get_condition(&over.conditions, "OtherInstance.blue").unwrap().status, "False");
        let never = class_status(None, &accepted(), &[], Timestamp::UNIX_EPOCH);
        assert!(get_condition(&never.conditions, "OtherInstance.blue").is_none());
    }

    #[test]
    fn s60_what_waits_for_a_licence_is_a_condition_of_the_class_until_nothing_does() {
        let waiting = ["d", "c", "b", "a"].map(str::to_owned);
        let holds = ClassNow { unlicensed: &waiting, ..accepted() };
        let status = class_status(None, &holds, &[], Timestamp::UNIX_EPOCH);
        let said = get_condition(&status.conditions, "LicenceHolds.blue").unwrap();
        insta::assert_snapshot!(said.message, @"4 of instance blue wait for a licence: a, b, c and 1 more; the binding of each says why. Remedy: put a valid licence into a Secret with the label nsclass.io/licence in the operator's namespace; nsclass licence show explains.");
        let over = class_status(Some(&status), &accepted(), &[], Timestamp::MAX);
        assert_eq!(get_condition(&over.conditions, "LicenceHolds.blue").unwrap().status, "False");
        let never = class_status(None, &accepted(), &[], Timestamp::UNIX_EPOCH);
        assert!(get_condition(&never.conditions, "LicenceHolds.blue").is_none());
    }

    #[test]
    fn c03_a_bound_class_is_protected_and_an_unused_one_is_not() {
        let facts = |deleting, protected, requested, bound| {
            let requested_elsewhere = false;
            Protection { deleting, withdrawn: false, protected, requested, requested_elsewhere, bound }.change()
        };
        assert_eq!(facts(false, false, true, false), FinalizerChange::Protect);
        assert_eq!(facts(false, false, false, true), FinalizerChange::Protect);
        assert_eq!(facts(false, true, false, false), FinalizerChange::Release);
        assert_eq!(facts(true, true, true, true), FinalizerChange::Keep);
        assert_eq!(facts(true, true, true, false), FinalizerChange::Release);
        assert_eq!(facts(true, false, true, true), FinalizerChange::Keep);
        let withdrawn = Protection {
            deleting: true,
            withdrawn: true,
            protected: true,
            requested: true,
            requested_elsewhere: true,
            bound: true,
        };
        assert_eq!(withdrawn.change(), FinalizerChange::Release, "the definition must be able to go");
    }

    #[test]
    fn s35_two_instances_do_not_fight_over_the_finalizer_of_a_class_that_one_of_them_needs() {
        let elsewhere = |deleting, protected| Protection {
            deleting,
            withdrawn: false,
            protected,
            requested: false,
            requested_elsewhere: true,
            bound: false,
        };
        assert_eq!(elsewhere(false, true).change(), FinalizerChange::Keep, "the other one put it there");
        assert_eq!(elsewhere(false, false).change(), FinalizerChange::Keep, "the other one puts it there");
        assert_eq!(elsewhere(true, true).change(), FinalizerChange::Release);
    }
}
