//! Fields that somebody owns and we do not.

use serde_json::{Map, Value, json};

/// What `theirs` holds below `roots` (top-level fields of the object) and `ours` does not; none where there is nothing. What both own is
/// nobody's addition. Where ours has nothing the tree ends: what is there is theirs whole.
pub fn beside(theirs: &Value, ours: &Value, roots: &[&str]) -> Option<Value> {
    let mut found = Map::new();
    for root in roots {
        let key = format!("f:{root}");
        let Some(their_tree) = theirs.get(&key) else { continue };
        match ours.get(&key) {
            None => {
                found.insert(key, json!({}));
            }
            Some(our_tree) => {
                if let Some(rest) = minus(their_tree, our_tree) {
                    found.insert(key, rest);
                }
            }
        }
    }
    (!found.is_empty()).then_some(Value::Object(found))
}

/// Where ours ends, we own everything below.
fn minus(theirs: &Value, ours: &Value) -> Option<Value> {
    let (theirs, ours) = (theirs.as_object()?, ours.as_object()?);
    if ours.is_empty() {
        return None;
    }
    let mut rest = Map::new();
    for (key, child) in theirs.iter().filter(|(key, _)| *key != ".") {
        match ours.get(key) {
            None => {
                rest.insert(key.clone(), json!({}));
            }
            Some(our_child) => {
                if let Some(left) = minus(child, our_child) {
                    rest.insert(key.clone(), left);
                }
            }
        }
    }
    (!rest.is_empty()).then_some(Value::Object(rest))
}
