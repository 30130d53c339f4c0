//! An object without some fields, and the request that makes it so.

use serde_json::{Map, Value};

use super::step::Step;

/// The object without what the ends of `tree` name. What is not there, or cannot be found, is left out of account.
pub fn without(object: &Value, tree: &Value) -> Value {
    let mut rest = object.clone();
    remove(&mut rest, tree);
    rest
}

fn remove(value: &mut Value, tree: &Value) {
    let children = tree.as_object().into_iter().flatten().filter(|(key, _)| *key != ".");
    // From the end, so that an index still means what it meant.
    let mut children: Vec<_> = children.map(|(key, child)| (Step::parse(key), child)).collect();
    children.sort_by_key(|(step, _)| std::cmp::Reverse(if let Step::Index(index) = step { *index } else { 0 }));
    for (step, child) in children {
        if child.as_object().is_none_or(Map::is_empty) {
            step.remove(value);
        } else if let Some(inner) = step.of_mut(value) {
            remove(inner, child);
        }
    }
}

/// The JSON merge patch (RFC 7386) from `before` to `after`; none where they are equal. Lists are replaced whole.
pub fn merge_patch(before: &Value, after: &Value) -> Option<Value> {
    match (before, after) {
        _ if before == after => None,
        (Value::Object(before), Value::Object(after)) => {
            let mut patch = Map::new();
            for key in before.keys().filter(|key| !after.contains_key(*key)) {
                patch.insert(key.clone(), Value::Null);
            }
            for (key, value) in after {
                match before.get(key) {
                    Some(was) => patch.extend(merge_patch(was, value).map(|inner| (key.clone(), inner))),
                    None => {
                        patch.insert(key.clone(), value.clone());
                    }
                }
            }
            Some(Value::Object(patch))
        }
        _ => Some(after.clone()),
    }
}
