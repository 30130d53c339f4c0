//! The span of a block scalar, which the parser gives without its header and with what follows.

use super::lines::{line_end, next_line, skip_trivia};
use super::node::{Span, Style};

fn offset(at: usize) -> u32 {
    Span::new(at, at).start
}

/// From the header's `|` or `>` to the end of the last line of text; with `+`, to the end of the last blank line that counts.
pub(super) fn span(
    text: &str,
    from: usize,
    given_end: usize,
    style: Style,
    value: &str,
) -> Result<std::ops::Range<usize>, u32> {
    let start = skip_trivia(text, from);
    if text.as_bytes().get(start).copied() != Some(if style == Style::Literal { b'|' } else { b'>' }) {
        return Err(offset(start));
    }
    let header: usize = text[start + 1..].bytes().take_while(|byte| matches!(byte, b'+' | b'-' | b'1'..=b'9')).count();
    let indicators = start + 1 + header;
    if value.trim_matches('\n').is_empty() {
        // Nothing but line breaks: where it ends is not told by its text.
        return if value.is_empty() { Ok(start..indicators) } else { Err(offset(start)) };
    }
    // A last line of blanks is text, which the cut below would not see.
    let last = value.trim_end_matches('\n').rsplit('\n').next().unwrap_or_default();
    let body = next_line(text, indicators);
    if last.trim().is_empty() || given_end < body {
        return Err(offset(start));
    }
    // The parser's span runs on to the next token, past its indentation.
    let region = &text[body..given_end];
    let region = match region.rfind('\n') {
        Some(newline) if region[newline..].trim().is_empty() => &region[..=newline],
        _ => region,
    };
    let kept = if text[start..indicators].contains('+') {
        region.strip_suffix('\n').unwrap_or(region)
    } else {
        region.trim_end_matches([' ', '\t', '\r', '\n'])
    };
    let kept = kept.strip_suffix('\r').unwrap_or(kept);
    // Blanks at the end of the last line of text are text.
    let end = if kept.len() < region.len() { line_end(text, body + kept.len()) } else { body + kept.len() };
    Ok(start..end)
}
