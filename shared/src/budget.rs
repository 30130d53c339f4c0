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

/// Bytes of a value as JSON without blanks. The value must not be deep ([`Json::is_deeper_than`](crate::json::Json::is_deeper_than)).
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

    #[test]
    fn c18_bytes_are_those_of_json_without_blanks() {
        let value = json!({ "a": ["ü\n", 1.5, null], "b": {} });
        assert_eq!(json_bytes(&value), serde_json::to_string(&value).unwrap().len());
    }
}
