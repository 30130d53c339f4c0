//! One pass over a document's tree, for one reader.

use super::{ValueError, ValueErrorKind};
use crate::yaml::MAX_DEPTH;
use crate::yaml::node::{Content, Entry, Node, Scalar, Style};
use crate::yaml::resolve::{Reader, Resolved, plain};
use serde_json::{Map, Number, Value};
use std::collections::HashMap;

/// What the pass knows of the document around the node at hand.
pub(super) struct Convert<'n, 'a> {
    pub(super) anchors: HashMap<usize, &'n Node<'a>>,
    pub(super) reader: Reader,
    pub(super) depth: usize,
    /// How many aliases are being expanded around the node at hand.
    pub(super) aliased: usize,
    pub(super) budget: usize,
    /// Where the document's last comment stands; 0 if it has none.
    pub(super) last_comment: u32,
}

impl<'n, 'a> Convert<'n, 'a> {
    pub(super) fn node(&mut self, node: &'n Node<'a>, in_flow_mapping: bool) -> Result<Value, ValueError> {
        if self.aliased > 0 {
            self.budget = self.budget.checked_sub(1).ok_or_else(|| error(node, ValueErrorKind::AliasBudget))?;
        }
        if self.depth > 2 * MAX_DEPTH {
            return Err(error(node, ValueErrorKind::AliasDepth));
        }
        self.depth += 1;
        let value = match &node.content {
            Content::Scalar(scalar) => self.scalar(node, scalar, in_flow_mapping),
            Content::Alias(id) => self.alias(node, *id),
            Content::Sequence(sequence) => {
                collection_tag(node, "seq")?;
                sequence
                    .items
                    .iter()
                    .map(|item| self.node(&item.node, false))
                    .collect::<Result<_, _>>()
                    .map(Value::Array)
            }
            Content::Mapping(mapping) => {
                collection_tag(node, "map")?;
                self.mapping(&mapping.entries, mapping.flow).map(Value::Object)
            }
        };
        self.depth -= 1;
        value
    }

    fn alias(&mut self, node: &'n Node<'a>, id: usize) -> Result<Value, ValueError> {
        let target = self.target(node, id)?;
        self.aliased += 1;
        let value = self.node(target, false);
        self.aliased -= 1;
        value
    }

    fn target(&self, node: &Node<'a>, id: usize) -> Result<&'n Node<'a>, ValueError> {
        self.anchors.get(&id).copied().ok_or_else(|| error(node, ValueErrorKind::AliasDepth))
    }

    fn mapping(&mut self, entries: &'n [Entry<'a>], flow: bool) -> Result<Map<String, Value>, ValueError> {
        let mut object = Map::new();
        let mut merged = Map::new();
        let mut has_merge = false;
        for entry in entries {
            let plain = entry.key.as_scalar().is_some_and(|scalar| scalar.style == Style::Plain);
            // kustomize merges the quoted key too, and loses it; to Kubernetes that is a key like any other.
            if entry.key.is_merge() && (plain || self.reader == Reader::Kustomize) {
                if !plain || has_merge {
                    return Err(error(&entry.key, ValueErrorKind::Merge));
                }
                has_merge = true;
                let values = self.merge(&entry.value)?;
                if self.reader == Reader::Kubernetes {
                    // go-yaml 2 merges where the key stands: it overrides what came before.
                    object.retain(|key, _| !values.contains_key(key));
                }
                merged = values;
                continue;
            }
            let key = self.key(&entry.key)?;
            let value = self.node(&entry.value, flow)?;
            if object.insert(key.clone(), value).is_some() {
                return Err(error(&entry.key, ValueErrorKind::DuplicateKey(key)));
            }
        }
        for (key, value) in merged {
            object.entry(key).or_insert(value);
        }
        Ok(object)
    }

    /// The entries that `<<` brings in: of one mapping, or of several, the first winning.
    fn merge(&mut self, node: &'n Node<'a>) -> Result<Map<String, Value>, ValueError> {
        match self.node(node, false)? {
            Value::Object(object) => Ok(object),
            Value::Array(objects) => objects.into_iter().try_fold(Map::new(), |mut merged, object| {
                let Value::Object(object) = object else { return Err(error(node, ValueErrorKind::Merge)) };
                for (key, value) in object {
                    merged.entry(key).or_insert(value);
                }
                Ok(merged)
            }),
            _ => Err(error(node, ValueErrorKind::Merge)),
        }
    }

    pub(super) fn key(&mut self, node: &'n Node<'a>) -> Result<String, ValueError> {
        let node = if let Content::Alias(id) = &node.content { self.target(node, *id)? } else { node };
        let text = node.as_str().unwrap_or_default();
        let refused = || error(node, ValueErrorKind::Key(text.to_owned()));
        let scalar = node.as_scalar().ok_or_else(refused)?;
        let value = self.scalar(node, scalar, false)?;
        match (value, self.reader) {
            // A date is a string to Kubernetes, and no key to kustomize.
            (Value::String(_), Reader::Kustomize)
                if scalar.style == Style::Plain && plain(text, self.reader) != Resolved::Text =>
            {
                Err(refused())
            }
            (Value::String(key), _) => Ok(key),
            (Value::Bool(key), Reader::Kubernetes) => Ok(key.to_string()),
            (Value::Number(key), Reader::Kubernetes)
                if key.is_i64() && !matches!(plain(text, self.reader), Resolved::Float(_)) =>
            {
                Ok(key.to_string())
            }
            _ => Err(refused()),
        }
    }

    /// What kustomize reads is what go-yaml 3 reads of what it wrote itself, and it does not write every block as it was.
    fn is_rewritten(&self, node: &Node<'_>, scalar: &Scalar<'_>) -> bool {
        let keeps_breaks = scalar.text.ends_with("\n\n");
        match scalar.style {
            Style::Folded => keeps_breaks || scalar.text.contains("\n "),
            Style::Literal => keeps_breaks && self.last_comment > node.span.end,
            // `&a` with nothing behind it comes back as an empty string in a flow collection.
            Style::Empty => node.anchor().is_some(),
            _ => false,
        }
    }

    fn scalar(&self, node: &Node<'a>, scalar: &Scalar<'a>, in_flow_mapping: bool) -> Result<Value, ValueError> {
        let text = &*scalar.text;
        if self.reader == Reader::Kustomize && self.is_rewritten(node, scalar) {
            return Err(error(node, ValueErrorKind::Rewritten));
        }
        let is_plain = matches!(scalar.style, Style::Plain | Style::Empty);
        match node.tag() {
            Some("tag:yaml.org,2002:str") => return Ok(Value::String(text.to_owned())),
            // Whatever else a tag says must be what the plain text says anyway.
            Some(tag) if !is_plain || !tag_agrees(tag, &plain(text, self.reader)) => {
                return Err(error(node, ValueErrorKind::Tag(tag.to_owned())));
            }
            _ => {}
        }
        if !is_plain {
            return Ok(Value::String(text.to_owned()));
        }
        if scalar.style == Style::Empty && in_flow_mapping && self.reader == Reader::Kustomize {
            // kustomize writes `{a: }` again as `{a: ""}`.
            return Ok(Value::String(String::new()));
        }
        Ok(match plain(text, self.reader) {
            Resolved::Null => Value::Null,
            Resolved::Bool(value) => Value::Bool(value),
            Resolved::Int(value) => Value::from(value),
            Resolved::Uint(value) => json_number(as_f64(value)),
            Resolved::Float(value) => json_number(value),
            Resolved::NotJson => return Err(error(node, ValueErrorKind::NotJson(text.to_owned()))),
            Resolved::Timestamp(time) => Value::String(time),
            Resolved::Text => Value::String(text.to_owned()),
        })
    }
}

fn collection_tag(node: &Node<'_>, own: &str) -> Result<(), ValueError> {
    match node.tag() {
        Some(tag) if tag.strip_prefix("tag:yaml.org,2002:") != Some(own) => {
            Err(error(node, ValueErrorKind::Tag(tag.to_owned())))
        }
        _ => Ok(()),
    }
}

fn tag_agrees(tag: &str, value: &Resolved) -> bool {
    match tag.strip_prefix("tag:yaml.org,2002:") {
        Some("int") => matches!(value, Resolved::Int(_) | Resolved::Uint(_)),
        Some("float") => matches!(value, Resolved::Float(_)),
        Some("bool") => matches!(value, Resolved::Bool(_)),
        Some("null") => matches!(value, Resolved::Null),
        _ => false,
    }
}

fn error(node: &Node<'_>, kind: ValueErrorKind) -> ValueError {
    ValueError { offset: node.full_start(), kind }
}

#[allow(clippy::cast_precision_loss)] // As the API server, which keeps what fits an int64 and makes the rest floats.
fn as_f64(value: u64) -> f64 {
    value as f64
}

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// A float as it arrives at the API server: Go prints whole numbers without a point, and those that fit become integers.
fn json_number(float: f64) -> Value {
    #[allow(clippy::cast_possible_truncation)] // Guarded by the comparison.
    if float.fract() == 0.0 && (-TWO_TO_63..TWO_TO_63).contains(&float) {
        return Value::from(float as i64);
    }
    Number::from_f64(float).map_or(Value::Null, Value::Number)
}
