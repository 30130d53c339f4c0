use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const ROOTS: [&str; 2] = ["spec", "data"];

#[test]
fn c34_what_another_manager_added_is_found_and_what_both_set_is_not() {
    let ours = json!({ "f:metadata": { "f:labels": {} }, "f:spec": { "f:podSelector": {}, "f:policyTypes": {} } });
    let added =
        json!({ "f:spec": { "f:ingress": {}, "f:policyTypes": {} }, "f:metadata": { "f:labels": { "f:x": {} } } });
    assert_eq!(beside(&added, &ours, &ROOTS), Some(json!({ "f:spec": { "f:ingress": {} } })));
    let same = json!({ "f:spec": { "f:podSelector": {} } });
    assert_eq!(beside(&same, &ours, &ROOTS), None);
    // The map itself is no addition where we have something in it; whole where we have nothing.
    let map = json!({ "f:data": { ".": {}, "f:k": {} } });
    assert_eq!(beside(&map, &json!({ "f:data": { "f:k": {} } }), &ROOTS), None);
    assert_eq!(beside(&map, &json!({}), &ROOTS), Some(json!({ "f:data": {} })));
}

#[test]
fn what_is_removed_leaves_the_rest_as_it_is() {
    let object = json!({
        "spec": { "containers": [{ "name": "app", "image": "x", "tty": true }, { "name": "side" }], "set": ["a", "b"] },
        "data": { "k": "1" }, "items": ["zero", "one", "two"],
    });
    let tree = json!({
        "f:spec": {
            "f:containers": { "k:{\"name\":\"app\"}": { "f:tty": {} }, "k:{\"name\":\"side\"}": {} },
            "f:set": { "v:\"b\"": {} },
            "f:absent": { "f:x": {} },
        },
        "f:data": {},
        "f:items": { "i:0": {}, "i:2": {} },
    });
    let rest = without(&object, &tree);
    assert_eq!(
        rest,
        json!({ "spec": { "containers": [{ "name": "app", "image": "x" }], "set": ["a"] }, "items": ["one"] })
    );
    assert_eq!(
        merge_patch(&object, &rest),
        Some(json!({
            "spec": { "containers": [{ "name": "app", "image": "x" }], "set": ["a"] }, "data": null, "items": ["one"],
        }))
    );
    assert_eq!(merge_patch(&rest, &rest), None);
}

#[test]
fn c35_a_field_that_we_set_and_another_holds_is_named() {
    let manifest = json!({ "data": { "k": "1", "own": "1" }, "spec": { "ports": [{ "port": 80, "name": "web" }] } });
    let ours = json!({ "f:data": { "f:own": {} } });
    let theirs = json!({
        "f:data": { "f:k": {}, "f:own": {}, "f:theirs": {} },
        "f:spec": { "f:ports": { "k:{\"port\":80}": { ".": {}, "f:name": {} } } },
    });
    let found = taken(&theirs, &ours, &manifest).unwrap();
    assert_eq!(paths(&found, 3), ".data.k, .spec.ports[port=80].name");
    assert_eq!(paths(&found, 1), ".data.k and 1 more");
    assert_eq!(taken(&json!({ "f:data": { "f:own": {} } }), &ours, &manifest), None);
}

/// A map of maps with the given leaves, and the fields that it has.
fn object() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(json!("a")), Just(json!(1)), Just(json!(["x"]))];
    leaf.prop_recursive(3, 12, 4, |inner| {
        proptest::collection::btree_map("[a-d]", inner, 1..4).prop_map(|map| json!(map))
    })
    .prop_map(|value| json!({ "spec": value }))
}

fn fields(value: &Value) -> Value {
    match value.as_object() {
        Some(map) => map.iter().map(|(key, value)| (format!("f:{key}"), fields(value))).collect(),
        None => json!({}),
    }
}

/// RFC 7386.
fn patched(target: &Value, patch: &Value) -> Value {
    let Some(patch) = patch.as_object() else { return patch.clone() };
    let mut result = target.as_object().cloned().unwrap_or_default();
    for (key, value) in patch {
        if value.is_null() {
            result.remove(key);
        } else {
            let was = result.get(key).cloned().unwrap_or_default();
            result.insert(key.clone(), patched(&was, value));
        }
    }
    Value::Object(result)
}

proptest! {
    #[test]
    fn a_merge_patch_leads_from_one_to_the_other(before in object(), after in object()) {
        let result = merge_patch(&before, &after).map_or_else(|| before.clone(), |patch| patched(&before, &patch));
        prop_assert_eq!(result, after);
    }

    /// Once what is beside ours is removed, nothing is beside ours, and nothing of ours is gone.
    #[test]
    fn c34_what_is_left_has_nothing_beside_ours_and_lacks_nothing_of_ours(ours in object(), theirs in object()) {
        let live = patched(&theirs, &ours);
        let our_fields = fields(&ours);
        let rest = match beside(&fields(&live), &our_fields, &["spec"]) {
            Some(extra) => without(&live, &extra),
            None => live,
        };
        prop_assert_eq!(beside(&fields(&rest), &our_fields, &["spec"]), None);
        prop_assert_eq!(patched(&rest, &ours), rest);
    }
}
