use serde_json::json;

use super::*;
use crate::finding::sentences;
use crate::testing::{config_map, manifest, verdict, with_metadata};

#[test]
fn c06_a_class_name_that_is_no_label_value_is_refused() {
    let items = [config_map("about", json!({}))];
    assert_eq!(CompiledClass::compile(&"a".repeat(63), &items).findings(), []);
    insta::assert_snapshot!(sentences(CompiledClass::compile(&"a".repeat(64), &items).findings()), @r#"metadata.name: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"… has more than 63 characters, and becomes the value of a label; choose a shorter name"#);
}

#[test]
fn an_item_must_be_a_manifest() {
    insta::assert_snapshot!(verdict(&[json!("text")]), @"
    Error InvalidManifest: spec.resources[0].apiVersion: apiVersion is missing or not a string; write apiVersion and kind as text without templates, such as apps/v1 and Deployment
    Error InvalidManifest: spec.resources[0].metadata: missing, or not a map; give the item metadata with a name
    ");
    insta::assert_snapshot!(verdict(&[json!({ "apiVersion": "v1", "metadata": { "name": "x" } })]), @"Error InvalidManifest: spec.resources[0].kind (x): kind is missing or not a string; write apiVersion and kind as text without templates, such as apps/v1 and Deployment");
    insta::assert_snapshot!(verdict(&[manifest("v1", "{{ .Class.Name }}", "x", json!({}))]), @r#"Error InvalidManifest: spec.resources[0].kind (x): kind "{{ .Class.Name }}" is not the name of a kind; write apiVersion and kind as text without templates, such as apps/v1 and Deployment"#);
    insta::assert_snapshot!(verdict(&[manifest("v1", "ConfigMap", "", json!({}))]), @"Error InvalidManifest: spec.resources[0].metadata.name (v1/ConfigMap): missing, empty or not a string; give the item a name");
    insta::assert_snapshot!(verdict(&[with_metadata(json!({ "name": 7 }))]), @"Error InvalidManifest: spec.resources[0].metadata.name (v1/ConfigMap): missing, empty or not a string; give the item a name");
}

#[test]
fn c15_each_field_that_a_class_cannot_set_is_refused_by_name() {
    let fields = json!({
        "uid": "x",
        "resourceVersion": "1",
        "generation": 1,
        "managedFields": [],
        "selfLink": "/x",
        "ownerReferences": [],
        "finalizers": ["x"],
        "generateName": "x-",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "zones": "x",
    });
    insta::assert_snapshot!(verdict(&[with_metadata(fields)]), @"
    Error InvalidManifest: spec.resources[0].metadata.creationTimestamp (v1/ConfigMap about): a class cannot set it: the API server sets it; remove the field
    Error InvalidManifest: spec.resources[0].metadata.finalizers (v1/ConfigMap about): a class cannot set it: an object that nobody finalizes could never be deleted; remove the field
    Error InvalidManifest: spec.resources[0].metadata.generateName (v1/ConfigMap about): a class cannot set it: each pass would make another object; remove the field
    Error InvalidManifest: spec.resources[0].metadata.generation (v1/ConfigMap about): a class cannot set it: the API server counts it; remove the field
    Error InvalidManifest: spec.resources[0].metadata.managedFields (v1/ConfigMap about): a class cannot set it: the API server keeps it; remove the field
    Error InvalidManifest: spec.resources[0].metadata.ownerReferences (v1/ConfigMap about): a class cannot set it: the binding owns what a class makes; remove the field
    Error InvalidManifest: spec.resources[0].metadata.resourceVersion (v1/ConfigMap about): a class cannot set it: the API server counts it; remove the field
    Error InvalidManifest: spec.resources[0].metadata.selfLink (v1/ConfigMap about): a class cannot set it: the API server no longer uses it; remove the field
    Error InvalidManifest: spec.resources[0].metadata.uid (v1/ConfigMap about): a class cannot set it: the API server gives each object its own; remove the field
    Error InvalidManifest: spec.resources[0].metadata.zones (v1/ConfigMap about): a class cannot set it: it is no field of an object's metadata; remove the field
    ");
}

#[test]
fn c15_null_fields_of_metadata_say_nothing() {
    assert_eq!(
        verdict(&[with_metadata(json!({ "creationTimestamp": null, "ownerReferences": null, "namespace": null }))]),
        ""
    );
}

#[test]
fn c15_keys_of_the_operator_are_refused_but_for_the_documented_ones() {
    let annotated = |key: &str, value: &str| verdict(&[with_metadata(json!({ "annotations": { key: value } }))]);
    for (key, value) in [
        ("nsclass.io/template", "true"),
        ("nsclass.io/on-delete", "Orphan"),
        ("nsclass.io/on-delete", "Delete"),
        ("nsclass.io/exact", "true"),
        ("xnsclass.io/object", "free"),
        ("nsclass.io.example.com/object", "free"),
        ("nsclass.io", "free"),
    ] {
        assert_eq!(annotated(key, value), "", "{key}");
    }
    insta::assert_snapshot!(annotated("nsclass.io/object", "/ConfigMap/a/b"), @"Error InvalidManifest: spec.resources[0].metadata.annotations[nsclass.io/object] (v1/ConfigMap about): keys under nsclass.io are the operator's; remove it; an item may carry the annotations nsclass.io/template, nsclass.io/on-delete, nsclass.io/exact");
    insta::assert_snapshot!(annotated("var.nsclass.io/team", "x"), @"Error InvalidManifest: spec.resources[0].metadata.annotations[var.nsclass.io/team] (v1/ConfigMap about): keys under nsclass.io are the operator's; remove it; an item may carry the annotations nsclass.io/template, nsclass.io/on-delete, nsclass.io/exact");
    insta::assert_snapshot!(annotated("nsclass.io/on-delete", "Keep"), @r#"Error InvalidManifest: spec.resources[0].metadata.annotations[nsclass.io/on-delete] (v1/ConfigMap about): neither "Delete" nor "Orphan"; write one of the two"#);
    insta::assert_snapshot!(annotated("nsclass.io/exact", "{{ .Namespace.Labels.x | default \"true\" }}"), @r#"Error InvalidManifest: spec.resources[0].metadata.annotations[nsclass.io/exact] (v1/ConfigMap about): neither "true" nor "false"; write one of the two"#);
    insta::assert_snapshot!(verdict(&[with_metadata(json!({ "labels": { "nsclass.io/exact": "true" } }))]), @"Error InvalidManifest: spec.resources[0].metadata.labels[nsclass.io/exact] (v1/ConfigMap about): keys under nsclass.io are the operator's; remove it; an item may carry the annotations nsclass.io/template, nsclass.io/on-delete, nsclass.io/exact");
}

#[test]
fn labels_and_annotations_are_strings() {
    insta::assert_snapshot!(verdict(&[with_metadata(json!({ "labels": { "a": 1, "b": null }, "annotations": [] }))]), @"
    Error InvalidManifest: spec.resources[0].metadata.annotations (v1/ConfigMap about): not a map; write one key: value pair a line
    Error InvalidManifest: spec.resources[0].metadata.labels.a (v1/ConfigMap about): not a string; put the value in double quotes
    Error InvalidManifest: spec.resources[0].metadata.labels.b (v1/ConfigMap about): not a string; put the value in double quotes
    ");
    insta::assert_snapshot!(verdict(&[with_metadata(json!({ "labels": { "a": "{{ .Namespace.Labels.a | int }}" } }))]), @"Error RenderFailed: spec.resources[0].metadata.labels.a (v1/ConfigMap about): metadata holds strings, no numbers or truth values; leave out | int or | bool");
}

#[test]
fn c16_a_name_that_no_value_can_mend_is_refused_at_once() {
    for name in ["Upper", "a/b", "../x", "-{{ .Namespace.Name }}", "{{ .Namespace.Name }}_x"] {
        assert!(verdict(&[config_map(name, json!({}))]).contains("is not a DNS subdomain"), "{name}");
    }
    assert_eq!(verdict(&[config_map("a.{{ .Namespace.Name }}", json!({}))]), "");
}

#[test]
fn c17_two_items_of_one_identity_are_duplicates_whatever_the_version() {
    let hpa = |version: &str, name: &str| {
        manifest(&format!("autoscaling/{version}"), "HorizontalPodAutoscaler", name, json!({}))
    };
    insta::assert_snapshot!(verdict(&[hpa("v1", "web"), config_map("web", json!({})), hpa("v2", "{{ \"web\" }}")]), @r#"Error DuplicateResource: spec.resources[2] (autoscaling/v2/HorizontalPodAutoscaler "{{ \"web\" }}"): is the same object as spec.resources[0] (autoscaling/v1/HorizontalPodAutoscaler web); take one of the two out, or give it another name"#);
    let templated = "{{ .Namespace.Name }}";
    insta::assert_snapshot!(verdict(&[hpa("v2", templated), hpa("v2", "{{.Namespace.Name}}")]), @r#"Error DuplicateResource: spec.resources[1] (autoscaling/v2/HorizontalPodAutoscaler "{{.Namespace.Name}}"): is the same object as spec.resources[0] (autoscaling/v2/HorizontalPodAutoscaler "{{ .Namespace.Name }}"); take one of the two out, or give it another name"#);
    assert_eq!(verdict(&[hpa("v2", "web"), hpa("v2", "api"), hpa("v2", templated)]), "");
}

#[test]
fn c18_levels_bytes_and_items_have_limits() {
    let nested = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({ "a": inner }));
    // The manifest itself is a level, and so is what stands innermost.
    assert_eq!(verdict(&[config_map("deep", nested(62))]), "");
    insta::assert_snapshot!(verdict(&[config_map("deep", nested(63))]), @"Error RenderFailed: spec.resources[0]: maps and lists stand in one another more than 64 levels deep; flatten the manifest");
    let sized = |name: &str, bytes: usize| config_map(name, json!({ "a": "x".repeat(bytes) }));
    assert_eq!(verdict(&[sized("large", 250 * 1024)]), "");
    insta::assert_snapshot!(verdict(&[sized("large", 256 * 1024)]), @"Error RenderFailed: spec.resources[0] (v1/ConfigMap large): 262226 bytes as JSON, and an object has at most 262144; split the object");
    let many: Vec<Value> = (0..5).map(|index| sized(&format!("a{index}"), 220 * 1024)).collect();
    insta::assert_snapshot!(verdict(&many), @"Error RenderFailed: spec.resources: 1126795 bytes in all, and a class has at most 1048576; split the class");
    insta::assert_snapshot!(verdict(&[]), @"Error RenderFailed: spec.resources: 0 items, and a class has 1 to 100; give it an item");
}

#[test]
fn c18_items_far_too_deep_are_refused_without_recursion() {
    for levels in [130, 9_000] {
        let mut items = [json!({})];
        for _ in 1..levels {
            let inner = std::mem::take(&mut items[0]);
            items[0] = Value::Object([("a".to_owned(), inner)].into_iter().collect());
        }
        assert!(verdict(&items).contains("more than 64 levels"), "{levels}");
        // Dropping a value recurses as well, so the test takes it apart by hand.
        while let Some(inner) = items[0].get_mut("a").map(Value::take) {
            items[0] = inner;
        }
    }
}

#[test]
fn c18_a_class_full_of_mistakes_is_refused_in_few_words() {
    let pieces = ["{{a}}", "{{}}", "{{ \"", "{{", "{{ .Class.Name | int }}", "{{ .Class.Name |x}}", "{{ \"\\\" }}"];
    for piece in pieces {
        let long = piece.repeat(250 * 1024 / piece.len());
        let many = vec![piece; 20_000];
        let findings = CompiledClass::compile("x", &[config_map("a", json!(long)), config_map("b", json!(many))]);
        assert!((1..=102).contains(&findings.findings().len()), "{piece}");
    }
    let full = CompiledClass::compile("x", &[config_map("a", json!("{{}}".repeat(1000)))]);
    let last = full.findings().last().map(ToString::to_string);
    insta::assert_snapshot!(last.unwrap_or_default(), @"spec.resources[0] (v1/ConfigMap a): has 950 mistakes more; mend the others first");
}
