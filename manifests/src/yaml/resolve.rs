//! What a plain scalar means to each reader (F38).
//!
//! The Kubernetes decoder (`sigs.k8s.io/yaml`) and kustomize both resolve with go-yaml: version 2 the one, version 3 the other. The rules
//! below are theirs, measured (`tests/data/scalars.json`), not those of YAML 1.2.

use super::timestamp::{self, Time};

/// Who reads a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reader {
    /// kustomize: documents inside a graph. `yes` is a string, a date becomes a timestamp.
    Kustomize,
    /// The Kubernetes decoder, by way of `kubectl`: documents outside every graph. `yes` is true, a date is a string.
    Kubernetes,
}

/// A plain scalar, resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Resolved {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    /// `.inf`, `.nan`, a zone of 24 hours: what JSON cannot say. Readers fail on it.
    NotJson,
    /// What a date or time becomes.
    Timestamp(String),
    /// The text itself.
    Text,
}

/// Resolves the text of a plain scalar.
pub(crate) fn plain(text: &str, reader: Reader) -> Resolved {
    let Some(first) = text.bytes().next() else { return Resolved::Null };
    match text {
        "~" | "null" | "Null" | "NULL" => return Resolved::Null,
        "true" | "True" | "TRUE" => return Resolved::Bool(true),
        "false" | "False" | "FALSE" => return Resolved::Bool(false),
        _ => {}
    }
    if reader == Reader::Kubernetes {
        match text {
            "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Resolved::Bool(true),
            "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Resolved::Bool(false),
            _ => {}
        }
    }
    match first {
        b'.' => match text {
            ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN" => Resolved::NotJson,
            // Not freed from all underscores as the other numbers are: Go takes those between two digits.
            _ if !underscores_separate_digits(text) => Resolved::Text,
            _ => float(&text.replace('_', "")).unwrap_or(Resolved::Text),
        },
        b'0'..=b'9' | b'+' | b'-' => match text {
            "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf" | "-.INF" => Resolved::NotJson,
            _ => number_or_time(text, reader),
        },
        _ => Resolved::Text,
    }
}

fn underscores_separate_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || (digit(at.checked_sub(1)) && digit(Some(at + 1))))
}

fn number_or_time(text: &str, reader: Reader) -> Resolved {
    if let Some(time) = timestamp::parse(text) {
        return match reader {
            Reader::Kustomize => match time {
                Time::Written(time) => Resolved::Timestamp(time),
                Time::Unwritable => Resolved::NotJson,
            },
            Reader::Kubernetes => Resolved::Text,
        };
    }
    let plain = text.replace('_', "");
    integer(&plain).or_else(|| float(&plain)).or_else(|| late_radix(&plain, reader)).unwrap_or(Resolved::Text)
}

/// `strconv.ParseInt`, then `ParseUint`, with base 0: the base comes from the prefix, and a leading zero alone means octal.
fn integer(text: &str) -> Option<Resolved> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'+' => ("", &text[1..]),
        b'-' => ("-", &text[1..]),
        _ => ("", text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if !digits.starts_with(|first: char| first.is_ascii_hexdigit()) {
        return None;
    }
    if let Ok(int) = i64::from_str_radix(&format!("{sign}{digits}"), radix) {
        return Some(Resolved::Int(int));
    }
    // ParseUint takes no sign at all.
    let signed = text.starts_with(['+', '-']);
    if signed { None } else { u64::from_str_radix(digits, radix).ok().map(Resolved::Uint) }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, if it is finite.
fn float(text: &str) -> Option<Resolved> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mantissa_fits = digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    let exponent_fits = exponent.is_none_or(|text| {
        let text = text.strip_prefix(['+', '-']).unwrap_or(text);
        !text.is_empty() && digits(text)
    });
    if !mantissa_fits || !exponent_fits {
        return None;
    }
    text.parse::<f64>().ok().filter(|float| float.is_finite()).map(Resolved::Float)
}

/// What go-yaml tries last: `0b` and, in version 3, `0o` before a signed number. `0b-1` is -1.
fn late_radix(text: &str, reader: Reader) -> Option<Resolved> {
    let octal = reader == Reader::Kustomize;
    let (radix, digits) = match text.get(..2)? {
        "0b" => (2, &text[2..]),
        "0o" if octal => (8, &text[2..]),
        _ => return None,
    };
    i64::from_str_radix(digits, radix).ok().map(Resolved::Int)
}
