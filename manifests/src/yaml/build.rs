//! From the parser's events to documents.
//!
//! The tree is built with a stack of our own and is bounded in depth, so neither building nor walking nor dropping it can overflow.

use super::characters::{self, at};
use super::node::{Content, Document, Entry, File, Item, Mapping, Node, Properties, Scalar, Sequence, Span, Style};
use super::portable::{self, Place};
use super::{Error, ErrorKind, MAX_DEPTH, MAX_DOCUMENTS, MAX_NODES, Position, locate, tabs};
use granit_parser::{Event, Options, Parser, ScalarStyle, StructureStyle, Tag};
use std::borrow::Cow;
use std::ops::Range;

/// Reads the documents of a file.
///
/// # Errors
/// The first thing that is wrong with the file, with its place. Work and memory are bounded by the file's size.
pub fn parse(bytes: &[u8]) -> Result<File<'_>, Error> {
    let text = characters::text(bytes)?;
    let bom = text.starts_with('\u{feff}');
    let mut builder = Builder {
        text,
        documents: Vec::new(),
        comments: Vec::new(),
        ends: Vec::new(),
        stack: Vec::new(),
        root: None,
        nodes: 0,
    };
    let mut events = Parser::new_from_str_with_options(text, options());
    while let Some(event) = events.next_event() {
        match event {
            Ok((event, span)) => builder.event(event, &span)?,
            Err(error) => return Err(builder.syntax(&error)),
        }
    }
    builder.finish(bom)
}

fn options() -> Options {
    granit_parser::options! {
        emit_anchor_events: true,
        // As libyaml and Go have it: no line break is made up at the end of a file.
        block_scalar_eof_without_line_feed: true,
        // A file's comments are bounded by its size.
        max_buffered_comment_events: usize::MAX,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    }
}

/// A collection whose end has not come yet.
enum Open<'a> {
    Mapping { node: Node<'a>, flow: bool, entries: Vec<Entry<'a>>, key: Option<Node<'a>> },
    Sequence { node: Node<'a>, flow: bool, items: Vec<Item<'a>> },
}

struct Builder<'a> {
    text: &'a str,
    documents: Vec<Document<'a>>,
    comments: Vec<Span>,
    /// Where each document's `...` ends, if it has one.
    ends: Vec<Option<usize>>,
    stack: Vec<Open<'a>>,
    root: Option<Node<'a>>,
    nodes: usize,
}

impl<'a> Builder<'a> {
    fn event(&mut self, event: Event<'a>, span: &granit_parser::Span) -> Result<(), Error> {
        let range = span.byte_range().unwrap_or_default();
        let bytes = Span::new(range.start, range.end);
        match event {
            Event::DocumentStart(explicit, _) => return self.start_document(explicit, range.start),
            Event::DocumentEnd => self.end_document(&range),
            Event::Comment(..) => self.comments.push(bytes),
            Event::Anchor(id, name) => return self.anchor(id, name, bytes),
            Event::Alias(id) => return self.leaf(node(bytes, Content::Alias(id), None, span)),
            Event::Scalar(text, style, _, tag) => {
                let style = match style {
                    ScalarStyle::SingleQuoted => Style::Single,
                    ScalarStyle::DoubleQuoted => Style::Double,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                    ScalarStyle::Plain if range.is_empty() => Style::Empty,
                    ScalarStyle::Plain => Style::Plain,
                };
                self.scalar_is_portable(style, &text, &range)?;
                let text = if style == Style::Empty { Cow::Borrowed("") } else { text };
                return self.leaf(node(bytes, Content::Scalar(Scalar { style, text }), tag, span));
            }
            Event::MappingStart(style, _, tag) => {
                let flow = style == StructureStyle::Flow;
                let content = Content::Mapping(Mapping { flow, entries: Vec::new() });
                let node = node(bytes, content, tag, span);
                return self.open(Open::Mapping { node, flow, entries: Vec::new(), key: None });
            }
            Event::SequenceStart(style, _, tag) => {
                let flow = style == StructureStyle::Flow;
                let content = Content::Sequence(Sequence { flow, items: Vec::new() });
                return self.open(Open::Sequence { node: node(bytes, content, tag, span), flow, items: Vec::new() });
            }
            Event::MappingEnd | Event::SequenceEnd => self.close(bytes.end),
            // The stream itself, and what the options above never ask for.
            _ => {}
        }
        Ok(())
    }

    fn start_document(&mut self, explicit: bool, start: usize) -> Result<(), Error> {
        let number = self.documents.len() + 1;
        if number > MAX_DOCUMENTS {
            return Err(self.error(start, ErrorKind::TooManyDocuments));
        }
        if number > 1 && !explicit {
            return Err(at(self.text, start, ErrorKind::ContentAfterEnd));
        }
        self.documents.push(Document {
            number,
            range: Span::new(start, start),
            explicit,
            root: Node {
                span: Span::new(start, start),
                content: Content::Scalar(Scalar { style: Style::Empty, text: "".into() }),
                properties: None,
            },
            comments: Vec::new(),
            directive: None,
            unknown_layout: None,
        });
        Ok(())
    }

    fn end_document(&mut self, end: &Range<usize>) {
        self.ends.push((!end.is_empty()).then_some(end.end));
        if let (Some(document), Some(root)) = (self.documents.last_mut(), self.root.take()) {
            document.root = root;
        }
    }

    fn anchor(&mut self, id: usize, name: Cow<'a, str>, span: Span) -> Result<(), Error> {
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            return Err(self.error(span.start as usize, ErrorKind::Unportable(format!("&{name}"))));
        }
        let anchored = match self.stack.last_mut() {
            Some(Open::Mapping { node, entries, key, .. }) => match (key, entries.last_mut()) {
                (Some(key), _) => key,
                (None, Some(entry)) => &mut entry.value,
                (None, None) => node,
            },
            Some(Open::Sequence { node, items, .. }) => items.last_mut().map_or(node, |item| &mut item.node),
            None => match &mut self.root {
                Some(root) => root,
                None => return Ok(()),
            },
        };
        anchored.properties.get_or_insert_default().anchor = Some((id, name, span));
        Ok(())
    }

    fn open(&mut self, open: Open<'a>) -> Result<(), Error> {
        self.count()?;
        if self.stack.len() >= MAX_DEPTH {
            let (Open::Mapping { node, .. } | Open::Sequence { node, .. }) = &open;
            return Err(self.error(node.span.start as usize, ErrorKind::TooDeep));
        }
        self.stack.push(open);
        Ok(())
    }

    fn leaf(&mut self, node: Node<'a>) -> Result<(), Error> {
        self.count()?;
        self.put(node);
        Ok(())
    }

    fn put(&mut self, node: Node<'a>) {
        match self.stack.last_mut() {
            Some(Open::Mapping { entries, key, .. }) => match key.take() {
                Some(key) => entries.push(Entry { key, colon: None, value: node, explicit: false }),
                None => *key = Some(node),
            },
            Some(Open::Sequence { items, .. }) => items.push(Item { dash: node.span.start, node }),
            None => self.root = Some(node),
        }
    }

    fn close(&mut self, end: u32) {
        let mut node = match self.stack.pop() {
            Some(Open::Mapping { mut node, flow, entries, .. }) => {
                node.content = Content::Mapping(Mapping { flow, entries });
                node
            }
            Some(Open::Sequence { mut node, flow, items }) => {
                node.content = Content::Sequence(Sequence { flow, items });
                node
            }
            None => return,
        };
        node.span.end = end;
        self.put(node);
    }

    fn count(&mut self) -> Result<(), Error> {
        self.nodes += 1;
        if self.nodes > MAX_NODES { Err(self.error(self.text.len(), ErrorKind::TooManyNodes)) } else { Ok(()) }
    }

    fn scalar_is_portable(&self, style: Style, text: &str, range: &Range<usize>) -> Result<(), Error> {
        let (flow, key) = match self.stack.last() {
            Some(Open::Mapping { flow, key, .. }) => (*flow, key.is_none()),
            Some(Open::Sequence { flow, .. }) => (*flow, false),
            None => (false, false),
        };
        match portable::scalar(self.text, range, text, style, Place { flow, key }) {
            Some((offset, kind)) => Err(self.error(offset, kind)),
            None => Ok(()),
        }
    }

    fn error(&self, offset: usize, kind: ErrorKind) -> Error {
        Error { document: self.documents.len().max(1), position: Position::of(self.text, offset), kind }
    }

    fn syntax(&self, error: &granit_parser::ScanError) -> Error {
        let kind = match error.kind() {
            granit_parser::ErrorKind::RecursionLimitExceeded => ErrorKind::TooDeep,
            _ => ErrorKind::Syntax(error.info()),
        };
        let position = Position { line: error.marker().line(), column: error.marker().col() + 1 };
        Error { document: self.documents.len().max(1), position, kind }
    }

    fn finish(mut self, bom: bool) -> Result<File<'a>, Error> {
        locate::documents(self.text, &mut self.documents, self.comments, &self.ends)?;
        let file = File { text: self.text, bom, documents: self.documents };
        tabs::check(&file)?;
        Ok(file)
    }
}

fn node<'a>(span: Span, content: Content<'a>, tag: Option<Cow<'a, Tag>>, event: &granit_parser::Span) -> Node<'a> {
    let properties = tag.map(|tag| {
        let range = event.tag_span().and_then(|span| span.byte_range()).unwrap_or_default();
        Box::new(Properties { anchor: None, tag: Some((tag.to_string(), Span::new(range.start, range.end))) })
    });
    Node { span, content, properties }
}
