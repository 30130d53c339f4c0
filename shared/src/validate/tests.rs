use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::finding::Severity;
use crate::testing::{
    Blue, RBAC, config_map, extend, group, manifest, role_binding, scope, validate, verdict, with_metadata,
};

#[test]
fn a_sound_class_has_no_findings() {
    let items = [
        manifest("networking.k8s.io/v1", "NetworkPolicy", "deny", json!({ "spec": { "podSelector": {} } })),
        config_map("about", json!({ "team": "{{ .Namespace.Labels.team }}" })),
        role_binding(json!([group("{{ .Namespace.Labels.var.nsclass.io/team }}")])),
    ];
    assert_eq!(validate(&items), []);
}

#[test]
fn c12_mistakes_in_templates_are_found_before_any_namespace_is_rendered() {
    let items = [config_map(
        "{{ .Namespace.Nmae }}",
        json!({ "a": ["{{ .Namespace.Labels.team | upper }}"], "b": "{{ .Class.Name | int }}x" }),
    )];
    insta::assert_snapshot!(verdict(&items), @r#"
    Error RenderFailed: spec.resources[0].data.a[0] (v1/ConfigMap "{{ .Namespace.Nmae }}"): "upper" is no function (at character 27); the functions are default "text", int and bool
    Error RenderFailed: spec.resources[0].data.b (v1/ConfigMap "{{ .Namespace.Nmae }}"): | int needs the whole value to itself (at character 1); leave the type out, or make the value exactly one expression
    Error RenderFailed: spec.resources[0].metadata.name (v1/ConfigMap "{{ .Namespace.Nmae }}"): ".Namespace.Nmae" is no variable (at character 4); the variables are .Namespace.Name, .Namespace.UID, .Namespace.Labels.<key>, .Namespace.Annotations.<key> and .Class.Name; for literal braces write {{ "{{" }}, or annotate the item with nsclass.io/template: "false"
    "#);
}

#[test]
fn c14_a_namespace_written_out_is_refused_or_worth_a_warning() {
    insta::assert_snapshot!(verdict(&[with_metadata(json!({ "namespace": "blue" }))]), @r#"Warning InvalidManifest: spec.resources[0].metadata.namespace (v1/ConfigMap about): the class can serve the namespace "blue" alone; remove the field"#);
    assert_eq!(verdict(&[with_metadata(json!({ "namespace": "{{ .Namespace.Name }}" }))]), "");
    let mut role = manifest(RBAC, "ClusterRole", "{{ .Namespace.Name }}", json!({ "rules": [] }));
    role["metadata"]["namespace"] = json!("blue");
    insta::assert_snapshot!(verdict(&[role]), @r#"Error InvalidManifest: spec.resources[0].metadata.namespace (rbac.authorization.k8s.io/v1/ClusterRole "{{ .Namespace.Name }}"): rbac.authorization.k8s.io/v1/ClusterRole is cluster-scoped and has no namespace; remove the field"#);
}

#[test]
fn c19_every_place_of_a_grant_takes_trusted_variables_only() {
    let tenant = "{{ .Namespace.Labels.team | default \"view\" }}";
    let role = |fields: Value| manifest(RBAC, "ClusterRole", "{{ .Namespace.Name }}", fields);
    let refused = [
        role_binding(json!([{ "kind": "ServiceAccount", "name": "x", "namespace": tenant }])),
        role_binding(json!([group("{{ .Namespace.UID }}")])),
        manifest(
            RBAC,
            "RoleBinding",
            "x",
            json!({ "roleRef": { "kind": "ClusterRole", "name": tenant }, "subjects": [] }),
        ),
        manifest(RBAC, "Role", "x", json!({ "rules": [{ "resources": ["pods", tenant] }] })),
        role(json!({ "metadata": { "name": "{{ .Namespace.Name }}", "labels": { "a": tenant } } })),
        role(json!({ "aggregationRule": { "clusterRoleSelectors": [{ "matchLabels": { "a": tenant } }] } })),
        manifest(RBAC, "ClusterRole", tenant, json!({})),
    ];
    for item in refused {
        let findings = validate(std::slice::from_ref(&item));
        let refused = |finding: &Finding| finding.is_error() && finding.reason == Reason::RenderFailed;
        assert!(
            findings.iter().any(|finding| refused(finding) && finding.message.contains("is none of these")),
            "{item}"
        );
    }
    insta::assert_snapshot!(verdict(&[role(json!({ "rules": [{ "verbs": [tenant] }] }))]), @r#"Error RenderFailed: spec.resources[0].rules[0].verbs[0] (rbac.authorization.k8s.io/v1/ClusterRole "{{ .Namespace.Name }}"): a list of rules takes only .Namespace.Name, .Class.Name and guarded keys, and .Namespace.Labels.team is none of these; use a key under var.nsclass.io/, which tenants cannot set, or have team put into policy.guardedKeys"#);
    insta::assert_snapshot!(verdict(&[role(json!({ "rules": [{ "verbs": ["{{ .Namespace.UID }}"] }] }))]), @r#"Error RenderFailed: spec.resources[0].rules[0].verbs[0] (rbac.authorization.k8s.io/v1/ClusterRole "{{ .Namespace.Name }}"): a list of rules takes only .Namespace.Name, .Class.Name and guarded keys, and .Namespace.UID is none of these; use .Namespace.Name"#);
    // Tenants may choose what grants nothing.
    let free = [
        manifest(RBAC, "Role", tenant, json!({ "rules": [] })),
        manifest(RBAC, "Role", "x", json!({ "metadata": { "name": "x", "labels": { "a": tenant } } })),
        role(json!({ "metadata": { "name": "{{ .Namespace.Name }}", "annotations": { "a": tenant } } })),
        config_map("x", json!({ "subjects": [tenant] })),
    ];
    assert_eq!(verdict(&free), "");
}

#[test]
fn c19_configured_keys_are_trusted_in_grants() {
    let items = [role_binding(json!([group("{{ .Namespace.Labels.example.com/owner }}")]))];
    let verdict = |guarded: &GuardedKeys| validate_class("standard", &items, &Policy::default(), &scope, guarded);
    assert_eq!(verdict(&GuardedKeys::default()).len(), 1);
    assert_eq!(verdict(&GuardedKeys::new(&["example.com/owner"]).unwrap()), []);
}

#[test]
fn c19_a_name_of_the_system_with_a_variable_in_it_is_refused_at_once() {
    let items = [role_binding(json!([group("system:serviceaccounts:{{ .Namespace.Name }}")]))];
    insta::assert_snapshot!(verdict(&items), @r#"Error RenderFailed: spec.resources[0].subjects[0].name (rbac.authorization.k8s.io/v1/RoleBinding team): "system:serviceaccounts:" is a user or group of the system, and comes from a variable; write such names without variables; for a ServiceAccount use a subject of that kind"#);
}

#[test]
fn c33_a_cluster_scoped_object_that_two_namespaces_would_claim_is_worth_a_warning() {
    let role = |name: &str| verdict(&[manifest(RBAC, "ClusterRole", name, json!({ "rules": [] }))]);
    insta::assert_snapshot!(role("reader"), @"Warning InvalidManifest: spec.resources[0].metadata.name (rbac.authorization.k8s.io/v1/ClusterRole reader): only one namespace can have this cluster-scoped object; put {{ .Namespace.Name }} into the name");
    assert!(role("{{ .Class.Name }}-reader").starts_with("Warning"));
    assert_eq!(role("{{ .Namespace.Name }}-reader"), "");
}

#[test]
fn c23_a_denied_item_is_named_with_the_rule() {
    let items =
        [config_map("fine", json!({})), manifest(RBAC, "ClusterRoleBinding", "{{ .Namespace.Name }}", json!({}))];
    insta::assert_snapshot!(verdict(&items), @r#"Error GVKDenied: spec.resources[1].kind (rbac.authorization.k8s.io/v1/ClusterRoleBinding "{{ .Namespace.Name }}"): rbac.authorization.k8s.io/v1/ClusterRoleBinding is denied by the built-in rule that keeps grants for the whole cluster out of classes; take the item out, or have "rbac.authorization.k8s.io/v1/ClusterRoleBinding" put into policy.permit"#);
}

#[test]
fn bad08_items_that_no_class_may_hold_are_refused_and_unknown_kinds_only_mentioned() {
    let items = [
        manifest("example.com/v1", "Widget", "later", json!({})),
        manifest("v1", "List", "list", json!({ "items": [{ "kind": "Secret" }] })),
        manifest("v1", "Namespace", "red", json!({})),
        manifest("nsclass.io/v1alpha1", "NamespaceClassBinding", "blue", json!({})),
        manifest("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook", json!({})),
        with_metadata(
            json!({ "namespace": "red", "ownerReferences": [{}], "finalizers": ["x/y"], "generateName": "a-" }),
        ),
        manifest("v1", "Secret", "with-status", json!({ "status": {} })),
    ];
    insta::assert_snapshot!(verdict(&items), @r#"
    Warning KindNotFound: spec.resources[0].kind (example.com/v1/Widget later): the API server does not serve it; right if its CRD comes later
    Error GVKDenied: spec.resources[1].kind (v1/List list): v1/List is denied by the built-in rule that wants each object as an item of its own, not in a list; take the item out, or have "v1/List" put into policy.permit
    Error GVKDenied: spec.resources[2].kind (v1/Namespace red): v1/Namespace is denied by the built-in rule that keeps a class from making namespaces; take the item out, or have "v1/Namespace" put into policy.permit
    Warning InvalidManifest: spec.resources[2].metadata.name (v1/Namespace red): only one namespace can have this cluster-scoped object; put {{ .Namespace.Name }} into the name
    Error GVKDenied: spec.resources[3].kind (nsclass.io/v1alpha1/NamespaceClassBinding blue): nsclass.io/v1alpha1/NamespaceClassBinding is denied by the built-in rule that keeps this operator's own kinds out of classes; take the item out, or have "nsclass.io/v1alpha1/NamespaceClassBinding" put into policy.permit
    Error GVKDenied: spec.resources[4].kind (admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration hook): admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration is denied by the built-in rule that keeps a class from deciding about requests of the whole cluster; take the item out, or have "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration" put into policy.permit
    Error InvalidManifest: spec.resources[5].metadata.finalizers (v1/ConfigMap about): a class cannot set it: an object that nobody finalizes could never be deleted; remove the field
    Error InvalidManifest: spec.resources[5].metadata.generateName (v1/ConfigMap about): a class cannot set it: each pass would make another object; remove the field
    Error InvalidManifest: spec.resources[5].metadata.ownerReferences (v1/ConfigMap about): a class cannot set it: the binding owns what a class makes; remove the field
    Warning InvalidManifest: spec.resources[5].metadata.namespace (v1/ConfigMap about): the class can serve the namespace "red" alone; remove the field
    Warning InvalidManifest: spec.resources[6].status (v1/Secret with-status): a class does not set the status, so it is left out; remove the field
    "#);
}

#[test]
fn bad09_a_class_of_101_items_or_too_many_bytes_is_refused_with_the_limit() {
    let numbered = |count: usize, bytes: usize| -> Vec<Value> {
        (0..count).map(|index| config_map(&format!("a{index}"), json!({ "a": "x".repeat(bytes) }))).collect()
    };
    assert_eq!(verdict(&numbered(100, 10)), "");
    insta::assert_snapshot!(verdict(&numbered(101, 10)), @"Error RenderFailed: spec.resources: 101 items, and a class has 1 to 100; split the class");
    insta::assert_snapshot!(verdict(&numbered(100, 14_000)), @"Error RenderFailed: spec.resources: 1407990 bytes in all, and a class has at most 1048576; split the class");
}

#[test]
fn all_findings_come_in_one_answer_class_first_then_item_by_item() {
    let items = [
        config_map("same", json!({ "a": "{{ .Bad }}" })),
        manifest("v1", "Node", "{{ .Namespace.Name }}", json!({ "status": {} })),
        config_map("same", json!({})),
    ];
    let findings = validate_class(&"a".repeat(64), &items, &Policy::default(), &scope, &GuardedKeys::default());
    let order: Vec<_> =
        findings.iter().map(|f| (f.item.as_ref().map(|item| item.index), f.severity, f.reason)).collect();
    assert_eq!(
        order,
        [
            (None, Severity::Error, Reason::ClassInvalid),
            (Some(0), Severity::Error, Reason::RenderFailed),
            (Some(1), Severity::Warning, Reason::InvalidManifest),
            (Some(1), Severity::Error, Reason::GVKDenied),
            (Some(2), Severity::Error, Reason::DuplicateResource),
        ]
    );
}

/// Texts that stand well in one place and badly in another.
fn any_piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("plain".to_owned()),
        Just("Upper".to_owned()),
        Just("a/b".to_owned()),
        Just("system:x".to_owned()),
        Just("{{ .Namespace.Name }}".to_owned()),
        Just("{{ .Class.Name }}-x".to_owned()),
        Just("{{ .Namespace.Labels.team }}".to_owned()),
        Just("{{ .Namespace.Labels.var.nsclass.io/team }}".to_owned()),
        Just("system:{{ .Namespace.Labels.var.nsclass.io/team }}".to_owned()),
        Just("{{ .Namespace.Labels.team".to_owned()),
        Just("{{ .Nothing }}".to_owned()),
        Just("{{ \"{{\" }}".to_owned()),
    ]
}

fn any_item() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        Just(("v1", "ConfigMap")),
        Just((RBAC, "Role")),
        Just((RBAC, "ClusterRole")),
        Just((RBAC, "RoleBinding")),
        Just(("example.com/v1", "Widget")),
    ];
    let metadata = prop_oneof![
        6 => Just(json!({})),
        1 => Just(json!({ "ownerReferences": [] })),
        1 => Just(json!({ "annotations": { "nsclass.io/template": "false" } })),
        1 => any_piece().prop_map(|text| json!({ "labels": { "a": text } })),
        1 => Just(json!({ "namespace": "{{ .Namespace.Name }}" })),
    ];
    (kind, any_piece(), any_piece(), metadata).prop_map(|((api_version, kind), name, text, metadata)| {
        let fields = json!({ "subjects": [{ "name": text }], "data": { "a": text } });
        let mut item = manifest(api_version, kind, &name, fields);
        extend(&mut item["metadata"], metadata);
        item
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a04_where_all_labels_are_well_admission_and_controller_agree(items in proptest::collection::vec(any_item(), 1..3)) {
        // No two values are alike, so that what becomes one object is one in the class already.
        let blue = Blue::labelled([("team", "x"), ("var.nsclass.io/team", "y")]);
        let refused = validate(&items).iter().any(Finding::is_error);
        prop_assert_eq!(blue.render(&items).is_err(), refused, "{}", verdict(&items));
    }
}
