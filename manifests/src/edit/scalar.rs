//! A scalar that becomes another scalar, in its own style if that can express it (F38).

use super::block_text::{Block, write};
use super::emit;
use super::path::Path;
use super::quote::{self, Context};
use super::walk::{Slot, Walk, is_block};
use crate::yaml::lines::{line_end, next_line};
use crate::yaml::{Node, Scalar, Style};
use serde_json::Value;

impl<'f, 'a> Walk<'f, 'a> {
    pub(super) fn scalar(
        &mut self,
        path: Path<'_>,
        slot: Slot,
        node: &'f Node<'a>,
        scalar: &Scalar<'a>,
        current: &Value,
        wanted: &Value,
    ) -> Value {
        if let Slot::Root = slot {
            return self.replace(path, slot, node, current, wanted);
        }
        if is_block(scalar.style) {
            return match wanted {
                Value::String(text) if self.habits.blocks && self.block(slot, node, scalar, text) => wanted.clone(),
                _ => self.replace(path, slot, node, current, wanted),
            };
        }
        match wanted {
            // Several lines read better in a block; a quoted style can express them, and stays.
            Value::String(text)
                if text.contains('\n')
                    && self.habits.blocks
                    && matches!(scalar.style, Style::Plain | Style::Empty)
                    && self.begins_on_its_line(slot, node) =>
            {
                self.replace(path, slot, node, current, wanted)
            }
            Value::String(text) if scalar.style != Style::Empty => {
                let context = if slot.is_flow() { Context::Flow } else { Context::Block };
                self.change(node.span.range(), quote::string(text, scalar.style, context));
                wanted.clone()
            }
            _ if scalar.style != Style::Empty => {
                self.change(node.span.range(), emit::scalar(wanted, Context::Block));
                wanted.clone()
            }
            _ => self.replace(path, slot, node, current, wanted),
        }
    }

    /// Whether a value stands on the line of its colon or dash; between those and a value on a line below there can be comments.
    fn begins_on_its_line(&self, slot: Slot, node: &Node<'_>) -> bool {
        match slot {
            Slot::Value { colon: behind, .. } | Slot::Item { dash: behind, .. } => {
                !self.text()[behind..node.span.start as usize].contains('\n')
            }
            Slot::Root | Slot::Flow { .. } => false,
        }
    }

    /// Rewrites the lines of a block scalar, and of its header only what must change.
    fn block(&mut self, slot: Slot, node: &Node<'_>, scalar: &Scalar<'_>, text: &str) -> bool {
        let source = self.text();
        let span = node.span.range();
        let header =
            source[span.start + 1..].bytes().take_while(|byte| matches!(byte, b'+' | b'-' | b'1'..=b'9')).count();
        let indicators = &source[span.start + 1..span.start + 1 + header];
        let body = next_line(source, span.start);
        let Some(indent) = text_column(&source[body.min(span.end)..span.end], &scalar.text) else { return false };
        let after = next_line(source, span.end);
        let block = Block {
            style: scalar.style,
            indicators,
            indent,
            parent: slot.column(),
            at_end: span.end == source.len(),
            blank_follows: after >= source.len() || source[after..line_end(source, after)].trim().is_empty(),
            eol: self.habits.eol,
        };
        // A folded text that cannot stay folded may still be a literal one.
        let written = write(text, block).or_else(|| write(text, Block { style: Style::Literal, ..block }));
        let Some((header_text, lines)) = written else { return false };
        self.change(span.start..span.start + 1 + header, header_text);
        self.change(body..span.end, lines);
        true
    }
}

/// The column at which a block scalar's text begins: that of its first line of text, less what of it is text.
fn text_column(body: &str, text: &str) -> Option<usize> {
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let source = body.lines().find(|line| !line.trim().is_empty())?;
    let read = text.split('\n').find(|line| !line.trim().is_empty())?;
    blanks(source).checked_sub(blanks(read))
}
