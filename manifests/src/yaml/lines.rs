//! Lines and columns of byte offsets.

/// A place in a file, for people: line and column from 1, the column counted in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Position {
    /// The place of the byte at `offset`. Counts from the start of the text: for messages, not for loops.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line_start = line_start(text, offset.min(text.len()));
        let line = String::from_utf8_lossy(before).matches('\n').count() + 1;
        let column = String::from_utf8_lossy(&before[line_start..]).chars().filter(|c| *c != '\u{feff}').count() + 1;
        Self { line, column }
    }
}

/// The offset at which the line that holds `offset` begins.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1)
}

/// The offset of the line break that ends the line of `offset` (of its `\r\n`, the `\r`), or the end of the text.
pub(crate) fn line_end(text: &str, offset: usize) -> usize {
    let rest = &text.as_bytes()[offset..];
    match rest.iter().position(|byte| *byte == b'\n') {
        Some(newline) if newline > 0 && rest[newline - 1] == b'\r' => offset + newline - 1,
        Some(newline) => offset + newline,
        None => text.len(),
    }
}

/// The offset after the line break that ends the line of `offset`, or the end of the text.
pub(crate) fn next_line(text: &str, offset: usize) -> usize {
    text.as_bytes()[offset..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |newline| offset + newline + 1)
}

/// The first offset from `offset` on that is neither white space nor part of a comment.
pub(crate) fn skip_trivia(text: &str, offset: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = offset;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' if at == 0 || bytes[at - 1].is_ascii_whitespace() || &text[..at] == "\u{feff}" => {
                at = line_end(text, at);
            }
            _ => break,
        }
    }
    at
}
