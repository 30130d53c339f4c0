//! What a document must say so that its render is the live object (F31): what the context supplies is not written.

use serde_json::{Map, Value};

use super::Refusal;
use crate::render::{FieldPath, Step, Supplied, annotations};

/// What is known of the document.
pub(super) struct Own<'o> {
    /// `path#document`.
    pub title: String,
    /// What it says, as its reader reads it.
    pub value: &'o Value,
    /// What it renders to.
    pub render: &'o Value,
    /// The text of each annotation as written.
    pub annotations: &'o Map<String, Value>,
    /// What its context supplies.
    pub supplied: &'o Supplied,
    /// Who supplies it, for messages.
    pub supplied_by: String,
}

/// The live object, cleaned, in the words of the document.
pub(super) fn wanted(live: &Value, own: &Own<'_>) -> Result<Value, Refusal> {
    let mut wanted = live.clone();
    for (path, text) in own.supplied.all() {
        supplied(&mut wanted, live, own, &path, text)?;
    }
    empty_namespace(&mut wanted, own.value);
    keep_annotations(&mut wanted, own);
    for map in ["annotations", "labels"] {
        keep_empty(&mut wanted, own.value, &FieldPath::keys(&["metadata", map]));
    }
    Ok(wanted)
}

/// A field that the context sets: it stays as the document has it, and must be live what the context says.
fn supplied(wanted: &mut Value, live: &Value, own: &Own<'_>, path: &FieldPath, text: &str) -> Result<(), Refusal> {
    let Some(there) = translate(path, own.value, live) else { return Ok(()) };
    if there.find(live).and_then(Value::as_str) != Some(text) {
        return Err(Refusal::Overridden {
            document: own.title.clone(),
            field: there.to_string(),
            by: own.supplied_by.clone(),
        });
    }
    match path.find(own.value) {
        Some(written) => {
            there.set(wanted, written.clone());
        }
        None => {
            there.remove(wanted);
        }
    }
    Ok(())
}

/// The same field in the live object: list items are told by their name and kind, which survive a reordering. `None`
/// where the item is gone.
fn translate(path: &FieldPath, own: &Value, live: &Value) -> Option<FieldPath> {
    let (mut there, mut own, mut live) = (FieldPath::default(), Some(own), live);
    let (last, above) = path.steps().split_last()?;
    for step in above {
        let step = match step {
            Step::Key(key) => {
                (own, live) = (own.and_then(|own| own.get(&**key)), live.get(&**key)?);
                step.clone()
            }
            Step::Index(index) => {
                let item = own.and_then(|own| own.get(index));
                let position = position(item, *index, live.as_array()?)?;
                (own, live) = (item, live.get(position)?);
                Step::Index(position)
            }
        };
        there = there.then(step);
    }
    Some(there.then(last.clone()))
}

fn position(item: Option<&Value>, index: usize, live: &[Value]) -> Option<usize> {
    let item = item?;
    let is_it = |other: &Value| ["name", "kind"].iter().all(|key| item.get(key) == other.get(key));
    if live.get(index).is_some_and(is_it) {
        return Some(index);
    }
    live.iter().position(is_it)
}

/// A namespace that is written and says nothing keeps its bytes (F05), and so does one on a cluster-scoped object (F08).
fn empty_namespace(wanted: &mut Value, own: &Value) {
    let path = FieldPath::keys(&["metadata", "namespace"]);
    if let Some(written) = path.find(own)
        && path.find(wanted).is_none()
    {
        path.set(wanted, written.clone());
    }
}

/// Annotations that kustomize drops stay, and those that it only makes strings of keep their text (F18).
fn keep_annotations(wanted: &mut Value, own: &Own<'_>) {
    let path = FieldPath::keys(&["metadata", "annotations"]);
    let Some(written) = path.find(own.value).and_then(Value::as_object) else { return };
    for (key, value) in written {
        let entry = path.then(Step::Key(key.clone().into()));
        let is_dropped = annotations::is_dropped(key)
            && entry.find(wanted).is_none()
            && path.find(own.render).is_none_or(|map| map.get(key).is_none());
        let is_text = own.annotations.get(key).is_some_and(|text| entry.find(wanted) == Some(text));
        if is_text {
            entry.set(wanted, value.clone());
        } else if is_dropped {
            if path.find(wanted).is_none() {
                path.set(wanted, Value::Object(Map::new()));
            }
            entry.set(wanted, value.clone());
        }
    }
}

/// An empty mapping that means nothing stays.
fn keep_empty(wanted: &mut Value, own: &Value, path: &FieldPath) {
    if let Some(Value::Object(map)) = path.find(own)
        && map.is_empty()
        && path.find(wanted).is_none()
    {
        path.set(wanted, Value::Object(Map::new()));
    }
}
