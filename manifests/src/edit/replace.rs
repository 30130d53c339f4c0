//! A value that becomes one of another kind: what stands on its key's line and what stands below are replaced, the line's comment stays.

use super::emit::{self, Emitted};
use super::extent::below;
use super::path::Path;
use super::refused::Reason;
use super::walk::{Slot, Walk, holds, is_block, shared};
use crate::yaml::lines::{line_end, skip_trivia};
use crate::yaml::{Content, Node, Style};
use serde_json::Value;
use std::ops::Range;

impl<'f, 'a> Walk<'f, 'a> {
    pub(super) fn replace(
        &mut self,
        path: Path<'_>,
        slot: Slot,
        node: &'f Node<'a>,
        current: &Value,
        wanted: &Value,
    ) -> Value {
        if let Some(reason) = shared(node).or_else(|| holds(node)) {
            return self.refuse(path, node, reason, current);
        }
        let span = node.span.range();
        match slot {
            Slot::Root => return self.refuse(path, node, Reason::Layout, current),
            Slot::Flow { colon } => {
                if self.has_comment(&span) || (span.is_empty() && colon.is_none()) {
                    return self.refuse(path, node, Reason::Layout, current);
                }
                let space = if span.is_empty() { " " } else { "" };
                self.change(span, format!("{space}{}", emit::flow(wanted, Style::Plain)));
            }
            Slot::Item { dash, column } => {
                let written = emit::behind_dash(wanted, column, self.habits);
                let Parts { inline, below } = self.parts(node, dash + 1, column);
                if below.is_empty() && !written.contains('\n') {
                    self.change(dash + 1..inline.end, written);
                } else if self.has_comment(&(inline.end..below.start)) {
                    return self.refuse(path, node, Reason::Layout, current);
                } else {
                    self.change(dash + 1..below.end.max(inline.end), written);
                }
            }
            Slot::Value { colon, column } => {
                let Emitted { inline: on_line, below: lines } = emit::value(wanted, column, self.habits);
                let Parts { inline, below } = self.parts(node, colon + 1, column);
                self.change(colon + 1..inline.end, on_line);
                self.change(below, lines);
            }
        }
        wanted.clone()
    }

    /// The bytes of a value on the line of its colon or dash, the blanks before it included, and those of the lines below.
    fn parts(&self, node: &Node<'_>, behind: usize, column: usize) -> Parts {
        let text = self.text();
        let span = node.span.range();
        let first_line_end = line_end(text, behind);
        let (style, collection) = match &node.content {
            Content::Scalar(scalar) => (Some(scalar.style), false),
            Content::Mapping(mapping) => (None, !mapping.flow),
            Content::Sequence(sequence) => (None, !sequence.flow),
            Content::Alias(_) => (None, false),
        };
        // The comments in a block collection go with it, also the one behind its last value.
        let end = if collection { below(text, span.end, column) } else { span.end };
        match style {
            Some(Style::Empty) => Parts { inline: behind..behind, below: first_line_end..first_line_end },
            Some(style) if is_block(style) => {
                let header =
                    text[span.start + 1..].bytes().take_while(|byte| matches!(byte, b'+' | b'-' | b'1'..=b'9')).count();
                // A block without text is nothing but its header.
                let line = line_end(text, span.start);
                Parts { inline: behind..span.start + 1 + header, below: line..span.end.max(line) }
            }
            // It begins on the lines below.
            _ if skip_trivia(text, behind) > first_line_end => {
                Parts { inline: behind..behind, below: first_line_end..end }
            }
            _ => {
                let line = line_end(text, end);
                Parts { inline: behind..end, below: line..line }
            }
        }
    }
}

struct Parts {
    inline: Range<usize>,
    below: Range<usize>,
}
