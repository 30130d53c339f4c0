use serde_json::{Map, Value};

use crate::scan::text::is_substituted;

/// The first field in which a document's render is not what is live, as `spec.replicas`. Nulls are absent, as the API
/// server has it; empty annotations and labels are none; a text with `${NAME}` is whatever a later substitution makes of it.
pub(super) fn difference(render: &Value, live: &Value) -> Option<String> {
    first_difference(render, live, &mut String::new())
}

fn first_difference(render: &Value, live: &Value, at: &mut String) -> Option<String> {
    match (render, live) {
        (Value::Object(render), Value::Object(live)) => objects(render, live, at),
        (Value::Array(render), Value::Array(live)) => {
            if render.len() != live.len() {
                return Some(at.clone());
            }
            render.iter().zip(live).enumerate().find_map(|(index, (render, live))| {
                within(at, &format!("[{index}]"), |at| first_difference(render, live, at))
            })
        }
        (Value::String(text), Value::Object(_) | Value::Array(_)) if is_substituted(text) => Some(at.clone()),
        (Value::String(text), _) if is_substituted(text) => None,
        (Value::Number(render), Value::Number(live)) if render.as_f64() == live.as_f64() => None,
        (render, live) => (render != live).then(|| at.clone()),
    }
}

fn objects(render: &Map<String, Value>, live: &Map<String, Value>, at: &mut String) -> Option<String> {
    let is_metadata = at == "metadata";
    let says = |key: &str, value: Option<&Value>| {
        value.is_some_and(|value| {
            let may_be_empty = !(is_metadata && matches!(key, "annotations" | "labels"));
            !value.is_null() && (may_be_empty || value.as_object().is_none_or(|map| !map.is_empty()))
        })
    };
    let keys = render.keys().chain(live.keys().filter(|key| !render.contains_key(*key)));
    keys.into_iter().find_map(|key| {
        let step = if at.is_empty() { key.clone() } else { format!(".{key}") };
        within(at, &step, |at| match (says(key, render.get(key)), says(key, live.get(key))) {
            (false, false) => None,
            (true, true) => first_difference(&render[key], &live[key], at),
            _ => Some(at.clone()),
        })
    })
}

fn within<T>(at: &mut String, step: &str, inner: impl FnOnce(&mut String) -> T) -> T {
    let length = at.len();
    at.push_str(step);
    let result = inner(at);
    at.truncate(length);
    result
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::difference;

    #[test]
    fn f33_nulls_and_empty_annotations_are_absent_and_everything_else_counts() {
        let render =
            json!({"metadata": {"name": "x", "annotations": {}}, "spec": {"a": null, "b": [1, {"c": "${C}"}]}});
        let live = json!({"metadata": {"name": "x"}, "spec": {"b": [1.0, {"c": 5}]}});
        assert_eq!(difference(&render, &live), None);
        let live = json!({"metadata": {"name": "x"}, "spec": {"b": [1, {"c": 5, "d": {}}]}});
        assert_eq!(difference(&render, &live).as_deref(), Some("spec.b[1].d"));
        let live = json!({"metadata": {"name": "x"}, "spec": {"b": [2, {"c": 5}]}});
        assert_eq!(difference(&render, &live).as_deref(), Some("spec.b[0]"));
    }
}
