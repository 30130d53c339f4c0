//! The tree of a document, each node with the bytes it was read from.

use super::Position;
use std::borrow::Cow;
use std::ops::Range;

/// A range of bytes in a file. Four bytes each, since [`super::MAX_BYTES`] bounds a file and trees have many of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        // invariant: `parse` refuses files of more than MAX_BYTES, which fits.
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    /// As a range for slicing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One file, read.
#[derive(Debug)]
pub struct File<'a> {
    /// The whole text, its byte order mark included.
    pub text: &'a str,
    /// Whether it begins with a byte order mark.
    pub bom: bool,
    /// Its documents in file order; none in a file without content.
    pub documents: Vec<Document<'a>>,
}

impl<'a> File<'a> {
    /// The text of `span`.
    pub fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    /// Line and column of a byte, for messages.
    pub fn position(&self, offset: u32) -> Position {
        Position::of(self.text, offset as usize)
    }
}

/// One document of a file.
#[derive(Debug)]
pub struct Document<'a> {
    /// From 1, in file order; empty ones count (F06).
    pub number: usize,
    /// From its `---` (or its directives, or the file's start) to the next document's, or the file's end.
    pub range: Span,
    /// Whether it begins with `---`.
    pub explicit: bool,
    /// Its content; an empty scalar if there is none.
    pub root: Node<'a>,
    /// Its comments in file order, from `#` to the end of the line.
    pub comments: Vec<Span>,
    /// Where a directive (`%YAML`, `%TAG`) stands.
    pub directive: Option<u32>,
    /// The first offset whose layout the span finder does not know; such a document can be read, not edited (F32).
    pub unknown_layout: Option<u32>,
}

impl Document<'_> {
    /// Whether it holds nothing: no content, comments only, or null. It counts, and owns nothing.
    pub fn is_empty(&self) -> bool {
        match &self.root.content {
            Content::Scalar(scalar) => match scalar.style {
                Style::Empty => true,
                Style::Plain => matches!(&*scalar.text, "~" | "null" | "Null" | "NULL"),
                _ => false,
            },
            _ => false,
        }
    }
}

/// A value, a key or an item, and where it stands.
#[derive(Debug)]
pub struct Node<'a> {
    /// Its own bytes, without anchor and tag. Block scalars: from `|` or `>` to the last line of text; block collections: from the first
    /// key or dash to the end of the last value; empty values: an empty span behind the `:` or `-`.
    pub span: Span,
    /// What it is.
    pub content: Content<'a>,
    /// Its anchor and tag, if it has any.
    pub properties: Option<Box<Properties<'a>>>,
}

/// The anchor and tag of a node.
#[derive(Debug, Default)]
pub struct Properties<'a> {
    /// The anchor's number, name, and span with its `&`.
    pub anchor: Option<(usize, Cow<'a, str>, Span)>,
    /// The tag resolved (`tag:yaml.org,2002:str`), and its span as written.
    pub tag: Option<(String, Span)>,
}

/// What a node is.
#[derive(Debug)]
pub enum Content<'a> {
    /// Text in one of five styles, or nothing.
    Scalar(Scalar<'a>),
    /// Keys and values.
    Mapping(Mapping<'a>),
    /// Items.
    Sequence(Sequence<'a>),
    /// `*name`, with the number of its anchor.
    Alias(usize),
}

/// A scalar as written, not yet resolved to a type.
#[derive(Debug)]
pub struct Scalar<'a> {
    /// How it is written.
    pub style: Style,
    /// Its text, escapes and folding undone.
    pub text: Cow<'a, str>,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Not at all: the value of `key:`.
    Empty,
    /// Without quotes.
    Plain,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// A mapping with its entries in file order, duplicates included.
#[derive(Debug)]
pub struct Mapping<'a> {
    /// Written as `{…}`.
    pub flow: bool,
    /// Keys and values.
    pub entries: Vec<Entry<'a>>,
}

/// A key with its value.
#[derive(Debug)]
pub struct Entry<'a> {
    /// The key.
    pub key: Node<'a>,
    /// Where its `:` stands; none for `{key}` and `? key`.
    pub colon: Option<u32>,
    /// The value.
    pub value: Node<'a>,
    /// Written as `? key`.
    pub explicit: bool,
}

/// A sequence with its items in file order.
#[derive(Debug)]
pub struct Sequence<'a> {
    /// Written as `[…]`.
    pub flow: bool,
    /// The items.
    pub items: Vec<Item<'a>>,
}

/// One item.
#[derive(Debug)]
pub struct Item<'a> {
    /// Where its `-` stands; in a flow sequence, where the item begins.
    pub dash: u32,
    /// The item.
    pub node: Node<'a>,
}

impl<'a> Node<'a> {
    /// The value of `key`, if this is a mapping that has it; the last one, if it has several.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.as_mapping()?.entries.iter().rev().find(|entry| entry.key.as_str() == Some(key)).map(|entry| &entry.value)
    }

    /// The value at a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Node<'a>> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The text of a scalar as written, whatever type it resolves to.
    pub fn as_str(&self) -> Option<&str> {
        self.as_scalar().map(|scalar| &*scalar.text)
    }

    /// The scalar, if this is one.
    pub fn as_scalar(&self) -> Option<&Scalar<'a>> {
        if let Content::Scalar(scalar) = &self.content { Some(scalar) } else { None }
    }

    /// The mapping, if this is one.
    pub fn as_mapping(&self) -> Option<&Mapping<'a>> {
        if let Content::Mapping(mapping) = &self.content { Some(mapping) } else { None }
    }

    /// The sequence, if this is one.
    pub fn as_sequence(&self) -> Option<&Sequence<'a>> {
        if let Content::Sequence(sequence) = &self.content { Some(sequence) } else { None }
    }

    /// The anchor's number, if it has one.
    pub fn anchor(&self) -> Option<usize> {
        self.properties.as_ref()?.anchor.as_ref().map(|(id, ..)| *id)
    }

    /// The tag, resolved, if it has one.
    pub fn tag(&self) -> Option<&str> {
        self.properties.as_ref()?.tag.as_ref().map(|(tag, _)| tag.as_str())
    }

    /// Where the node begins, its anchor and tag included.
    pub fn full_start(&self) -> u32 {
        let Some(properties) = &self.properties else { return self.span.start };
        let anchor = properties.anchor.as_ref().map_or(u32::MAX, |(.., span)| span.start);
        let tag = properties.tag.as_ref().map_or(u32::MAX, |(_, span)| span.start);
        self.span.start.min(anchor).min(tag)
    }
}
