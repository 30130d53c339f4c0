//! Reviews of config maps.

use serde_json::{Value, json};

/// A creation of that name in that namespace; empty is none.
pub(crate) fn create(namespace: &str, name: &str) -> String {
    review(&json!({ "operation": "CREATE", "namespace": namespace, "name": name, "object": { "data": {} } }))
}

/// A review with these fields of the request.
pub(crate) fn review(fields: &Value) -> String {
    let mut request = json!({ "uid": "u-1", "kind": { "group": "", "version": "v1", "kind": "ConfigMap" } });
    for (key, value) in fields.as_object().into_iter().flatten() {
        request[key] = value.clone();
    }
    json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request }).to_string()
}

/// A creation whose object holds a string of so many bytes.
pub(crate) fn large(bytes: usize) -> String {
    let object = json!({ "data": { "x": "y".repeat(bytes) } });
    review(&json!({ "operation": "CREATE", "namespace": "ours", "name": "large", "object": object }))
}
