//! What makes a document mean different things to different readers, or nothing to one of them (folders.md F19, F38).

use super::document::Extraction;
use crate::record::When;
use crate::verdict::Reason;
use crate::yaml::resolve::{Resolved, plain};
use crate::yaml::{Content, Document, FeatureKind, Node, Reader, Style};

/// The tree in which fields can be looked up.
pub(super) enum Tree {
    /// The document's own.
    AsWritten,
    /// The document as JSON, its aliases and merge keys written out.
    Expanded(String),
    /// Nobody can tell; a fault says so.
    Unknown,
}

/// Notes the oddities as faults.
pub(super) fn check(document: &Document<'_>, out: &mut Extraction<'_>) -> Tree {
    let features = document.features();
    let mut has_aliases = false;
    for feature in &features {
        let (what, remedy) = match &feature.kind {
            FeatureKind::Directive => ("it has a YAML directive".to_owned(), "remove the directive"),
            FeatureKind::DuplicateKey(key) => {
                (format!("the key {key:?} stands twice in one mapping"), "remove one of them")
            }
            FeatureKind::NonStringKey(key) => (format!("the key {key:?} is not a string"), "quote it"),
            FeatureKind::Alias | FeatureKind::MergeKey => {
                has_aliases = true;
                continue;
            }
            FeatureKind::Anchor(_) | FeatureKind::Tag(_) => continue,
        };
        out.fault(When::InGraph, Reason::MalformedYaml, what, remedy);
    }
    if features.is_empty() && !confuses(&document.root) {
        return Tree::AsWritten;
    }
    let kustomize = document.to_value(Reader::Kustomize);
    let kubernetes = document.to_value(Reader::Kubernetes);
    for (value, when) in [(&kustomize, When::InGraph), (&kubernetes, When::OutsideGraph)] {
        if let Err(error) = value {
            let text = error.to_string();
            let (what, remedy) = text.split_once("; ").unwrap_or((&text, "write it in another way"));
            out.fault(when, Reason::MalformedYaml, what, remedy);
        }
    }
    if !has_aliases {
        return Tree::AsWritten;
    }
    match (kustomize, kubernetes) {
        // What is looked up in the expanded tree must be the same to both readers.
        (Ok(kustomize), Ok(kubernetes)) if kustomize.get("metadata") == kubernetes.get("metadata") => {
            Tree::Expanded(kustomize.to_string())
        }
        (Ok(_), Ok(_)) => {
            let what = "kustomize and Kubernetes read its metadata differently";
            out.fault(When::Always, Reason::MalformedYaml, what, "quote the values in metadata");
            Tree::Unknown
        }
        _ => {
            let what = "its aliases cannot be followed";
            out.fault(When::Always, Reason::MalformedYaml, what, "write the aliased values out");
            Tree::Unknown
        }
    }
}

/// Whether a reader may refuse a value of a document that has no feature: what has no JSON form, and folded text.
fn confuses(node: &Node<'_>) -> bool {
    match &node.content {
        Content::Scalar(scalar) => match scalar.style {
            Style::Folded => scalar.text.contains("\n "),
            Style::Plain => plain(&scalar.text, Reader::Kustomize) == Resolved::NotJson,
            _ => false,
        },
        Content::Mapping(mapping) => mapping.entries.iter().any(|entry| confuses(&entry.value)),
        Content::Sequence(sequence) => sequence.items.iter().any(|item| confuses(&item.node)),
        Content::Alias(_) => false,
    }
}
