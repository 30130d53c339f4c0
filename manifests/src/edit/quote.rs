//! A scalar on one line: plain, or in quotes.

use super::ambiguous::is_ambiguous;
use crate::yaml::Style;
use std::fmt::Write as _;

/// Where a scalar will stand: flow collections allow fewer plain texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    Block,
    Flow,
}

/// A string in `style` if that can express it, else in the plainest style that can.
pub(super) fn string(text: &str, style: Style, context: Context) -> String {
    match style {
        Style::Single if fits_a_line(text) => format!("'{}'", text.replace('\'', "''")),
        Style::Plain | Style::Empty if fits_plain(text, context) => text.to_owned(),
        // Text that would need escapes in double quotes reads better in single ones.
        Style::Plain | Style::Empty if text.contains(['"', '\\']) && fits_a_line(text) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ => double(text),
    }
}

/// A key: plain if that can express it.
pub(super) fn key(text: &str, style: Style, context: Context) -> String {
    string(text, if style == Style::Double || style == Style::Single { style } else { Style::Plain }, context)
}

/// Only characters that every reader takes as they are, none of them a line break or a tab.
fn fits_a_line(text: &str) -> bool {
    text.chars().all(|character| character != '\t' && is_printable(character))
}

/// A character that may stand in a file as it is.
pub(super) fn is_printable(character: char) -> bool {
    match character {
        '\t' | ' '..='~' => true,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        other => other >= '\u{a0}',
    }
}

fn fits_plain(text: &str, context: Context) -> bool {
    let mut characters = text.chars();
    let Some(first) = characters.next() else { return false };
    let second = characters.next();
    let starts = match first {
        '-' => second.is_some_and(|next| next.is_ascii_alphanumeric() || (next == '-' && context == Context::Block)),
        ':' | '?' => context == Context::Block && second.is_some_and(|next| next.is_ascii_alphanumeric()),
        ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' | ' ' | '='
        | '<' => false,
        _ => true,
    };
    let flow = context == Context::Flow && (text.contains([',', '[', ']', '{', '}', '?']) || text.contains(':'));
    starts
        && !flow
        && fits_a_line(text)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.starts_with("---")
        && !text.starts_with("...")
        && !text.ends_with(char::is_whitespace)
        && !text.starts_with(char::is_whitespace)
        && !is_ambiguous(text)
}

fn double(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            printable if is_printable(printable) => quoted.push(printable),
            // invariant: writing to a String cannot fail.
            other if u32::from(other) <= 0xffff => drop(write!(quoted, "\\u{:04X}", u32::from(other))),
            other => drop(write!(quoted, "\\U{:08X}", u32::from(other))),
        }
    }
    quoted.push('"');
    quoted
}
