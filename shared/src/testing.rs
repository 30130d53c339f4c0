//! The small world that the tests of this crate speak of.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::class::CompiledClass;
use crate::finding::{Finding, sentences};
use crate::guarded::GuardedKeys;
use crate::identity::Gvk;
use crate::kinds::Scope;
use crate::policy::Policy;
use crate::render::{RenderError, Rendered};
use crate::validate::validate_class;
use crate::variables::Variables;

pub(crate) const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// A cluster whose kinds are namespaced but for a few; it does not serve `example.com`.
pub(crate) fn scope(gvk: &Gvk) -> Scope {
    match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("example.com", _) => Scope::Unknown,
        (_, "ClusterRole" | "ClusterRoleBinding" | "Namespace" | "Node") => Scope::ClusterScoped,
        _ => Scope::Namespaced,
    }
}

/// The namespace `blue` (UID `u-1`), with labels and annotations.
#[derive(Default)]
pub(crate) struct Blue {
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
}

impl Blue {
    pub(crate) fn labelled<const N: usize>(labels: [(&str, &str); N]) -> Self {
        let labels = labels.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        Self { labels, annotations: BTreeMap::new() }
    }

    pub(crate) fn annotated<const N: usize>(annotations: [(&str, &str); N]) -> Self {
        Self { annotations: Self::labelled(annotations).labels, labels: BTreeMap::new() }
    }

    pub(crate) fn variables(&self) -> Variables<'_> {
        Variables::live("blue", "u-1", &self.labels, &self.annotations, "standard")
    }

    /// Renders the class `standard` of these items.
    pub(crate) fn render(&self, items: &[Value]) -> Result<Rendered, RenderError> {
        CompiledClass::compile("standard", items).render(&self.variables(), &scope, &GuardedKeys::default())
    }

    /// Why it cannot be rendered, one sentence a line.
    pub(crate) fn refusal(&self, items: &[Value]) -> String {
        lines(&self.render(items).expect_err("the class is refused").findings)
    }

    /// The only object of the class of this item.
    pub(crate) fn object(&self, item: Value) -> Value {
        self.render(&[item]).expect("the class renders").objects.remove(0).manifest
    }
}

/// What admission says of the class `standard`, under the built-in policy.
pub(crate) fn validate(items: &[Value]) -> Vec<Finding> {
    validate_class("standard", items, &Policy::default(), &scope, &GuardedKeys::default())
}

/// The same, one sentence a line, each with its severity and reason.
pub(crate) fn verdict(items: &[Value]) -> String {
    lines(&validate(items))
}

fn lines(findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        format!("{:?} {}: {}", finding.severity, finding.reason, sentences(std::slice::from_ref(finding)))
    };
    findings.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A `ConfigMap` of this name and data.
pub(crate) fn config_map(name: &str, data: Value) -> Value {
    let mut manifest = manifest("v1", "ConfigMap", name, json!({}));
    manifest["data"] = data;
    manifest
}

/// A manifest with these fields beside kind and name.
pub(crate) fn manifest(api_version: &str, kind: &str, name: &str, fields: Value) -> Value {
    let mut manifest = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": name } });
    extend(&mut manifest, fields);
    manifest
}

/// A `ConfigMap` `about` with these fields of metadata beside the name.
pub(crate) fn with_metadata(fields: Value) -> Value {
    let mut manifest = config_map("about", json!({}));
    extend(&mut manifest["metadata"], fields);
    manifest
}

/// Puts fields into a map.
pub(crate) fn extend(map: &mut Value, fields: Value) {
    match (map, fields) {
        (Value::Object(map), Value::Object(fields)) => map.extend(fields),
        (map, fields) => panic!("{map} and {fields} are no maps"),
    }
}

/// A `RoleBinding` of these subjects to the role `edit`.
pub(crate) fn role_binding(subjects: Value) -> Value {
    let role = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit" });
    let mut manifest = manifest(RBAC, "RoleBinding", "team", json!({ "roleRef": role }));
    manifest["subjects"] = subjects;
    manifest
}

/// A group as subject.
pub(crate) fn group(name: &str) -> Value {
    json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": name })
}

/// Any JSON value of moderate size, with text of templates in it.
pub(crate) fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|b| json!(b)),
        any::<i64>().prop_map(|n| json!(n)),
        "[a-z{}. |\"<\\\\]{0,12}".prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{1,6}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}
