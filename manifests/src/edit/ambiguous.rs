//! Strings that some reader takes for something else when they stand without quotes (F38).

use crate::yaml::Reader;
use crate::yaml::resolve::{Resolved, plain};

/// Whether a string, written plain, would be read as anything else by YAML 1.1, YAML 1.2 or either reader, now or in another version.
pub(super) fn is_ambiguous(text: &str) -> bool {
    matches!(text, "" | "=" | "<<")
        || [Reader::Kustomize, Reader::Kubernetes].iter().any(|reader| plain(text, *reader) != Resolved::Text)
        || looks_typed(text)
}

/// Looks like a number, a date or a time in some version of YAML: a sign, digits and a dot at the front, and nothing but what such values hold.
fn looks_typed(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let word = lower.trim_start_matches(['+', '-', '.']);
    if matches!(word, "inf" | "nan" | "infinity" | "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null")
    {
        return true;
    }
    let body = lower.strip_prefix(['+', '-']).unwrap_or(&lower);
    let body = body.strip_prefix('.').unwrap_or(body);
    if !body.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let number = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.' | b',' | b':' | b'+' | b'-' | b'e'))
    };
    let radix = |prefix: &str| {
        body.strip_prefix(prefix).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit() || b == b'_'))
    };
    let dots = body.bytes().filter(|byte| *byte == b'.').count();
    let is_version = dots > 1 && !body.contains(':') && !body.contains('e');
    (number(body) && !is_version) || radix("0x") || radix("0b") || radix("0o") || is_date(body)
}

/// `2001-12-14`, with whatever follows.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 8 && bytes[..4].iter().all(u8::is_ascii_digit) && bytes[4] == b'-' && bytes[5].is_ascii_digit()
}
