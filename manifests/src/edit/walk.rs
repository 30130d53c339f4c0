//! The walk down a document and the wanted value side by side, which collects changes.

use super::change::Change;
use super::emit::Habits;
use super::path::Path;
use super::refused::{Reason, Refused};
use crate::yaml::{Content, Document, File, Node, Position, Reader, Style};
use serde_json::Value;

/// Where a node stands, as far as replacing it goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    /// The whole document.
    Root,
    /// Behind the colon of a key at a column.
    Value { colon: usize, column: usize },
    /// Behind a dash at a column.
    Item { dash: usize, column: usize },
    /// In a flow collection; behind a colon, if there is one.
    Flow { colon: Option<usize> },
}

impl Slot {
    /// The column of the key or dash that owns the node.
    pub(super) fn column(self) -> usize {
        match self {
            Self::Value { column, .. } | Self::Item { column, .. } => column,
            Self::Root | Self::Flow { .. } => 0,
        }
    }

    pub(super) fn is_flow(self) -> bool {
        matches!(self, Self::Flow { .. })
    }
}

/// Collects the changes that make one document say what is wanted.
pub(super) struct Walk<'f, 'a> {
    pub file: &'f File<'a>,
    pub document: &'f Document<'a>,
    pub reader: Reader,
    pub habits: Habits<'a>,
    pub changes: Vec<Change>,
    pub refused: Vec<Refused>,
}

impl<'f, 'a> Walk<'f, 'a> {
    pub(super) fn text(&self) -> &'a str {
        self.file.text
    }

    pub(super) fn change(&mut self, range: std::ops::Range<usize>, text: impl Into<String>) {
        self.changes.push(Change::new(range, text));
    }

    /// Makes `node` say `wanted`; returns what it then says: `current` where that is refused.
    pub(super) fn node(
        &mut self,
        path: Path<'_>,
        slot: Slot,
        node: &'f Node<'a>,
        current: &Value,
        wanted: &Value,
    ) -> Value {
        if same(current, wanted) {
            return current.clone();
        }
        if let Some(reason) = shared(node) {
            return self.refuse(path, node, reason, current);
        }
        match (&node.content, current, wanted) {
            (Content::Mapping(mapping), Value::Object(current), Value::Object(wanted))
                if !wanted.is_empty() && !mapping.entries.is_empty() =>
            {
                if mapping.flow {
                    self.flow_mapping(path, node, mapping, current, wanted)
                } else {
                    self.block_mapping(path, slot, node, mapping, current, wanted)
                }
            }
            (Content::Sequence(sequence), Value::Array(current), Value::Array(wanted))
                if !wanted.is_empty() && !sequence.items.is_empty() =>
            {
                if sequence.flow {
                    self.flow_sequence(path, node, sequence, current, wanted)
                } else {
                    self.block_sequence(path, slot, node, sequence, current, wanted)
                }
            }
            (Content::Scalar(scalar), _, wanted) if !is_collection(wanted) => {
                if has_substitution(&scalar.text) {
                    return self.refuse(path, node, Reason::SubstitutedValue, current);
                }
                self.scalar(path, slot, node, scalar, current, wanted)
            }
            _ => self.replace(path, slot, node, current, wanted),
        }
    }

    /// Notes why `node` is not edited; returns what it says.
    pub(super) fn refuse(&mut self, path: Path<'_>, node: &Node<'_>, reason: Reason, current: &Value) -> Value {
        self.refused.push(Refused { path: path.to_string(), position: Some(self.position(node)), reason });
        current.clone()
    }

    fn position(&self, node: &Node<'_>) -> Position {
        self.file.position(node.full_start())
    }

    /// Whether a comment stands in this range.
    pub(super) fn has_comment(&self, range: &std::ops::Range<usize>) -> bool {
        self.document.comments.iter().any(|comment| range.contains(&(comment.start as usize)))
    }
}

/// Why a node cannot be edited without touching what stands elsewhere.
pub(super) fn shared(node: &Node<'_>) -> Option<Reason> {
    if node.anchor().is_some() {
        return Some(Reason::Anchor);
    }
    if node.tag().is_some() {
        return Some(Reason::Tag);
    }
    match &node.content {
        Content::Alias(_) => Some(Reason::Alias),
        Content::Mapping(mapping) if mapping.entries.iter().any(|entry| entry.key.is_merge()) => Some(Reason::MergeKey),
        _ => None,
    }
}

/// Why a node cannot be removed or replaced as a whole: something in it is shared, or substituted later.
pub(super) fn holds(node: &Node<'_>) -> Option<Reason> {
    // A tag inside goes with what carries it.
    match shared(node) {
        Some(Reason::Tag) | None => {}
        reason => return reason,
    }
    match &node.content {
        Content::Scalar(scalar) => has_substitution(&scalar.text).then_some(Reason::SubstitutedValue),
        Content::Mapping(mapping) => {
            mapping.entries.iter().find_map(|entry| holds(&entry.key).or_else(|| holds(&entry.value)))
        }
        Content::Sequence(sequence) => sequence.items.iter().find_map(|item| holds(&item.node)),
        Content::Alias(_) => None,
    }
}

/// Whether a later step would substitute something in this text: `${NAME}`, `${NAME:-default}`.
pub(super) fn has_substitution(text: &str) -> bool {
    text.match_indices("${").any(|(at, _)| {
        let rest = &text[at + 2..];
        rest.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') && rest.contains('}')
    })
}

pub(super) fn is_collection(value: &Value) -> bool {
    match value {
        Value::Object(object) => !object.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}

/// Equality of values as the API server has it: whole numbers are equal to their floats, and a null says as little as nothing.
pub(super) fn same(current: &Value, wanted: &Value) -> bool {
    match (current, wanted) {
        (Value::Object(current), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| current.get(key).is_some_and(|current| same(current, wanted)))
                && current.iter().all(|(key, current)| current.is_null() || wanted.contains_key(key))
        }
        (Value::Array(current), Value::Array(wanted)) => {
            current.len() == wanted.len() && current.iter().zip(wanted).all(|(current, wanted)| same(current, wanted))
        }
        // Both are exact as integers; else they are what the API server makes of them, floats.
        (Value::Number(current), Value::Number(wanted))
            if current.is_f64() || wanted.is_f64() || !current.is_i64() || !wanted.is_i64() =>
        {
            current.as_f64() == wanted.as_f64()
        }
        _ => current == wanted,
    }
}

/// Whether a scalar is written as a block below its header.
pub(super) fn is_block(style: Style) -> bool {
    matches!(style, Style::Literal | Style::Folded)
}
