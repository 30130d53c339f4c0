//! The fields of a document that kustomize completes, and the ones it stumbles over (folders.md F17, F19).

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::document::Extraction;
use super::text::{Text, is_null, text};
use crate::record::{Reference, When};
use crate::render::field_specs::{REFERENCES, Selector};
use crate::render::{FieldPath, Step};
use crate::verdict::Reason;
use crate::yaml::{Content, Node};

/// By kind: the rules that apply to it, as (position in [`REFERENCES`], position in its referrers).
static BY_KIND: LazyLock<HashMap<&'static str, Vec<(usize, usize)>>> = LazyLock::new(|| {
    let mut by_kind: HashMap<_, Vec<_>> = HashMap::new();
    for (rule, references) in REFERENCES.iter().enumerate() {
        for (position, ((.., kind), _)) in references.referrers.iter().enumerate() {
            by_kind.entry(*kind).or_default().push((rule, position));
        }
    }
    by_kind
});

/// Collects what kustomize looks at in this document.
pub(super) fn collect(root: &Node<'_>, out: &mut Extraction<'_>) {
    supplied(root, out);
    let Some(rules) = BY_KIND.get(&*out.record.kind) else { return };
    for (rule, position) in rules {
        let (selector, path) = REFERENCES[*rule].referrers[*position];
        if selects(selector, &out.record.api_version, &out.record.kind) {
            walk(root, path, &FieldPath::default(), *rule, out);
        }
    }
}

/// Whether a selector with empty texts for "any" picks a kind.
pub(crate) fn selects((group, version, kind): Selector, api_version: &str, actual: &str) -> bool {
    let (own_group, own_version) = api_version.split_once('/').unwrap_or(("", api_version));
    (group.is_empty() || group == own_group)
        && (version.is_empty() || version == own_version)
        && (kind.is_empty() || kind == actual)
}

/// The namespaces that the transformer sets beside `metadata.namespace`.
fn supplied(root: &Node<'_>, out: &mut Extraction<'_>) {
    match (&*out.record.group.clone(), &*out.record.kind.clone()) {
        (_, "RoleBinding" | "ClusterRoleBinding") => subjects(root, out),
        ("apiregistration.k8s.io", "APIService") => match root.at(&["spec", "service"]) {
            Some(service) if service.as_mapping().is_some() => {
                out.supplied(FieldPath::keys(&["spec", "service", "namespace"]));
            }
            _ => out.fault(
                When::UnderNamespace,
                Reason::UnsupportedRender,
                "kustomize would create spec.service in an APIService without one",
                "list it in a kustomization without a namespace",
            ),
        },
        ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            let path = ["spec", "conversion", "webhook", "clientConfig", "service", "namespace"];
            if let Some(namespace) = root.at(&path) {
                if namespace.as_scalar().is_none() {
                    out.wrong_type("spec.conversion.webhook.clientConfig.service.namespace", "a string");
                }
                out.supplied(FieldPath::keys(&path));
            }
        }
        _ => {}
    }
}

/// Checks the subjects of a binding and notes the ones named `default`.
fn subjects(root: &Node<'_>, out: &mut Extraction<'_>) {
    let Some(node) = root.get("subjects").filter(|node| !is_null(node)) else { return };
    let Some(sequence) = node.as_sequence() else { return out.wrong_type("subjects", "a list") };
    for (index, item) in sequence.items.iter().enumerate() {
        let at = FieldPath::keys(&["subjects"]).then(Step::Index(index));
        if item.node.as_mapping().is_none() {
            out.wrong_type(&at.to_string(), "a mapping");
            continue;
        }
        for key in ["kind", "name", "namespace"] {
            let node = item.node.get(key);
            // A null is refused too: kustomize converts these without looking.
            if matches!(text(node), Text::Other) || node.is_some_and(is_null) {
                out.wrong_type(&format!("{at}.{key}"), "a string");
            }
        }
        if item.node.get("name").and_then(Node::as_str) == Some("default") {
            out.supplied(at.key("namespace"));
        }
    }
}

/// Follows a path as kustomize does: lists are passed through, nulls end it, text in the middle is an error.
fn walk(node: &Node<'_>, path: &[&'static str], at: &FieldPath, rule: usize, out: &mut Extraction<'_>) {
    let Some((key, rest)) = path.split_first() else { return leaf(node, at, rule, out) };
    if is_null(node) {
        return;
    }
    match &node.content {
        Content::Mapping(_) => {
            if let Some(value) = node.get(key) {
                walk(value, rest, &at.key(key), rule, out);
            }
        }
        Content::Sequence(sequence) => {
            for (index, item) in sequence.items.iter().enumerate() {
                walk(&item.node, path, &at.then(Step::Index(index)), rule, out);
            }
        }
        Content::Scalar(_) | Content::Alias(_) => out.wrong_type(&at.to_string(), "a mapping or a list"),
    }
}

/// The field that names an object: a text, a mapping, or a list of those.
fn leaf(node: &Node<'_>, at: &FieldPath, rule: usize, out: &mut Extraction<'_>) {
    match &node.content {
        Content::Mapping(_) => mapping(node, at, rule, out),
        Content::Sequence(sequence) => {
            for (index, item) in sequence.items.iter().enumerate() {
                let at = at.then(Step::Index(index));
                match &item.node.content {
                    Content::Mapping(_) => mapping(&item.node, &at, rule, out),
                    Content::Sequence(_) => out.wrong_type(&at.to_string(), "a string or a mapping"),
                    Content::Scalar(_) | Content::Alias(_) => {}
                }
            }
        }
        Content::Scalar(_) | Content::Alias(_) => {}
    }
}

fn mapping(node: &Node<'_>, at: &FieldPath, rule: usize, out: &mut Extraction<'_>) {
    let Text::Is(name) = text(node.get("name")) else {
        return out.wrong_type(&format!("{at}.name"), "a string");
    };
    let namespace = match (node.get("namespace"), text(node.get("namespace"))) {
        (None, _) => None,
        (_, Text::Is(namespace)) => Some(Arc::from(namespace)),
        (_, Text::Absent) => Some(Arc::from("")),
        (_, Text::Other) => return out.wrong_type(&format!("{at}.namespace"), "a string"),
    };
    let kind = if let Text::Is(kind) = text(node.get("kind")) { Some(Arc::from(kind)) } else { None };
    out.reference(Reference { at: at.clone(), rule, name: name.into(), namespace, kind });
}

/// A key as a step; keys of the tables are static, keys of documents are not.
pub(super) fn step(key: &str) -> Step {
    Step::Key(Cow::Owned(key.to_owned()))
}
