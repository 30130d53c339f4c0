//! The reviews that are sent.

use serde_json::json;

/// A review of a class as the API server writes it, of 2.7 kB where there is one object in it. No real class is in a namespace; one that
/// claims to be shows what the gate costs, which stands before every validator.
pub(crate) fn review(namespace: &str, operation: &str) -> String {
    let mut items = vec![
        json!({ "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": { "name": "default-deny" },
            "spec": { "podSelector": {}, "policyTypes": ["Ingress", "Egress"] } }),
        json!({ "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "compute" },
            "spec": { "hard": { "requests.cpu": "4", "requests.memory": "8Gi", "limits.cpu": "8", "limits.memory": "16Gi" } } }),
        json!({ "apiVersion": "v1", "kind": "LimitRange", "metadata": { "name": "defaults" },
            "spec": { "limits": [{ "type": "Container", "default": { "cpu": "500m", "memory": "512Mi" } }] } }),
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "deployer" } }),
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "about" },
            "data": { "namespace": "{{ .Namespace.Name }}", "team": "{{ .Namespace.Labels.team | default \"none\" }}", "text": "" } }),
    ];
    let gvk = json!({ "group": "nsclass.io", "version": "v1alpha1", "kind": "NamespaceClass" });
    let resource = json!({ "group": "nsclass.io", "version": "v1alpha1", "resource": "namespaceclasses" });
    let mut text = String::new();
    for padding in [0, 1] {
        if padding == 1 {
            items[4]["data"]["text"] = json!("x".repeat(2_700_usize.saturating_sub(text.len())));
        }
        let object = json!({ "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass",
            "metadata": { "name": "team-standard", "uid": "9bb9bd9f-8f2d-4ad0-a4b3-7d4f1c1a9e57", "generation": 1,
                "creationTimestamp": "2026-11-30T00:00:00Z", "managedFields": [{ "manager": "kubectl-create", "operation":
                "Update", "apiVersion": "nsclass.io/v1alpha1", "time": "2026-11-30T00:00:00Z", "fieldsType": "FieldsV1",
                "fieldsV1": { "f:spec": { ".": {}, "f:adoption": {}, "f:drift": {}, "f:resources": {} } } }] },
            "spec": { "adoption": "Refuse", "drift": "Repair", "immutable": "Report", "onDelete": "Delete", "optOutDelay": "60s",
                "resources": items } });
        let old = if operation == "UPDATE" { object.clone() } else { json!(null) };
        let review = json!({ "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
            "uid": "0df28fbd-5f5f-11e8-bc74-36e6bb280816", "kind": gvk, "resource": resource, "requestKind": gvk,
            "requestResource": resource, "name": "team-standard", "namespace": namespace, "operation": operation, "dryRun": false,
            "userInfo": { "username": "jane@example.com", "uid": "1234", "groups": ["platform", "system:authenticated"] },
            "object": object, "oldObject": old,
            "options": { "kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "kubectl-create" } } });
        text = review.to_string();
    }
    text
}
