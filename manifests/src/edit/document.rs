//! A document edited, made, or removed.

use super::change::{Change, apply, ordered};
use super::emit::{self, Habits};
use super::path::Path;
use super::refused::{Reason, Refused};
use super::verify::{self, whole};
use super::walk::{Slot, Walk};
use crate::yaml::{Content, Document, File, Node, Reader, Style};
use serde_json::Value;

/// What an edit came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    /// The byte ranges that change, in file order; none if the document says what is wanted.
    pub changes: Vec<Change>,
    /// The file's text with the changes made.
    pub text: String,
    /// What was not changed, and why; those fields keep their bytes.
    pub refused: Vec<Refused>,
    /// What the document then says: what was wanted, apart from the refused fields. Nulls that it had stay.
    pub value: Value,
}

/// Makes document `number` of `file` say `wanted`, as `reader` reads it, and changes as few bytes as that takes.
///
/// # Errors
/// Where nothing of the document can be edited: it is encrypted, cannot be read, has an unknown layout, or the result failed the last check.
pub fn edit(file: &File<'_>, number: usize, wanted: &Value, reader: Reader) -> Result<Edited, Refused> {
    let document = document(file, number)?;
    if is_encrypted(&document.root) {
        return Err(whole(Reason::Encrypted));
    }
    let current = document.to_value(reader).map_err(|error| Refused {
        path: String::new(),
        position: Some(file.position(error.offset)),
        reason: Reason::Unreadable(error.kind),
    })?;
    if let Some(offset) = document.unknown_layout
        && !super::walk::same(&current, wanted)
    {
        return Err(Refused { path: String::new(), position: Some(file.position(offset)), reason: Reason::Layout });
    }
    if reader == Reader::Kustomize && has_merge_key(wanted) {
        return Err(whole(Reason::MergeKeyName));
    }
    // A block of text can be changed by what follows it; in quotes it cannot. Where old blocks are in the way, less is done.
    let as_written = habits(file, document);
    let quoted = Habits { blocks: false, ..as_written };
    let careful = Habits { careful: true, ..quoted };
    let attempt = |habits| attempt(file, document, reader, &current, wanted, habits);
    attempt(as_written).or_else(|_| attempt(quoted)).or_else(|_| attempt(careful))
}

fn attempt<'a>(
    file: &File<'a>,
    document: &Document<'a>,
    reader: Reader,
    current: &Value,
    wanted: &Value,
    habits: Habits<'a>,
) -> Result<Edited, Refused> {
    let mut walk = Walk { file, document, reader, habits, changes: Vec::new(), refused: Vec::new() };
    let value = walk.node(Path::Root, Slot::Root, &document.root, current, wanted);
    let changes = ordered(file.text, walk.changes);
    let text = apply(file.text, 0..file.text.len(), &changes).ok_or_else(|| whole(Reason::Mismatch))?;
    if !changes.is_empty() {
        verify::edited(file, document.number, &text, reader, &value)?;
    }
    Ok(Edited { changes, text, refused: walk.refused, value })
}

fn has_merge_key(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.iter().any(|(key, value)| key == "<<" || has_merge_key(value)),
        Value::Array(items) => items.iter().any(has_merge_key),
        _ => false,
    }
}

/// Sets `metadata.namespace`, where it stands or behind the name, and changes nothing else.
///
/// # Errors
/// As [`edit`]; also where the field itself is refused.
pub fn set_namespace(file: &File<'_>, number: usize, namespace: &str, reader: Reader) -> Result<Edited, Refused> {
    let document = document(file, number)?;
    let mut wanted = document.to_value(reader).map_err(|error| whole(Reason::Unreadable(error.kind)))?;
    match wanted.get_mut("metadata") {
        Some(Value::Object(metadata)) => metadata.insert("namespace".to_owned(), Value::from(namespace)),
        _ => return Err(whole(Reason::Layout)),
    };
    let edited = edit(file, number, &wanted, reader)?;
    match edited.refused.first() {
        Some(refused) => Err(refused.clone()),
        None => Ok(edited),
    }
}

/// The file's text without document `number`; none if no other document holds anything, so that the file goes.
///
/// # Errors
/// Where the file has no such document, or what is left would not read as the other documents.
pub fn remove_document(file: &File<'_>, number: usize) -> Result<Option<String>, Refused> {
    let removed = document(file, number)?;
    if file.documents.iter().all(|document| document.number == number || document.is_empty()) {
        return Ok(None);
    }
    let range = removed.range.range();
    let rest = format!("{}{}", &file.text[..range.start], &file.text[range.end..]);
    verify::removed(file, number, &rest)?;
    Ok(Some(rest))
}

/// A new document as the whole text of a new file: apiVersion, kind and metadata first, its name and namespace before the rest.
pub fn new_file(value: &Value) -> String {
    let habits = Habits::default();
    let Value::Object(object) = value else { return format!("{}\n", emit::flow(value, Style::Plain)) };
    let rank = |key: &str| ["apiVersion", "kind", "metadata"].iter().position(|first| *first == key).unwrap_or(3);
    let mut keys: Vec<&String> = object.keys().collect();
    keys.sort_by_key(|key| rank(key));
    keys.into_iter().fold(String::new(), |mut text, key| {
        let value = &object[key];
        match (key.as_str(), value) {
            ("metadata", Value::Object(metadata)) if !metadata.is_empty() => {
                text.push_str("metadata:\n");
                let rank = |key: &str| ["name", "namespace"].iter().position(|first| *first == key).unwrap_or(2);
                let mut keys: Vec<&String> = metadata.keys().collect();
                keys.sort_by_key(|key| rank(key));
                for key in keys {
                    text.push_str(&emit::entry(key, &metadata[key], Style::Plain, habits.step, habits));
                    text.push('\n');
                }
            }
            _ => {
                text.push_str(&emit::entry(key, value, Style::Plain, 0, habits));
                text.push('\n');
            }
        }
        text
    })
}

pub(super) fn document<'f, 'a>(file: &'f File<'a>, number: usize) -> Result<&'f Document<'a>, Refused> {
    number.checked_sub(1).and_then(|index| file.documents.get(index)).ok_or_else(|| whole(Reason::NoDocument(number)))
}

/// Whether `sops` encrypted the document: it leaves a mapping of that name with a message authentication code, or its own version.
pub(crate) fn is_encrypted(root: &Node<'_>) -> bool {
    root.get("sops").is_some_and(|sops| sops.get("mac").is_some() || sops.get("version").is_some())
}

/// How the document is written: its first line break, its first nested mapping, its first list below a key.
pub(super) fn habits<'a>(file: &File<'a>, document: &Document<'a>) -> Habits<'a> {
    let text = file.slice(document.range);
    let own = text.split_once('\n').map(|(line, _)| line).or_else(|| file.text.split_once('\n').map(|(line, _)| line));
    let mut habits =
        Habits { eol: if own.is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" }, ..Habits::default() };
    let (mut step, mut dash) = (None, None);
    indentation(file.text, &document.root, &mut step, &mut dash);
    habits.step = step.unwrap_or(habits.step);
    habits.dash = dash.unwrap_or(habits.dash);
    habits
}

fn indentation(text: &str, node: &Node<'_>, step: &mut Option<usize>, dash: &mut Option<usize>) {
    let column = |offset: u32| super::extent::column(text, offset as usize);
    match &node.content {
        Content::Mapping(mapping) if !mapping.flow => {
            for entry in &mapping.entries {
                let from = column(entry.key.full_start());
                match &entry.value.content {
                    Content::Mapping(inner) if !inner.flow && step.is_none() => {
                        *step = column(entry.value.span.start).checked_sub(from);
                    }
                    Content::Sequence(inner) if !inner.flow && dash.is_none() => {
                        *dash = column(entry.value.span.start).checked_sub(from);
                    }
                    _ => {}
                }
                if step.is_some() && dash.is_some() {
                    return;
                }
                indentation(text, &entry.value, step, dash);
            }
        }
        Content::Sequence(sequence) if !sequence.flow => {
            for item in &sequence.items {
                indentation(text, &item.node, step, dash);
            }
        }
        _ => {}
    }
}
