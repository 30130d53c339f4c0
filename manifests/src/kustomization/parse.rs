use std::sync::Arc;

use super::keys::{Meaning, Type, meaning, same_but_for_case};
use super::{Kustomization, inert};
use crate::record::{Fault, When};
use crate::scan::parse_file;
use crate::scan::text::{Text, is_label, is_null, text};
use crate::verdict::Reason;
use crate::yaml::{Document, FeatureKind, Mapping, Node};

const API_VERSION: &str = "kustomize.config.k8s.io/v1beta1";

fn fault(what: impl Into<String>, remedy: impl Into<String>) -> Fault {
    Fault {
        when: When::Always,
        document: None,
        reason: Reason::InvalidKustomization,
        what: what.into(),
        remedy: remedy.into(),
    }
}

/// Reads a kustomization file. Everything that is wrong with it is told at once.
///
/// # Errors
/// The faults of a file that kustomize, or a strict reader, refuses. Keys outside the supported subset are no fault
/// here: they are in [`Kustomization::unsupported`].
pub fn parse(bytes: &[u8]) -> Result<Kustomization, Vec<Fault>> {
    let file = parse_file(bytes, "repair the YAML")
        .map_err(|fault| vec![Fault { reason: Reason::InvalidKustomization, ..fault }])?;
    let Some(document) = file.documents.first().filter(|document| !document.is_empty()) else {
        return Err(vec![fault("the kustomization is empty", "name its resources, or remove the file")]);
    };
    let mut faults = strictness(document);
    if let Some(second) = file.documents.iter().skip(1).find(|document| !document.is_empty()) {
        let what = format!("document {} follows, which kustomize ignores", second.number);
        faults.push(fault(what, "keep one document"));
    }
    let Some(mapping) = document.root.as_mapping() else {
        faults.push(fault("the kustomization is no mapping", "write it as keys and values"));
        return Err(faults);
    };
    let kustomization = fields(mapping, &mut faults);
    if faults.is_empty() { Ok(kustomization) } else { Err(faults) }
}

/// What a strict reader refuses anywhere in the document.
fn strictness(document: &Document<'_>) -> Vec<Fault> {
    let fault_of = |kind: &FeatureKind| match kind {
        FeatureKind::DuplicateKey(key) => fault(format!("the key {key:?} stands twice"), "remove one of them"),
        FeatureKind::NonStringKey(key) => fault(format!("the key {key:?} is no string"), "quote it, or remove it"),
        FeatureKind::Anchor(name) => {
            fault(format!("it has the anchor &{name}"), "write the value out where it is used")
        }
        FeatureKind::Alias => fault("it has an alias", "write the value out"),
        FeatureKind::MergeKey => fault("it has a merge key <<", "write the keys out"),
        FeatureKind::Tag(tag) => fault(format!("it has the tag {tag}"), "remove the tag"),
        FeatureKind::Directive => fault("it has a YAML directive", "remove the directive"),
    };
    document.features().iter().map(|feature| fault_of(&feature.kind)).collect()
}

fn fields(mapping: &Mapping<'_>, faults: &mut Vec<Fault>) -> Kustomization {
    let mut out = Kustomization::default();
    let mut says_something = false;
    for entry in &mapping.entries {
        let Some(key) = entry.key.as_str() else { continue };
        let value = &entry.value;
        match meaning(key) {
            Some(Meaning::Supported) => says_something |= supported(key, value, &mut out, faults),
            Some(Meaning::Inert) => {
                says_something |= !is_null(value);
                if let Some((at, wanted)) = inert::wrong(key, value).filter(|_| !is_null(value)) {
                    faults.push(fault(format!("{at} is not {wanted}"), format!("correct or remove {at}")));
                }
            }
            Some(Meaning::Unsupported(wanted)) => match emptiness(value, wanted) {
                Some(true) => {}
                Some(false) => {
                    says_something = true;
                    out.unsupported.push(key.to_owned());
                }
                None => {
                    faults.push(fault(format!("{key} is not {}", name(wanted)), format!("correct or remove {key}")));
                }
            },
            None => faults.push(match same_but_for_case(key) {
                Some(known) => fault(format!("the key {key:?} is written {known:?}"), format!("write {known}")),
                None => fault(format!("kustomize knows no key {key:?}"), format!("correct or remove {key}")),
            }),
        }
    }
    if !says_something && faults.is_empty() {
        faults.push(fault("the kustomization is empty", "name its resources, or remove the file"));
    }
    out
}

/// Reads a supported key; returns whether it makes the kustomization say something.
fn supported(key: &str, value: &Node<'_>, out: &mut Kustomization, faults: &mut Vec<Fault>) -> bool {
    match key {
        "resources" | "bases" => {
            let list = entries(key, value, faults);
            let says_something = !list.is_empty() || (key == "resources" && !is_null(value));
            if key == "bases" {
                out.bases = list;
            } else {
                out.has_resources_list = value.as_sequence().is_some();
                out.resources = list;
            }
            says_something
        }
        "namespace" => match text(Some(value)) {
            Text::Absent | Text::Is("") => false,
            Text::Is(namespace) if is_label(namespace) => {
                out.namespace = Some(Arc::from(namespace));
                true
            }
            Text::Is(namespace) => {
                faults.push(fault(
                    format!("namespace {namespace:?} is no name a namespace can have"),
                    "use at most 63 lower-case letters, digits and dashes",
                ));
                true
            }
            Text::Other => {
                faults.push(fault("namespace is not a string", "quote it"));
                true
            }
        },
        _ => {
            let wanted = if key == "kind" { "Kustomization" } else { API_VERSION };
            if !matches!(text(Some(value)), Text::Absent | Text::Is("")) && value.as_str() != Some(wanted) {
                let found = value.as_str().unwrap_or("a collection");
                faults.push(fault(format!("{key} is {found}"), format!("{key} must be {wanted}")));
            }
            false
        }
    }
}

fn entries(key: &str, value: &Node<'_>, faults: &mut Vec<Fault>) -> Vec<String> {
    if is_null(value) {
        return Vec::new();
    }
    let Some(sequence) = value.as_sequence() else {
        faults.push(fault(format!("{key} is not a list"), format!("write {key} as a list of paths")));
        return Vec::new();
    };
    let mut list = Vec::with_capacity(sequence.items.len());
    for (index, item) in sequence.items.iter().enumerate() {
        match text(Some(&item.node)) {
            Text::Is(entry) => list.push(entry.to_owned()),
            _ => faults.push(fault(format!("{key}[{index}] is not a string"), "write a path, quoted if need be")),
        }
    }
    list
}

/// Whether a value of the type says nothing; `None` where it is of another type.
fn emptiness(value: &Node<'_>, wanted: Type) -> Option<bool> {
    if is_null(value) {
        return Some(true);
    }
    match wanted {
        Type::Text => match text(Some(value)) {
            Text::Is(text) => Some(text.is_empty()),
            _ => None,
        },
        Type::List => value.as_sequence().map(|sequence| sequence.items.is_empty()),
        Type::Map => value.as_mapping().map(|mapping| mapping.entries.is_empty()),
    }
}

fn name(wanted: Type) -> &'static str {
    match wanted {
        Type::Text => "a string",
        Type::List => "a list",
        Type::Map => "a mapping",
    }
}
