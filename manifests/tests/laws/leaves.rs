//! The scalars of a value, one at a time.

use serde_json::Value;

/// The JSON pointers of all scalars and empty collections in a value.
pub fn pointers(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(value, String::new(), &mut found);
    found
}

fn collect(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (key, value) in object {
                collect(value, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                collect(value, format!("{at}/{index}"), found);
            }
        }
        _ => found.push(at),
    }
}

/// How many scalars and empty collections there are.
pub fn count(value: &Value) -> usize {
    pointers(value).len()
}
