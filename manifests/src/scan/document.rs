//! From the tree of one document to what is kept of it.

use std::sync::Arc;

use super::text::{Text, is_api_version, is_kind, is_label, is_null, is_substituted, text};
use super::{oddities, references, special};
use crate::record::{DocumentRecord, Extra, Fault, Interner, Reference, When};
use crate::render::FieldPath;
use crate::render::annotations;
use crate::verdict::Reason;
use crate::yaml::{Document, Node};

/// What a document turned out to be.
pub(super) enum Classified {
    /// Nothing, null, or comments only.
    Empty,
    /// Not an object: apiVersion or kind is missing.
    Foreign,
    /// An object, sound or not.
    Object(DocumentRecord),
}

/// A record in the making.
pub(super) struct Extraction<'i> {
    pub(super) record: DocumentRecord,
    extra: Extra,
    /// Whether the fields are read from a tree in which aliases are written out, so that texts are not as written.
    is_expanded: bool,
    pub(super) interner: &'i mut Interner,
}

impl Extraction<'_> {
    pub(super) fn fault(&mut self, when: When, reason: Reason, what: impl Into<String>, remedy: impl Into<String>) {
        let document = Some(self.record.number);
        self.extra.faults.push(Fault { when, document, reason, what: what.into(), remedy: remedy.into() });
    }

    /// A field that kustomize looks at and that is not of the type it needs.
    pub(super) fn wrong_type(&mut self, field: &str, wanted: &str) {
        let what = format!("{field} is not {wanted}, and kustomize looks at it");
        self.fault(When::InGraph, Reason::UnsupportedDocument, what, format!("make {field} {wanted}"));
    }

    pub(super) fn supplied(&mut self, field: FieldPath) {
        self.extra.supplied.push(field);
    }

    pub(super) fn reference(&mut self, reference: Reference) {
        self.extra.references.push(reference);
    }

    pub(super) fn extra(&mut self) -> &mut Extra {
        &mut self.extra
    }

    fn finish(mut self) -> DocumentRecord {
        let extra = &self.extra;
        let is_plain = !extra.is_encrypted
            && extra.faults.is_empty()
            && extra.supplied.is_empty()
            && extra.references.is_empty()
            && extra.substituted.is_empty()
            && extra.defines.is_none()
            && extra.applies.is_none();
        self.record.extra = (!is_plain).then(|| Box::new(self.extra));
        self.record
    }
}

/// Reads one document. `source` is its text in the file.
pub(super) fn classify(document: &Document<'_>, source: &str, interner: &mut Interner) -> Classified {
    if document.is_empty() {
        return Classified::Empty;
    }
    let root = &document.root;
    let (Some(api_version), Some(kind)) = (head(root, "apiVersion"), head(root, "kind")) else {
        return Classified::Foreign;
    };
    let record = DocumentRecord {
        number: u32::try_from(document.number).unwrap_or(u32::MAX),
        api_version: interner.intern(api_version),
        group: interner.intern(api_version.split_once('/').map_or("", |(group, _)| group)),
        kind: interner.intern(kind),
        name: None,
        namespace: None,
        is_local: false,
        extra: None,
    };
    let mut out = Extraction { record, extra: Extra::default(), is_expanded: false, interner };
    match oddities::check(document, &mut out) {
        oddities::Tree::AsWritten => fields(root, source, &mut out),
        // The aliases are written out, so that whoever looks at a field finds it.
        oddities::Tree::Expanded(json) => match crate::yaml::parse(json.as_bytes()) {
            Ok(file) if file.documents.len() == 1 => {
                out.is_expanded = true;
                fields(&file.documents[0].root, source, &mut out);
            }
            _ => out.fault(
                When::Always,
                Reason::UnsupportedDocument,
                "its aliases cannot be written out",
                "write the aliased values out",
            ),
        },
        oddities::Tree::Unknown => {}
    }
    Classified::Object(out.finish())
}

/// A non-empty text at the top of a document.
fn head<'n>(root: &'n Node<'_>, key: &str) -> Option<&'n str> {
    root.get(key)?.as_str().filter(|text| !text.is_empty())
}

fn fields(root: &Node<'_>, source: &str, out: &mut Extraction<'_>) {
    for (key, is_sound) in [("apiVersion", is_api_version as fn(&str) -> bool), ("kind", is_kind)] {
        match text(root.get(key)) {
            Text::Is(found) if is_sound(found) => {}
            Text::Is(found) => {
                let what = format!("{key} is {found:?}, which no object can have");
                out.fault(When::Always, Reason::UnsupportedDocument, what, format!("correct {key}"));
            }
            _ => out.fault(
                When::Always,
                Reason::UnsupportedDocument,
                format!("{key} is not a string"),
                format!("quote {key}"),
            ),
        }
    }
    if out.record.kind.ends_with("List") && root.get("items").is_some() {
        let what = format!("{} is a list of objects in one document", out.record.kind);
        return out.fault(When::Always, Reason::UnsupportedDocument, what, "write each item as a document of its own");
    }
    metadata(root, out);
    references::collect(root, out);
    special::collect(root, out);
    if source.contains("${") {
        substituted(root, &FieldPath::default(), out);
    }
}

fn metadata(root: &Node<'_>, out: &mut Extraction<'_>) {
    let Some(metadata) = root.get("metadata").filter(|node| !is_null(node)) else {
        return out.fault(When::Always, Reason::UnsupportedDocument, "it has no metadata.name", "give it a name");
    };
    if metadata.as_mapping().is_none() {
        return out.fault(When::Always, Reason::UnsupportedDocument, "metadata is not a mapping", "make it a mapping");
    }
    name(metadata, out);
    match text(metadata.get("namespace")) {
        Text::Absent | Text::Is("") => {}
        Text::Is(namespace) => {
            if is_substituted(namespace) {
                fault_substituted("metadata.namespace", out);
            } else if !is_label(namespace) {
                let what = format!("metadata.namespace {namespace:?} is no name a namespace can have");
                let remedy = "use at most 63 lower-case letters, digits and dashes";
                out.fault(When::Always, Reason::UnsupportedDocument, what, remedy);
            }
            out.record.namespace = Some(out.interner.intern(namespace));
        }
        Text::Other => out.fault(
            When::Always,
            Reason::UnsupportedDocument,
            "metadata.namespace is not a string",
            "quote it, or remove it",
        ),
    }
    if metadata.get("labels").is_some_and(|labels| !is_null(labels) && labels.as_mapping().is_none()) {
        out.wrong_type("metadata.labels", "a mapping");
    }
    let Some(found) = metadata.get("annotations").filter(|node| !is_null(node)) else { return };
    let Some(mapping) = found.as_mapping() else { return out.wrong_type("metadata.annotations", "a mapping") };
    for entry in &mapping.entries {
        let (Some(key), Some(value)) = (entry.key.as_str(), entry.value.as_str()) else {
            out.wrong_type("metadata.annotations", "a mapping of strings");
            continue;
        };
        if out.is_expanded && !matches!(text(Some(&entry.value)), Text::Is(_)) {
            out.wrong_type(&format!("the annotation {key}"), "a string");
        }
        if key == annotations::LOCAL_CONFIG {
            out.record.is_local = value != "false";
        }
        if annotations::steers_the_build(key) {
            let what = format!("the annotation {key} would steer kustomize's own build");
            out.fault(When::InGraph, Reason::UnsupportedRender, what, "remove it");
        }
    }
}

fn name(metadata: &Node<'_>, out: &mut Extraction<'_>) {
    match text(metadata.get("name")) {
        Text::Is(name) if !name.is_empty() => {
            out.record.name = Some(Arc::from(name));
            if is_substituted(name) {
                fault_substituted("metadata.name", out);
            }
            if name.contains(',') {
                let what = "kustomize cannot keep track of a name with a comma";
                let remedy = "list it in a kustomization without a namespace";
                out.fault(When::UnderNamespace, Reason::UnsupportedRender, what, remedy);
            }
        }
        Text::Other => {
            out.fault(When::Always, Reason::UnsupportedDocument, "metadata.name is not a string", "quote it");
        }
        Text::Is(_) | Text::Absent if metadata.get("generateName").is_some_and(|node| !is_null(node)) => out.fault(
            When::InGraph,
            Reason::UnsupportedDocument,
            "it has generateName and no name, so that it is a new object each time",
            "give it a name, or take it out of the kustomization",
        ),
        Text::Is(_) | Text::Absent => {
            out.fault(When::Always, Reason::UnsupportedDocument, "it has no metadata.name", "give it a name");
        }
    }
}

fn fault_substituted(field: &str, out: &mut Extraction<'_>) {
    let what = format!("{field} holds a substitution, so that the object cannot be told");
    out.fault(When::Always, Reason::Substituted, what, format!("write {field} out"));
}

/// The fields whose text a later substitution replaces.
fn substituted(node: &Node<'_>, at: &FieldPath, out: &mut Extraction<'_>) {
    if let Some(text) = node.as_str() {
        if is_substituted(text) {
            out.extra().substituted.push(at.to_string());
        }
    } else if let Some(mapping) = node.as_mapping() {
        for entry in &mapping.entries {
            substituted(&entry.value, &at.then(references::step(entry.key.as_str().unwrap_or_default())), out);
        }
    } else if let Some(sequence) = node.as_sequence() {
        for (index, item) in sequence.items.iter().enumerate() {
            substituted(&item.node, &at.then(crate::render::Step::Index(index)), out);
        }
    }
}
