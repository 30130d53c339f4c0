//! How deep and how large a value is (class.md C18), without building any text.

use std::fmt::{self, Write};

use super::Json;

impl Json<'_> {
    /// Whether maps and lists stand in one another more than this many levels deep. It looks no deeper than that itself.
    pub fn is_deeper_than(&self, levels: usize) -> bool {
        match self {
            Self::List(_) | Self::Map(_) if levels == 0 => true,
            Self::List(list) => list.iter().any(|value| value.is_deeper_than(levels - 1)),
            Self::Map(map) => map.iter().any(|(_, value)| value.is_deeper_than(levels - 1)),
            _ => false,
        }
    }

    /// A number of bytes that [`Self::bytes`] does not pass, found without looking at any text.
    pub fn most_bytes(&self) -> usize {
        // A byte becomes at most `\u0000`; a number has at most 25 characters; and a comma or colon comes behind each.
        let text = |text: &str| 3 + 6 * text.len();
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => 26,
            Self::Text(here) => text(here),
            Self::List(list) => 3 + list.iter().map(Self::most_bytes).sum::<usize>(),
            Self::Map(map) => 3 + map.iter().map(|(key, value)| text(key) + value.most_bytes()).sum::<usize>(),
        }
    }

    /// Bytes as JSON without blanks. The value must not be [deep](Self::is_deeper_than).
    pub fn bytes(&self) -> usize {
        match self {
            Self::Null | Self::Bool(true) => 4,
            Self::Bool(false) => 5,
            Self::Number(number) => {
                let mut counter = Counter(0);
                // Counting does not fail, and nothing else of it does.
                let _ = write!(counter, "{number}");
                counter.0
            }
            Self::Text(text) => text_bytes(text),
            Self::List(list) => around(list.len()) + list.iter().map(Self::bytes).sum::<usize>(),
            Self::Map(map) => {
                let entry = |(key, value): (&str, &Self)| text_bytes(key) + 1 + value.bytes();
                around(map.len()) + map.iter().map(entry).sum::<usize>()
            }
        }
    }
}

/// Brackets, and the commas between so many.
fn around(count: usize) -> usize {
    2 + count.saturating_sub(1)
}

/// Quotes, and every character as `serde_json` writes it.
fn text_bytes(text: &str) -> usize {
    let is_escaped = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    // Counting all of them is faster than looking for the first, and there are mostly none.
    let escaped = text.as_bytes().iter().filter(|byte| is_escaped(byte)).count();
    let long = |byte: &u8| *byte < 0x20 && !b"\x08\t\n\x0c\r".contains(byte);
    let long = if escaped == 0 { 0 } else { text.as_bytes().iter().filter(|byte| long(byte)).count() };
    2 + text.len() + escaped + 4 * long
}

struct Counter(usize);

impl Write for Counter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}
