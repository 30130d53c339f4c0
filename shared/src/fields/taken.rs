//! Which of the fields that we set somebody else holds now.

use serde_json::{Map, Value};

use super::step::Step;

/// What of `manifest` is in `theirs` and not in `ours`; none where there is nothing.
pub fn taken(theirs: &Value, ours: &Value, manifest: &Value) -> Option<Value> {
    let mut found = Map::new();
    for (key, child) in theirs.as_object()?.iter().filter(|(key, _)| *key != ".") {
        let Some(wanted) = Step::parse(key).of(manifest) else { continue };
        let nothing = Value::Null;
        let our_child = ours.get(key).unwrap_or(&nothing);
        let is_end = child.as_object().is_none_or(|child| child.keys().all(|key| key == "."));
        if is_end {
            if our_child.is_null() {
                found.insert(key.clone(), child.clone());
            }
        } else if let Some(inner) = taken(child, our_child, wanted) {
            found.insert(key.clone(), inner);
        }
    }
    (!found.is_empty()).then_some(Value::Object(found))
}
