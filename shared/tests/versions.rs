//! Bindings of other versions of the operator (faults.md, fault 20).
#![allow(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeMap;

use jiff::Timestamp;
use nsclass_shared::api::NamespaceClassBinding;
use nsclass_shared::plan::{ClassState, NamespaceFacts, NamespaceState, Observed, Outcome, Pass, Step};
use nsclass_shared::scope::Verdict;
use serde_json::{Value, json};

/// A pass over the namespace `pay`, whose class is absent, so that the binding is written and nothing else.
fn written(binding: Value) -> Value {
    let binding: NamespaceClassBinding = serde_json::from_value(binding).unwrap();
    let mut pass = Pass::begin(Observed {
        now: Timestamp::UNIX_EPOCH,
        name: "pay".into(),
        instance: "default".into(),
        namespace: NamespaceState::Present(NamespaceFacts { uid: "u".into(), terminating: false, held: false }),
        scope: Verdict::InScope,
        reserved: false,
        suspended: None,
        unlicensed: None,
        first_start: None,
        requested: Some(("std".into(), ClassState::Absent)),
        bound: None,
        hold_namespaces: true,
        binding: Some(binding),
        search: None,
        live: BTreeMap::new(),
        suspects: BTreeMap::new(),
        fights: BTreeMap::new(),
        protected: None,
        refused: BTreeMap::new(),
    });
    let Some(Step::WriteBinding(binding)) = pass.next_step() else { return Value::Null };
    let written = json!(binding);
    pass.record(Outcome::BindingWritten(binding));
    assert_eq!(pass.next_step(), None);
    written
}

#[test]
fn fault20_what_a_newer_version_keeps_in_a_binding_is_written_back_as_it_was() {
    let newer = json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClassBinding", "metadata": { "name": "pay" },
        "spec": { "namespaceName": "pay", "className": "std", "instance": "default", "priority": { "of": 3 } },
        "status": {
            "observedNamespaceUID": "u", "objects": 1, "wave": [1, null],
            "inventory": [{ "version": "v1", "kind": "ConfigMap", "namespace": "pay", "name": "a", "uid": "x", "checksum": "c" }],
        },
    });
    let back = written(newer.clone());
    assert_eq!(back["status"]["conditions"][0]["reason"], "ClassNotFound");
    for path in ["/spec/priority", "/status/wave", "/status/inventory"] {
        assert_eq!(back.pointer(path), newer.pointer(path), "{path}");
    }
}

#[test]
fn fault20_a_binding_of_an_older_version_is_understood() {
    let older = json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClassBinding", "metadata": { "name": "pay" },
        "spec": { "namespaceName": "pay", "className": "std", "instance": "default" },
        "status": {
            "observedNamespaceUID": "u", "objects": 1,
            "inventory": [{ "version": "v1", "kind": "ConfigMap", "namespace": "pay", "name": "a" }],
        },
    });
    let back = written(older.clone());
    assert_eq!(back["status"]["inventory"], older["status"]["inventory"], "nothing is lost or made up");
    assert_eq!(back["status"]["conditions"][0]["reason"], "ClassNotFound");
}
