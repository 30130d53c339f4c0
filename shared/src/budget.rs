//! How much a class may be (class.md C18), counted without recursion or copies of what is counted.

use std::io;

use serde_json::Value;

/// Levels of maps and lists in one manifest.
pub const MAX_LEVELS: usize = 64;
/// Bytes of one object, as JSON without blanks.
pub const MAX_OBJECT_BYTES: usize = 256 * 1024;
/// Bytes of all objects of a class for one namespace, as JSON without blanks.
pub const MAX_CLASS_BYTES: usize = 1024 * 1024;
/// Items of a class.
pub const MAX_ITEMS: usize = 100;

/// Whether maps and lists stand in one another more than this many levels deep.
///
/// What is deeper must not be handed to anything that recurses.
pub fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let mut open = vec![(value, 1)];
    while let Some((value, level)) = open.pop() {
        if !value.is_object() && !value.is_array() {
            continue;
        }
        if level > levels {
            return true;
        }
        open.extend(value.as_object().into_iter().flat_map(|map| map.values()).map(|inner| (inner, level + 1)));
        open.extend(value.as_array().into_iter().flatten().map(|inner| (inner, level + 1)));
    }
    false
}

/// Bytes of a value as JSON without blanks. The value must not be deep ([`is_deeper_than`]).
pub fn json_bytes(value: &Value) -> usize {
    let mut counter = Counter(0);
    // Writing a `Value` fails only where the writer does, and counting does not.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn nested(levels: usize) -> Value {
        (1..levels).fold(json!([]), |inner, _| json!([inner]))
    }

    #[test]
    fn c18_levels_are_counted_as_they_stand_in_one_another() {
        assert!(!is_deeper_than(&json!("text"), 0));
        assert!(is_deeper_than(&json!({}), 0) && !is_deeper_than(&json!({ "a": 1 }), 1));
        assert!(is_deeper_than(&json!([1, { "a": {} }]), 2) && !is_deeper_than(&json!([1, { "a": {} }]), 3));
        assert!(!is_deeper_than(&nested(64), 64) && is_deeper_than(&nested(65), 64));
    }

    #[test]
    fn c18_bytes_are_those_of_json_without_blanks() {
        let value = json!({ "a": ["ü\n", 1.5, null], "b": {} });
        assert_eq!(json_bytes(&value), serde_json::to_string(&value).unwrap().len());
    }
}
