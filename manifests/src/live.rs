//! What of a live object belongs into Git (folders.md F37): everything but what the server and controllers wrote, by a deny-list.

mod denied;

use serde_json::{Map, Value};

use crate::render::{FieldPath, Step};
use denied::Denied;

/// The live object without its status, server-set metadata and the annotations of controllers. Where `own`, what the
/// document renders to, has such a field itself, its value is taken: what is not ours to write is not ours to remove.
pub fn clean(live: &Value, own: Option<&Value>) -> Value {
    let mut cleaned = live.clone();
    let kind = kind(live);
    for denied in denied::LIST.iter().filter(|denied| denied.applies(&kind)) {
        match denied {
            Denied::Field { path, .. } => take_own(&mut cleaned, own, &FieldPath::keys(path)),
            Denied::Allocated { path, unless, .. } => {
                let path = FieldPath::keys(path);
                let found = path.find(&cleaned);
                if found.is_some_and(|value| value != unless && *value != Value::from(vec![*unless])) {
                    take_own(&mut cleaned, own, &path);
                }
            }
            Denied::Entry { map, key, .. } => take_own(&mut cleaned, own, &FieldPath::keys(map).key(key)),
            Denied::Prefix { map, prefix, .. } => {
                for key in keys_with_prefix(&[Some(&cleaned), own], map, prefix) {
                    take_own(&mut cleaned, own, &FieldPath::keys(map).then(Step::Key(key.into())));
                }
            }
            Denied::Item { list, text, .. } => drop_item(&mut cleaned, own, &FieldPath::keys(list), text),
        }
    }
    for map in ["annotations", "labels"] {
        drop_empty(&mut cleaned, own, &FieldPath::keys(&["metadata", map]));
    }
    if kind == ("", "Namespace") {
        drop_empty(&mut cleaned, own, &FieldPath::keys(&["spec"]));
    }
    cleaned
}

/// Group and kind.
fn kind(object: &Value) -> (&str, &str) {
    let text = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
    (text("apiVersion").split_once('/').map_or("", |(group, _)| group), text("kind"))
}

fn take_own(live: &mut Value, own: Option<&Value>, path: &FieldPath) {
    match own.and_then(|own| path.find(own)).cloned() {
        Some(value) => {
            if !path.set(live, value.clone()) {
                set_with_parent(live, path, value);
            }
        }
        None => {
            path.remove(live);
        }
    }
}

/// Sets a field whose holder, one level up at most, the live object lacks.
fn set_with_parent(live: &mut Value, path: &FieldPath, value: Value) {
    let parent = path.parent();
    if parent.set(live, Value::Object(Map::new())) {
        path.set(live, value);
    }
}

fn keys_with_prefix(values: &[Option<&Value>], map: &[&'static str], prefix: &str) -> Vec<String> {
    let path = FieldPath::keys(map);
    let maps = values.iter().flatten().filter_map(|value| path.find(value)?.as_object());
    let mut keys: Vec<String> = maps.flat_map(Map::keys).filter(|key| key.starts_with(prefix)).cloned().collect();
    keys.sort();
    keys.dedup();
    keys
}

/// Removes one text from a list, and the list with its last item, unless the document has it.
fn drop_item(live: &mut Value, own: Option<&Value>, list: &FieldPath, text: &str) {
    let has = |value: &Value| {
        list.find(value).and_then(Value::as_array).is_some_and(|items| items.iter().any(|item| item == text))
    };
    if !has(live) || own.is_some_and(has) {
        return;
    }
    let Some(Value::Array(items)) = list.find(live).cloned() else { return };
    let rest: Vec<Value> = items.into_iter().filter(|item| item != text).collect();
    if rest.is_empty() && own.is_none_or(|own| list.find(own).is_none()) {
        list.remove(live);
    } else {
        list.set(live, Value::Array(rest));
    }
}

/// Removes a mapping that cleaning emptied, unless the document has one too.
fn drop_empty(live: &mut Value, own: Option<&Value>, path: &FieldPath) {
    let is_empty = path.find(live).and_then(Value::as_object).is_some_and(Map::is_empty);
    if is_empty && own.is_none_or(|own| path.find(own).is_none()) {
        path.remove(live);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::clean;

    #[test]
    fn f37_what_the_server_wrote_goes_and_every_other_top_level_field_stays() {
        let live = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "immutable": true, "data": {"a": "b"},
            "metadata": {
                "name": "x", "namespace": "y", "uid": "1", "resourceVersion": "2", "generation": 3,
                "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [],
                "annotations": {"deployment.kubernetes.io/revision": "4"},
            },
            "spec": {"replicas": 1}, "status": {"replicas": 1},
        });
        let cleaned = clean(&live, None);
        assert_eq!(
            cleaned,
            json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "immutable": true, "data": {"a": "b"},
                "metadata": {"name": "x", "namespace": "y"}, "spec": {"replicas": 1},
            })
        );
    }

    #[test]
    fn f37_per_kind_and_only_where_the_document_has_no_such_field() {
        let live = json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "x", "creationTimestamp": "now"},
            "spec": {"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"]}, "status": {"loadBalancer": {}},
        });
        assert_eq!(clean(&live, None)["spec"], json!({}));
        let own = json!({"metadata": {"creationTimestamp": null}, "spec": {"clusterIP": "10.0.0.1"}, "status": {}});
        let cleaned = clean(&live, Some(&own));
        assert_eq!(cleaned["spec"], json!({"clusterIP": "10.0.0.1"}));
        assert_eq!(cleaned["status"], json!({}));
        assert!(cleaned["metadata"]["creationTimestamp"].is_null());
        let headless = json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"},
            "spec": {"clusterIP": "None", "clusterIPs": ["None"]},
        });
        assert_eq!(clean(&headless, None), headless);
        let other =
            json!({"apiVersion": "v1", "kind": "Widget", "metadata": {"name": "x"}, "spec": {"clusterIP": "10.0.0.1"}});
        assert_eq!(clean(&other, None), other);
    }

    #[test]
    fn f37_finalizers_of_controllers_go_one_by_one() {
        let live = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": "x", "finalizers": ["kubernetes.io/pvc-protection", "mine"]},
        });
        assert_eq!(clean(&live, None)["metadata"]["finalizers"], json!(["mine"]));
        let live = json!({
            "apiVersion": "v1", "kind": "Namespace", "spec": {"finalizers": ["kubernetes"]},
            "metadata": {"name": "x", "labels": {"kubernetes.io/metadata.name": "x"}},
        });
        assert_eq!(clean(&live, None), json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}));
    }
}
