use std::sync::Arc;

use serde_json::{Map, Value};

use super::{FieldPath, annotations};
use crate::graph::NodeId;
use crate::yaml::{Document, Reader, ValueError};

/// What kustomize makes of a root: its documents, each with what its context adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The kustomization that no other names.
    pub root: NodeId,
    /// In the order in which kustomize reads them.
    pub documents: Vec<RenderedDocument>,
}

/// What the kustomizations above it make of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedDocument {
    /// The document, as a position in [`crate::folder::Folder::documents`].
    pub index: usize,
    /// What its context supplies.
    pub supplied: Supplied,
    /// Whether it is left out of the output (F18).
    pub is_dropped: bool,
}

/// Values that a document's context sets, whatever the document says there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Supplied {
    /// `metadata.namespace`.
    pub namespace: Option<Arc<str>>,
    /// Other fields, by path (F17).
    pub fields: Vec<(FieldPath, Arc<str>)>,
}

impl Supplied {
    /// Every field that is set, `metadata.namespace` first.
    pub fn all(&self) -> impl Iterator<Item = (FieldPath, &Arc<str>)> {
        let namespace = self.namespace.iter().map(|value| (FieldPath::keys(&["metadata", "namespace"]), value));
        namespace.chain(self.fields.iter().map(|(path, value)| (path.clone(), value)))
    }

    /// Sets the fields in the value of a document.
    pub fn apply(&self, value: &mut Value) {
        for (path, text) in self.all() {
            path.set(value, Value::String(text.to_string()));
        }
    }
}

/// A document as it leaves kustomize.
///
/// # Errors
/// [`ValueError`] where kustomize would refuse a value; such documents make the folder invalid.
pub fn render(document: &Document<'_>, supplied: &Supplied) -> Result<Value, ValueError> {
    let mut value = document.to_value(Reader::Kustomize)?;
    normalize_annotations(document, &mut value);
    supplied.apply(&mut value);
    Ok(value)
}

/// Makes annotations what kustomize makes of them: its own dropped, the texts of all others as written, no empty map.
fn normalize_annotations(document: &Document<'_>, value: &mut Value) {
    let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    let Some(found) = metadata.remove("annotations") else { return };
    let written = document.root.at(&["metadata", "annotations"]);
    let texts: Map<String, Value> = found
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| !annotations::is_dropped(key))
        .map(|(key, value)| (key.clone(), Value::String(text(value, written.and_then(|map| map.get(key)?.as_str())))))
        .collect();
    if !texts.is_empty() {
        metadata.insert("annotations".to_owned(), Value::Object(texts));
    }
}

/// The text of an annotation: as written where it is written here, else (behind an alias) what its value is.
fn text(value: &Value, written: Option<&str>) -> String {
    match (written, value) {
        (Some(text), _) => text.to_owned(),
        (None, Value::String(text)) => text.clone(),
        (None, value) => value.to_string(),
    }
}
