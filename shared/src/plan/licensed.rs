//! What becomes of a pass whose namespace waits for a licence (scope.md S60, S61).

use super::{ClassState, Intent, NamespaceState, Observed};
use crate::reason::Reason;

/// The licence gate stands behind everything else: only what would make, change or repair something waits. What is owed, what goes away
/// and what is not managed goes its way, so that nobody is locked in either.
pub(super) fn licensed(observed: &Observed, wanted: Intent) -> Intent {
    let (Some(why), NamespaceState::Present(namespace)) = (&observed.unlicensed, &observed.namespace) else {
        return wanted;
    };
    match (wanted, &observed.bound) {
        (suspended @ Intent::Hold(_, Reason::Suspended, _), _) => suspended,
        // The class whose objects are there is being deleted; what would come instead waits.
        (Intent::Converge(_), Some(ClassState::Deleting(bound))) => Intent::Leave(namespace.clone(), bound.on_delete),
        (Intent::Hold(..) | Intent::Converge(_) | Intent::AwaitProtection, _) => {
            Intent::Hold(namespace.clone(), Reason::LicenceRequired, why.clone())
        }
        (other, _) => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::Timestamp;
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        plan::{ClassFacts, NamespaceFacts, Pass, Rendering, Step, Suspended, intent},
        scope::Verdict,
    };

    /// A namespace that asks for a class, has it, and waits for a licence.
    fn waiting(terminating: bool) -> Observed {
        let facts: ClassFacts = ClassFacts { generation: 1, ..ClassFacts::default() };
        let objects = Rendering::Objects { desired: vec![], waiting: vec![], values: BTreeMap::new() };
        Observed {
            now: Timestamp::UNIX_EPOCH,
            name: "pay".into(),
            instance: "default".into(),
            namespace: NamespaceState::Present(NamespaceFacts { uid: "u".into(), terminating, held: false }),
            scope: Verdict::InScope,
            reserved: false,
            requested: Some(("std".into(), ClassState::Accepted(facts, objects))),
            bound: None,
            unlicensed: Some("no licence is valid".into()),
            first_start: Some(Timestamp::UNIX_EPOCH),
            suspended: None,
            hold_namespaces: true,
            binding: Some(binding()),
            live: BTreeMap::new(),
            suspects: BTreeMap::new(),
            fights: BTreeMap::new(),
            protected: None,
            search: None,
            refused: BTreeMap::new(),
        }
    }

    fn binding() -> crate::api::NamespaceClassBinding {
        let entry = json!({ "version": "v1", "kind": "ConfigMap", "namespace": "pay", "name": "a", "uid": "x", "applied": "h-f" });
        serde_json::from_value(json!({
            "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClassBinding", "metadata": { "name": "pay", "resourceVersion": "1" },
            "spec": { "namespaceName": "pay", "className": "std", "instance": "default" },
            "status": { "observedNamespaceUID": "u", "objects": 1, "inventory": [entry] },
        }))
        .unwrap()
    }

    /// The steps of a pass of which every write succeeds, by their words; and the binding at its end.
    fn steps(observed: Observed) -> (Vec<&'static str>, Value) {
        let mut pass = Pass::begin(observed);
        let mut words = Vec::new();
        while let Some(step) = pass.next_step() {
            words.push(step.word());
            pass.record(match step {
                Step::WriteBinding(binding) => crate::plan::Outcome::BindingWritten(binding),
                _ => crate::plan::Outcome::Done,
            });
        }
        (words, json!(pass.binding()))
    }

    #[test]
    fn s60_what_waits_says_so_in_its_binding_and_nothing_else_is_written() {
        let (words, binding) = steps(waiting(false));
        assert_eq!(words, ["write-binding"]);
        let ready = &binding["status"]["conditions"][0];
        assert_eq!((&ready["reason"], &ready["status"]), (&json!("LicenceRequired"), &json!("False")));
        assert_eq!(binding["status"]["firstStart"], "1970-01-01T00:00:00Z");
        assert_eq!(binding["status"]["objects"], 1, "what is there stays");
        let settled = Observed { binding: serde_json::from_value(binding).unwrap(), ..waiting(false) };
        assert_eq!(steps(settled).0, Vec::<&str>::new(), "said once");
    }

    #[test]
    fn s61_the_scope_the_end_and_whoever_leaves_are_asked_before_the_licence() {
        let out = Observed { scope: Verdict::OutOfScope, ..waiting(false) };
        assert!(matches!(intent(&out), Intent::OutOfScope(_)));
        assert!(matches!(intent(&waiting(true)), Intent::Terminate(_)));
        let gone = Observed { namespace: NamespaceState::Gone, requested: None, ..waiting(false) };
        assert!(matches!(intent(&gone), Intent::Collect));
        let deleted =
            Observed { requested: Some(("std".into(), ClassState::Deleting(ClassFacts::default()))), ..waiting(false) };
        assert!(matches!(intent(&deleted), Intent::Leave(..)));
        let switches = Observed { bound: Some(ClassState::Deleting(ClassFacts::default())), ..waiting(false) };
        assert!(matches!(intent(&switches), Intent::Leave(..)), "its class is being deleted, and the next one waits");
        let opts_out = Observed { requested: None, ..waiting(false) };
        assert!(matches!(intent(&opts_out), Intent::OptOut(..)));
        let suspended = Observed { suspended: Some(Suspended::Namespace), ..waiting(false) };
        assert!(matches!(intent(&suspended), Intent::Hold(_, Reason::Suspended, _)));
        let licensed = Observed { unlicensed: None, ..waiting(false) };
        assert!(matches!(intent(&licensed), Intent::Converge(_)));
    }
}
