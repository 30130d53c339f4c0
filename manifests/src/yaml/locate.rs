//! Spans that the parser does not give: where documents begin and end, where `:`, `-` and block scalars' headers stand.
//!
//! One walk over the tree in file order with a cursor in the text. Wherever the text is not what the tree says, the document's layout is
//! marked unknown, and nobody will edit it (F32).

use super::characters::at;
use super::lines::{line_end, next_line, skip_trivia};
use super::node::{Content, Document, Entry, Item, Node, Span, Style};
use super::{Error, ErrorKind, block};

/// Settles the documents' ranges, gives each its comments, and finds the spans of its nodes. `ends`: where each document's `...` ends.
pub(super) fn documents(
    text: &str,
    documents: &mut [Document<'_>],
    mut comments: Vec<Span>,
    ends: &[Option<usize>],
) -> Result<(), Error> {
    separators(text, documents)?;
    comments.sort_unstable();
    let mut comments = comments.into_iter().peekable();
    let file_start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    for (index, document) in documents.iter_mut().enumerate() {
        let marker = document.range.start as usize;
        // Directives can stand only at the start of the file or behind a `...`.
        let before = if index == 0 { Some(file_start) } else { ends.get(index - 1).copied().flatten() };
        let directive = before.and_then(|before| directive(text, before, marker));
        document.directive = directive.map(offset);
        let start = if index == 0 { file_start } else { directive.unwrap_or(marker) };
        document.range = Span::new(start, text.len());
        let content = if document.explicit { marker + 3 } else { start };
        document.unknown_layout = root(text, document, content).err();
    }
    for index in 1..documents.len() {
        documents[index - 1].range.end = documents[index].range.start;
    }
    for document in documents {
        while let Some(comment) = comments.next_if(|comment| comment.start < document.range.end) {
            document.comments.push(comment);
        }
    }
    Ok(())
}

/// Refuses text on a `---` line, and lines of text that begin with `---`: tools that split files there lose it.
fn separators(text: &str, documents: &[Document<'_>]) -> Result<(), Error> {
    let mut starts =
        documents.iter().filter(|document| document.explicit).map(|document| document.range.start as usize).peekable();
    let mut line = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while line < text.len() {
        if text[line..].starts_with("---") {
            let rest = text[line + 3..line_end(text, line)].trim();
            if starts.next_if_eq(&line).is_none() || !(rest.is_empty() || rest.starts_with('#')) {
                return Err(at(text, line, ErrorKind::SeparatorContent));
            }
        }
        line = next_line(text, line);
    }
    Ok(())
}

/// The first directive that belongs to the `---` at `marker`: on a line of its own, with only directives, comments and blank lines between.
fn directive(text: &str, from: usize, marker: usize) -> Option<usize> {
    let mut found = None;
    let mut end = marker;
    while end > from {
        let line = super::lines::line_start(text, end - 1);
        let content = text[line..end].trim();
        match content.as_bytes().first() {
            Some(b'%') if line >= from => found = Some(line),
            None | Some(b'#') => {}
            Some(_) => break,
        }
        end = line;
    }
    found
}

fn root(text: &str, document: &mut Document<'_>, content: usize) -> Result<(), u32> {
    let past = Walk { text }.node(&mut document.root, content, true)?;
    let rest = skip_trivia(text, past);
    let ends = rest == text.len() || ["...", "---"].iter().any(|marker| text[rest..].starts_with(marker));
    if ends { Ok(()) } else { Err(offset(rest)) }
}

fn offset(at: usize) -> u32 {
    Span::new(at, at).start
}

#[derive(Clone, Copy)]
struct Walk<'t> {
    text: &'t str,
}

impl Walk<'_> {
    /// Finds the spans of a node whose text may begin at `from`; returns where it ends. `block`: outside any flow collection.
    fn node(self, node: &mut Node<'_>, from: usize, block: bool) -> Result<usize, u32> {
        let from = self.properties(node, from)?;
        let given = node.span.range();
        let found = match &mut node.content {
            Content::Scalar(scalar) => match scalar.style {
                Style::Empty => from..from,
                Style::Literal | Style::Folded => block::span(self.text, from, given.end, scalar.style, &scalar.text)?,
                Style::Plain | Style::Single | Style::Double => self.same(from, given)?,
            },
            Content::Alias(_) => self.same(from, given)?,
            Content::Mapping(mapping) if mapping.flow => self.flow_mapping(&mut mapping.entries, from, given)?,
            Content::Mapping(mapping) => self.block_mapping(&mut mapping.entries, from, block)?,
            Content::Sequence(sequence) if sequence.flow => self.flow_sequence(&mut sequence.items, from, given)?,
            Content::Sequence(sequence) => self.block_sequence(&mut sequence.items, from, block)?,
        };
        node.span = Span::new(found.start, found.end);
        Ok(found.end)
    }

    /// Where the text behind anchor and tag may begin.
    fn properties(self, node: &Node<'_>, from: usize) -> Result<usize, u32> {
        let Some(properties) = &node.properties else { return Ok(from) };
        let anchor = properties.anchor.as_ref().map(|(.., span)| *span);
        let tag = properties.tag.as_ref().map(|(_, span)| *span);
        let mut spans: Vec<Span> = anchor.into_iter().chain(tag).collect();
        spans.sort_unstable();
        spans.iter().try_fold(from, |cursor, span| self.same(cursor, span.range()).map(|found| found.end))
    }

    /// The parser's span, if the text at the cursor begins there.
    fn same(self, from: usize, given: std::ops::Range<usize>) -> Result<std::ops::Range<usize>, u32> {
        if skip_trivia(self.text, from) == given.start && !given.is_empty() { Ok(given) } else { Err(offset(from)) }
    }

    fn byte(self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Whether an indicator (`-`, `?`) stands alone at `at`.
    fn indicator(self, at: usize, indicator: u8) -> bool {
        self.byte(at) == Some(indicator) && self.byte(at + 1).is_none_or(|next| next.is_ascii_whitespace())
    }

    fn block_mapping(self, entries: &mut [Entry<'_>], from: usize, block: bool) -> Result<std::ops::Range<usize>, u32> {
        let start = skip_trivia(self.text, from);
        if !block || entries.is_empty() {
            return Err(offset(start));
        }
        let mut end = from;
        for entry in entries {
            end = self.entry(entry, end, true)?;
        }
        Ok(start..end)
    }

    fn entry(self, entry: &mut Entry<'_>, from: usize, block: bool) -> Result<usize, u32> {
        let start = skip_trivia(self.text, from);
        entry.explicit = self.indicator(start, b'?') && entry.key.full_start() as usize > start;
        let key_end = self.node(&mut entry.key, if entry.explicit { start + 1 } else { start }, block)?;
        let colon = skip_trivia(self.text, key_end);
        if self.byte(colon) != Some(b':') {
            return if block && !entry.explicit {
                Err(offset(colon))
            } else {
                self.node(&mut entry.value, key_end, block)
            };
        }
        entry.colon = Some(offset(colon));
        self.node(&mut entry.value, colon + 1, block)
    }

    fn block_sequence(self, items: &mut [Item<'_>], from: usize, block: bool) -> Result<std::ops::Range<usize>, u32> {
        let start = skip_trivia(self.text, from);
        if !block || items.is_empty() {
            return Err(offset(start));
        }
        let mut end = from;
        for item in items {
            let dash = skip_trivia(self.text, end);
            if !self.indicator(dash, b'-') {
                return Err(offset(dash));
            }
            item.dash = offset(dash);
            end = self.node(&mut item.node, dash + 1, true)?;
        }
        Ok(start..end)
    }

    fn flow_mapping(
        self,
        entries: &mut [Entry<'_>],
        from: usize,
        given: std::ops::Range<usize>,
    ) -> Result<std::ops::Range<usize>, u32> {
        let mut cursor = self.opening(from, &given, b'{')?;
        for entry in entries {
            cursor = self.entry(entry, cursor, false)?;
            cursor = self.comma(cursor);
        }
        self.closing(given.start, cursor, b'}')
    }

    fn flow_sequence(
        self,
        items: &mut [Item<'_>],
        from: usize,
        given: std::ops::Range<usize>,
    ) -> Result<std::ops::Range<usize>, u32> {
        let mut cursor = self.opening(from, &given, b'[')?;
        for item in items {
            cursor = self.node(&mut item.node, cursor, false)?;
            item.dash = item.node.full_start();
            cursor = self.comma(cursor);
        }
        self.closing(given.start, cursor, b']')
    }

    fn opening(self, from: usize, given: &std::ops::Range<usize>, bracket: u8) -> Result<usize, u32> {
        let start = skip_trivia(self.text, from);
        if start == given.start && self.byte(start) == Some(bracket) { Ok(start + 1) } else { Err(offset(start)) }
    }

    fn comma(self, from: usize) -> usize {
        let at = skip_trivia(self.text, from);
        if self.byte(at) == Some(b',') { at + 1 } else { from }
    }

    fn closing(self, start: usize, from: usize, bracket: u8) -> Result<std::ops::Range<usize>, u32> {
        let at = skip_trivia(self.text, from);
        if self.byte(at) == Some(bracket) { Ok(start..at + 1) } else { Err(offset(at)) }
    }
}
