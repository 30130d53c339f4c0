//! Fields as `metadata.managedFields` tells of them (`FieldsV1`): which ones somebody owns beside ours, which of ours somebody took,
//! and an object without some of them.
//!
//! In `FieldsV1` a key `f:x` is the field `x`, `k:{…}` the list item with these keys, `v:…` the list item of that value, `i:n` the nth
//! item, and `.` the thing itself. A path ends in an empty map.
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/>

mod beside;
mod remove;
mod step;
mod taken;

pub use beside::beside;
pub use remove::{merge_patch, without};
pub use taken::taken;

use serde_json::Value;
use step::Step;

/// The first few paths of a tree, for a message: `.spec.ingress, .data.k`.
pub fn paths(tree: &Value, most: usize) -> String {
    let mut found = Vec::new();
    collect(tree, &mut String::new(), &mut found);
    let more = found.len().saturating_sub(most);
    found.truncate(most);
    if more > 0 { format!("{} and {more} more", found.join(", ")) } else { found.join(", ") }
}

fn collect(tree: &Value, path: &mut String, found: &mut Vec<String>) {
    let children: Vec<_> = tree.as_object().into_iter().flatten().filter(|(key, _)| *key != ".").collect();
    if children.is_empty() && !path.is_empty() {
        found.push(path.clone());
    }
    for (key, child) in children {
        let length = path.len();
        path.push_str(&Step::parse(key).readable());
        collect(child, path, found);
        path.truncate(length);
    }
}

#[cfg(test)]
mod tests;
