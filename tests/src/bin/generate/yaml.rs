//! YAML in the order in which people read it: what a thing is, then what holds for it, then what it contains.

use anyhow::Result;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

use crate::HEADER;

/// Keys that come before all others, in this order.
const FIRST: [&str; 12] = [
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "group",
    "names",
    "scope",
    "served",
    "storage",
    "subresources",
    "description",
    "type",
];
/// Keys whose values are long, after all others.
const LAST: [&str; 3] = ["schema", "items", "properties"];

/// One document under our header.
pub(crate) fn document<T: Serialize>(object: &T) -> Result<String> {
    let value = serde_json::to_value(object)?;
    Ok(format!("# {HEADER}\n{}", serde_saphyr::to_string(&Readable(&value))?))
}

struct Readable<'a>(&'a Value);

impl Serialize for Readable<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                entries.sort_by_key(|(key, _)| (rank(key), *key));
                let mut out = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    out.serialize_entry(key, &Readable(value))?;
                }
                out.end()
            }
            Value::Array(list) => serializer.collect_seq(list.iter().map(Readable)),
            Value::Number(number) => match whole(number) {
                Some(number) => serializer.serialize_i64(number),
                None => number.serialize(serializer),
            },
            other => other.serialize(serializer),
        }
    }
}

fn rank(key: &str) -> usize {
    let place = |keys: &[&str]| keys.iter().position(|it| *it == key);
    match (place(&FIRST), place(&LAST)) {
        (Some(place), _) => place,
        (None, None) => FIRST.len(),
        (None, Some(place)) => FIRST.len() + 1 + place,
    }
}

/// A schema's limits are floating-point numbers in Rust, and whole numbers to everybody else.
fn whole(number: &Number) -> Option<i64> {
    number.to_string().strip_suffix(".0")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_thing_is_comes_first_and_what_it_contains_last() {
        let schema = json!({
            "properties": { "b": { "type": "string" }, "a": { "minimum": 0.0, "maximum": 1.5, "type": "number" } },
            "maxItems": 3,
            "type": "object",
            "default": {},
            "description": "d",
        });
        let expected = "description: d\ntype: object\ndefault: {}\nmaxItems: 3\nproperties:\n  a:\n    type: number\n    \
                        maximum: 1.5\n    minimum: 0\n  b:\n    type: string\n";
        assert_eq!(document(&schema).unwrap(), format!("# {HEADER}\n{expected}"));
    }
}
