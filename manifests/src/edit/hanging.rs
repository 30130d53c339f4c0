//! Lines below a block scalar that would become part of it.
//!
//! A block scalar takes in what stands deeper than its key, lines of blanks too, and with `+` also the empty lines below. When the lines between go, or it moves,
//! something else comes to stand below it.

use super::extent::Extent;
use crate::yaml::lines::{line_end, next_line};
use crate::yaml::{Content, Node};

/// Whether the block scalar that ends `above` would change if the lines of `gone`, which stand at `column`, were not between it and what follows.
/// With `careful`, any block scalar counts: what follows may go too.
pub(super) fn would_change(text: &str, above: &Node<'_>, gone: Extent, column: usize, careful: bool) -> bool {
    let Some(keeps) = ends_in_block_text(text, above) else { return false };
    let next = next_line(text, gone.end);
    let blank_follows = next < text.len() && text[next..line_end(text, next)].trim().is_empty();
    let blanks_follow = text[next..].lines().take_while(|line| line.trim().is_empty()).any(|line| !line.is_empty());
    // At the end of a file without a last line break, the break above goes too.
    careful
        || gone.end == text.len()
        || (keeps && blank_follows)
        || blanks_follow
        || comment_hangs_below(text, next, column)
}

/// Whether the last thing in a node is a block scalar, and whether that keeps the line breaks at its end.
pub(super) fn ends_in_block_text(text: &str, node: &Node<'_>) -> Option<bool> {
    let mut node = node;
    loop {
        node = match &node.content {
            Content::Scalar(scalar) if super::walk::is_block(scalar.style) => {
                let header = &text[node.span.start as usize + 1..];
                return Some(
                    header
                        .bytes()
                        .take_while(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9'))
                        .any(|byte| byte == b'+'),
                );
            }
            Content::Mapping(mapping) if !mapping.flow => &mapping.entries.last()?.value,
            Content::Sequence(sequence) if !sequence.flow => &sequence.items.last()?.node,
            _ => return None,
        };
    }
}

/// Whether, blank lines aside, a comment that stands deeper than `column` is what comes next.
fn comment_hangs_below(text: &str, next: usize, column: usize) -> bool {
    let line = text[next..].lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    indent > column && line[indent..].starts_with('#')
}
