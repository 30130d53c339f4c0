//! What a reader makes of a document: a JSON value.

mod convert;

use super::node::{Content, Document, Node};
use super::resolve::Reader;
use convert::Convert;
use serde_json::Value;
use std::collections::HashMap;

/// How many nodes a document may have when its aliases are expanded, beyond those it has.
const ALIAS_BUDGET: usize = 100_000;

/// A document that a reader would refuse, or read in a way that cannot be relied on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ValueError {
    /// The byte at which it stands.
    pub offset: u32,
    /// What is wrong.
    pub kind: ValueErrorKind,
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueErrorKind {
    /// A key twice in one mapping.
    #[error("the key `{0}` stands twice in one mapping; remove one")]
    DuplicateKey(String),
    /// A key that is no string, or becomes none to this reader.
    #[error("the key `{0}` is not a string; quote it")]
    Key(String),
    /// `.inf`, `.nan`, and times that Go will not write.
    #[error("`{0}` has no form in JSON; quote it, or write another value")]
    NotJson(String),
    /// A tag that readers disagree on.
    #[error("the tag `{0}` is not supported; write the value without it")]
    Tag(String),
    /// A `<<` that merges no mapping.
    #[error("`<<` merges something that is not a mapping")]
    Merge,
    /// An alias that leads into itself, or too deep.
    #[error("aliases are nested too deep, or in a circle")]
    AliasDepth,
    /// Aliases that multiply.
    #[error("aliases expand to more than {ALIAS_BUDGET} values; write them out, or use fewer")]
    AliasBudget,
    /// A block of text that kustomize changes when it writes it again, as it does with all it reads.
    #[error(
        "kustomize changes this value when it reads it (folded lines that begin with a blank, line breaks kept at the end, an anchor on nothing); use a literal block (`|`) or quotes"
    )]
    Rewritten,
}

impl<'a> Document<'a> {
    /// The document as `reader` reads it; null if it is empty.
    ///
    /// # Errors
    /// What the reader would refuse, and what it would read in a way that cannot be relied on.
    pub fn to_value(&self, reader: Reader) -> Result<Value, ValueError> {
        self.node_value(&self.root, reader)
    }

    /// A key of this document as `reader` reads it.
    ///
    /// # Errors
    /// As [`Document::to_value`].
    pub(crate) fn key_text(&self, key: &Node<'a>, reader: Reader) -> Result<String, ValueError> {
        let anchors = if matches!(key.content, Content::Alias(_)) { self.anchors() } else { HashMap::new() };
        self.convert(anchors, reader).key(key)
    }

    fn convert<'n>(&self, anchors: HashMap<usize, &'n Node<'a>>, reader: Reader) -> Convert<'n, 'a> {
        let last_comment = self.comments.last().map_or(0, |comment| comment.start);
        Convert { anchors, reader, depth: 0, aliased: 0, budget: ALIAS_BUDGET, last_comment }
    }

    fn anchors<'n>(&'n self) -> HashMap<usize, &'n Node<'a>> {
        let mut anchors = HashMap::new();
        register(&self.root, &mut anchors);
        anchors
    }

    /// A node of this document as `reader` reads it.
    ///
    /// # Errors
    /// As [`Document::to_value`].
    pub fn node_value(&self, node: &Node<'a>, reader: Reader) -> Result<Value, ValueError> {
        self.convert(self.anchors(), reader).node(node, false)
    }
}

/// Notes which node each anchor's number stands for.
fn register<'n, 'a>(node: &'n Node<'a>, anchors: &mut HashMap<usize, &'n Node<'a>>) {
    if let Some(id) = node.anchor() {
        anchors.insert(id, node);
    }
    match &node.content {
        Content::Mapping(mapping) => mapping.entries.iter().for_each(|entry| {
            register(&entry.key, anchors);
            register(&entry.value, anchors);
        }),
        Content::Sequence(sequence) => sequence.items.iter().for_each(|item| register(&item.node, anchors)),
        Content::Scalar(_) | Content::Alias(_) => {}
    }
}
