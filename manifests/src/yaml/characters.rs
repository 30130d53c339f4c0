//! Bytes that are no text to every reader.
//!
//! Go's readers follow YAML 1.1: they refuse control characters and take NEL, LS and PS for line breaks, so that a comment may end in the
//! middle of what YAML 1.2 calls its line. A lone carriage return is a line break to both, and to no editor. None of them is read here.

use super::{Error, ErrorKind, MAX_BYTES, Position};

/// The text of a file, its byte order mark included.
pub(super) fn text(bytes: &[u8]) -> Result<&str, Error> {
    if bytes.len() > MAX_BYTES {
        let position = Position { line: 1, column: 1 };
        return Err(Error { document: 1, position, kind: ErrorKind::TooLarge(bytes.len()) });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
        at(&valid, valid.len(), ErrorKind::NotUtf8)
    })?;
    match text.char_indices().find(|(offset, character)| !allowed(text, *offset, *character)) {
        Some((offset, character)) => Err(at(text, offset, ErrorKind::Character(character))),
        None => Ok(text),
    }
}

fn allowed(text: &str, offset: usize, character: char) -> bool {
    match character {
        '\t' | '\n' | ' '..='~' => true,
        '\r' => text.as_bytes().get(offset + 1) == Some(&b'\n'),
        '\u{feff}' => offset == 0,
        '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}' => false,
        other => other >= '\u{a0}',
    }
}

/// The first escape of a double-quoted scalar's source that YAML 1.1 does not know: `\/`, and halves of surrogate pairs.
pub(super) fn unknown_escape(source: &str) -> Option<(usize, String)> {
    let mut rest = source.char_indices();
    while let Some((offset, character)) = rest.next() {
        if character != '\\' {
            continue;
        }
        match rest.next() {
            Some((_, '/')) => return Some((offset, "\\/".to_owned())),
            Some((start, 'u')) => {
                let digits = source.get(start + 1..start + 5).unwrap_or_default();
                if u32::from_str_radix(digits, 16).is_ok_and(|code| (0xd800..0xe000).contains(&code)) {
                    return Some((offset, format!("\\u{digits}")));
                }
            }
            _ => {}
        }
    }
    None
}

/// An error at `offset`; its document is the number of `---` lines before it, which is all that can be said of a text that is not parsed.
pub(super) fn at(text: &str, offset: usize, kind: ErrorKind) -> Error {
    let before = &text[..offset];
    let separators = before.lines().skip(1).filter(|line| line.starts_with("---")).count();
    Error { document: separators + 1, position: Position::of(text, offset), kind }
}
