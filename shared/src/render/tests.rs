use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{Blue, RBAC, config_map, group, manifest as item, role_binding, scope, with_metadata};

#[test]
fn c10_templates_are_filled_at_any_depth_and_keys_are_left_alone() {
    let blue = Blue::labelled([("example.com/cost.centre", "4711")]);
    let text = "{{ .Namespace.Labels.example.com/cost.centre }}";
    let rendered = blue.object(config_map("about", json!({ "{{ .Class.Name }}": [{ "a": [text] }], "b": true })));
    assert_eq!(rendered["data"], json!({ "{{ .Class.Name }}": [{ "a": ["4711"] }], "b": true }));
}

#[test]
fn bad10_c11_values_come_out_verbatim_whatever_they_hold() {
    for text in [
        "\"quoted\" 'text'",
        "{{ .Namespace.Name }}",
        "${HOME} $(id)",
        "a\n---\nkind: Secret\n",
        "!!binary x",
        "*a",
        "{}",
    ] {
        let blue = Blue::annotated([("note", text)]);
        let rendered = blue.object(config_map("about", json!({ "note": "{{ .Namespace.Annotations.note }}" })));
        assert_eq!(rendered["data"], json!({ "note": text }));
    }
}

#[test]
fn c12_all_missing_variables_of_all_items_are_listed_in_one_answer() {
    let items = [
        config_map(
            "a",
            json!({ "x": "{{ .Namespace.Labels.team }}", "y": "{{ .Namespace.Labels.none | default \"\" }}" }),
        ),
        config_map("b", json!({ "x": "{{ .Namespace.Labels.team }}-{{ .Namespace.Annotations.example.com/size }}" })),
    ];
    insta::assert_snapshot!(Blue::default().refusal(&items), @r#"
    Error RenderFailed: spec.resources[0].data.x (v1/ConfigMap a): the namespace has no .Namespace.Labels.team; set it on the namespace, or write {{ .Namespace.Labels.team | default "…" }}
    Error RenderFailed: spec.resources[1].data.x (v1/ConfigMap b): the namespace has no .Namespace.Labels.team; set it on the namespace, or write {{ .Namespace.Labels.team | default "…" }}
    Error RenderFailed: spec.resources[1].data.x (v1/ConfigMap b): the namespace has no .Namespace.Annotations.example.com/size; set it on the namespace, or write {{ .Namespace.Annotations.example.com/size | default "…" }}
    "#);
}

#[test]
fn c12_an_item_can_keep_its_braces() {
    let mut kept = config_map("rules", json!({ "expr": "{{ $labels.instance }}" }));
    kept["metadata"]["annotations"] = json!({ "nsclass.io/template": "false" });
    assert_eq!(Blue::default().object(kept.clone()), {
        kept["metadata"]["namespace"] = json!("blue");
        kept
    });
    let quoted = config_map("rules", json!({ "expr": "{{ \"{{\" }} $labels.instance }}" }));
    assert_eq!(Blue::default().object(quoted)["data"]["expr"], "{{ $labels.instance }}");
}

#[test]
fn c13_typed_values_are_no_strings_and_what_does_not_fit_is_refused() {
    let quota = |replicas: &str| {
        let spec = json!({ "spec": { "replicas": "{{ .Namespace.Labels.replicas | default \"2\" | int }}",
                                     "paused": "{{ .Namespace.Labels.paused | default \"false\" | bool }}" } });
        Blue::labelled([("replicas", replicas)]).render(&[item("apps/v1", "Deployment", "web", spec)])
    };
    let spec = quota("3").unwrap().objects.remove(0).manifest["spec"].take();
    assert_eq!(spec, json!({ "replicas": 3, "paused": false }));
    insta::assert_snapshot!(quota("three").unwrap_err(), @r#"spec.resources[0].spec.replicas (apps/v1/Deployment web): "three" is not a whole number of 64 bits in plain decimal form (from .Namespace.Labels.replicas); correct it on the namespace"#);
}

#[test]
fn c14_only_the_target_namespace_can_be_named() {
    let blue = Blue::labelled([("other", "red")]);
    for name in ["blue", "{{ .Namespace.Name }}"] {
        let rendered = blue.object(with_metadata(json!({ "namespace": name })));
        assert_eq!(rendered["metadata"]["namespace"], "blue");
    }
    insta::assert_snapshot!(blue.refusal(&[with_metadata(json!({ "namespace": "red" }))]), @r#"Error RenderFailed: spec.resources[0].metadata.namespace (v1/ConfigMap about): "red" is not the namespace blue, which the class is rendered for; remove the field, or write {{ .Namespace.Name }}"#);
    insta::assert_snapshot!(blue.refusal(&[with_metadata(json!({ "namespace": "{{ .Namespace.Labels.other }}" }))]), @r#"Error RenderFailed: spec.resources[0].metadata.namespace (v1/ConfigMap about): "red" is not the namespace blue, which the class is rendered for; remove the field, or write {{ .Namespace.Name }}"#);
    insta::assert_snapshot!(blue.refusal(&[with_metadata(json!({ "namespace": "" }))]), @r#"Error RenderFailed: spec.resources[0].metadata.namespace (v1/ConfigMap about): "" is not the namespace blue, which the class is rendered for; remove the field, or write {{ .Namespace.Name }}"#);
}

#[test]
fn c14_a_cluster_scoped_object_has_no_namespace() {
    let mut role = item(RBAC, "ClusterRole", "{{ .Namespace.Name }}-reader", json!({ "rules": [] }));
    let rendered = Blue::default().render(std::slice::from_ref(&role)).unwrap().objects.remove(0);
    assert_eq!(rendered.identity.unwrap().to_string(), "rbac.authorization.k8s.io/ClusterRole//blue-reader");
    assert_eq!(rendered.manifest["metadata"], json!({ "name": "blue-reader" }));
    role["metadata"]["namespace"] = json!("{{ .Namespace.Name }}");
    insta::assert_snapshot!(Blue::default().refusal(&[role]), @r#"Error InvalidManifest: spec.resources[0].metadata.namespace (rbac.authorization.k8s.io/v1/ClusterRole "{{ .Namespace.Name }}-reader"): rbac.authorization.k8s.io/v1/ClusterRole is cluster-scoped and has no namespace; remove the field"#);
}

#[test]
fn a_kind_that_is_not_known_has_no_identity_yet() {
    let widget = item("example.com/v1", "Widget", "{{ .Namespace.Name }}", json!({}));
    let rendered = Blue::default().render(&[widget]).unwrap().objects.remove(0);
    assert_eq!((rendered.identity, rendered.name.as_str()), (None, "blue"));
    assert_eq!(rendered.manifest["metadata"], json!({ "name": "blue" }));
}

#[test]
fn c15_status_and_empty_fields_of_metadata_are_left_out() {
    let mut item = with_metadata(json!({ "creationTimestamp": null, "labels": null, "annotations": { "a": "b" } }));
    item["status"] = json!({ "phase": "{{ .Namespace.Labels.missing }}" });
    assert_eq!(
        Blue::default().object(item),
        json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": { "name": "about", "namespace": "blue", "annotations": { "a": "b" } },
            "data": {},
        })
    );
}

#[test]
fn c16_a_name_that_a_value_spoils_names_item_and_value() {
    let blue = Blue::annotated([("name", "Blue Team")]);
    let named = |api_version, kind| item(api_version, kind, "x-{{ .Namespace.Annotations.name }}", json!({}));
    insta::assert_snapshot!(blue.refusal(&[named("v1", "ConfigMap")]), @r#"Error RenderFailed: spec.resources[0].metadata.name (v1/ConfigMap "x-{{ .Namespace.Annotations.name }}"): "x-Blue Team" is not a DNS subdomain (lower-case letters, digits, - and ., at most 253); change the name or its variables so that every ConfigMap gets a valid one"#);
    insta::assert_snapshot!(blue.refusal(&[named(RBAC, "Role")]), @r#"Error RenderFailed: spec.resources[0].metadata.name (rbac.authorization.k8s.io/v1/Role "x-{{ .Namespace.Annotations.name }}"): "x-Blue Team" is not a path segment (no /, %, ?, # or blank, neither . nor .., at most 253); change the name or its variables so that every Role gets a valid one"#);
    let blue = Blue::annotated([("name", "a:B")]);
    assert_eq!(blue.object(named(RBAC, "Role"))["metadata"]["name"], "x-a:B");
}

#[test]
fn c17_items_that_become_one_object_are_refused() {
    let blue = Blue::labelled([("a", "same"), ("b", "same")]);
    let items = [
        config_map("{{ .Namespace.Labels.a }}", json!({})),
        item("v1", "Secret", "same", json!({})),
        config_map("{{ .Namespace.Labels.b }}", json!({})),
    ];
    insta::assert_snapshot!(blue.refusal(&items), @r#"Error DuplicateResource: spec.resources[2] (v1/ConfigMap "{{ .Namespace.Labels.b }}"): is the same object as spec.resources[0] (v1/ConfigMap "{{ .Namespace.Labels.a }}"); take one of the two out, or give it another name"#);
}

#[test]
fn c18_values_cannot_make_an_object_or_a_class_too_large() {
    let long = "x".repeat(100 * 1024);
    let blue = Blue::annotated([("long", &long)]);
    let times = |name: &str, n: usize| config_map(name, json!({ "x": vec!["{{ .Namespace.Annotations.long }}"; n] }));
    assert!(blue.render(&[times("a", 2)]).is_ok());
    // A thousand times would be 100 MiB; it is refused after the second.
    insta::assert_snapshot!(blue.refusal(&[times("a", 1000)]), @"Error RenderFailed: spec.resources[0].data.x[2] (v1/ConfigMap a): with its values the object has more than 262144 bytes; shorten the values on the namespace, or use them less often");
    let many: Vec<Value> = (0..6).map(|index| times(&format!("a{index}"), 2)).collect();
    insta::assert_snapshot!(blue.refusal(&many), @"Error RenderFailed: spec.resources: 1229304 bytes in all, and a class has at most 1048576; split the class");
    // What JSON escapes is longer than the value.
    let escaped = Blue::annotated([("long", &"\u{1}".repeat(100 * 1024))]);
    insta::assert_snapshot!(escaped.refusal(&[times("a", 1)]), @"Error RenderFailed: spec.resources[0] (v1/ConfigMap a): 614480 bytes as JSON, and an object has at most 262144; split the object");
}

#[test]
fn c19_grants_are_built_from_names_and_guarded_keys() {
    let blue = Blue::labelled([("var.nsclass.io/team", "ops"), ("team", "admins")]);
    let trusted = role_binding(json!([
        group("{{ .Namespace.Labels.var.nsclass.io/team }}"),
        group("{{ .Namespace.Name }}-{{ .Class.Name }}")
    ]));
    assert_eq!(blue.object(trusted)["subjects"], json!([group("ops"), group("blue-standard")]));
    insta::assert_snapshot!(blue.refusal(&[role_binding(json!([group("{{ .Namespace.Labels.team }}")]))]), @"Error RenderFailed: spec.resources[0].subjects[0].name (rbac.authorization.k8s.io/v1/RoleBinding team): a list of subjects takes only .Namespace.Name, .Class.Name and guarded keys, and .Namespace.Labels.team is none of these; use a key under var.nsclass.io/, which tenants cannot set, or have team put into policy.guardedKeys");
}

#[test]
fn c19_a_variable_makes_nobody_a_user_or_group_of_the_system() {
    let key = "{{ .Namespace.Labels.var.nsclass.io/team }}";
    let refusal = |value: &str, subject: Value| {
        Blue::labelled([("var.nsclass.io/team", value)]).refusal(&[role_binding(json!([subject]))])
    };
    insta::assert_snapshot!(refusal("system:masters", group(key)), @r#"Error RenderFailed: spec.resources[0].subjects[0].name (rbac.authorization.k8s.io/v1/RoleBinding team): "system:masters" is a user or group of the system, and comes from a variable; write such names without variables; for a ServiceAccount use a subject of that kind"#);
    insta::assert_snapshot!(refusal("tem:masters", group(&format!("sys{key}"))), @r#"Error RenderFailed: spec.resources[0].subjects[0].name (rbac.authorization.k8s.io/v1/RoleBinding team): "system:masters" is a user or group of the system, and comes from a variable; write such names without variables; for a ServiceAccount use a subject of that kind"#);
    insta::assert_snapshot!(refusal("kube-system", group(&format!("system:serviceaccounts:{key}"))), @r#"Error RenderFailed: spec.resources[0].subjects[0].name (rbac.authorization.k8s.io/v1/RoleBinding team): "system:serviceaccounts:kube-system" is a user or group of the system, and comes from a variable; write such names without variables; for a ServiceAccount use a subject of that kind"#);
    let rule = json!({ "rules": [{ "apiGroups": [""], "resources": ["groups"], "verbs": ["impersonate"], "resourceNames": [key] }] });
    let blue = Blue::labelled([("var.nsclass.io/team", "system:masters")]);
    insta::assert_snapshot!(blue.refusal(&[item(RBAC, "Role", "x", rule)]), @r#"Error RenderFailed: spec.resources[0].rules[0].resourceNames[0] (rbac.authorization.k8s.io/v1/Role x): "system:masters" is a user or group of the system, and comes from a variable; write such names without variables; for a ServiceAccount use a subject of that kind"#);
    let plain = role_binding(json!([group("system:authenticated"), group("{{ \"system:authenticated\" }}")]));
    assert!(blue.render(&[plain]).is_ok());
}

#[test]
fn c23_a_value_that_makes_an_item_a_denied_one_is_denied() {
    let blue = Blue::labelled([("type", "kubernetes.io/service-account-token"), ("account", "default")]);
    let rendered = blue
        .render(&[
            item("v1", "Secret", "token", json!({ "type": "{{ .Namespace.Labels.type }}" })),
            item("v1", "ServiceAccount", "{{ .Namespace.Labels.account }}", json!({})),
            config_map("fine", json!({})),
        ])
        .unwrap();
    insta::assert_snapshot!(sentences(&rendered.denials(&Policy::default())), @r#"spec.resources[0].kind (v1/Secret token): v1/Secret is denied by the built-in rule that keeps a class from minting tokens that do not expire; take the item out, or have "v1/Secret" put into policy.permit. spec.resources[1].kind (v1/ServiceAccount "{{ .Namespace.Labels.account }}"): v1/ServiceAccount is denied by the built-in rule that leaves the ServiceAccount default to Kubernetes, which makes it; take the item out, or have "v1/ServiceAccount" put into policy.permit"#);
}

#[test]
fn c50_recorded_values_render_the_same_again_also_where_defaults_differ() {
    let items = [config_map(
        "{{ .Namespace.Labels.a }}",
        json!({ "x": "{{ .Namespace.Labels.b | default \"1\" }}", "y": "{{ .Namespace.Labels.b | default \"2\" | int }}" }),
    )];
    let class = CompiledClass::compile("standard", &items);
    let first = Blue::labelled([("a", "old"), ("unused", "x")]).render(&items).unwrap();
    assert_eq!(first.values, BTreeMap::from([(".Namespace.Labels.a".to_owned(), "old".to_owned())]));
    let recorded = Variables::recorded("blue", "u-1", &first.values, "standard");
    assert_eq!(class.render(&recorded, &scope, &GuardedKeys::default()), Ok(first));
}

/// Templates that ask for one annotation each, and values of them of any text.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[{}\\[\\]\",:\n$&*!|>-]{0,16}",
        Just("{{ .Namespace.Annotations.a }}".to_owned()),
        Just("\"}, \"x\": {\"".to_owned()),
    ]
}

/// Data of a shape of its own, in which some strings ask for the annotations `a` and `b`.
fn any_data() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!("{{ .Namespace.Annotations.a }}")),
        Just(json!("pre {{ .Namespace.Annotations.b }} post")),
        Just(json!("}} text { {")),
        Just(json!(7)),
        Just(Value::Null),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::btree_map("[a-z{}]{1,3}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// What a reader would fill in by hand.
fn filled(value: &Value, a: &str, b: &str) -> Value {
    match value {
        Value::String(text) if text.contains("Annotations.a") => json!(a),
        Value::String(text) if text.contains("Annotations.b") => json!(format!("pre {b} post")),
        Value::Array(list) => list.iter().map(|inner| filled(inner, a, b)).collect(),
        Value::Object(map) => map.iter().map(|(key, inner)| (key.clone(), filled(inner, a, b))).collect(),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn c11_rendering_never_turns_a_value_into_structure(data in any_data(), a in any_text(), b in any_text()) {
        let blue = Blue::annotated([("a", &a), ("b", &b)]);
        let rendered = blue.object(config_map("about", json!({ "data": data })));
        prop_assert_eq!(&rendered["data"]["data"], &filled(&data, &a, &b));
        // Nor does a trip over the wire.
        let read_again: Value = serde_json::from_str(&rendered.to_string()).unwrap();
        prop_assert_eq!(read_again, rendered);
    }

    #[test]
    fn c50_what_was_recorded_renders_the_same_again(data in any_data(), a in any_text(), b in any_text()) {
        let class = CompiledClass::compile("standard", &[config_map("about", json!({ "data": data }))]);
        let blue = Blue::annotated([("a", &a), ("b", &b)]);
        let render = |variables: &Variables<'_>| class.render(variables, &scope, &GuardedKeys::default());
        let first = render(&blue.variables()).unwrap();
        let recorded = Variables::recorded("blue", "u-1", &first.values, "standard");
        prop_assert_eq!(render(&recorded), Ok(first));
    }
}
