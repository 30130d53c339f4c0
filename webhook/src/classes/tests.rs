use nsclass_shared::{config::Config, identity::Gvk, kinds::Scope};
use serde_json::{Value, json};

use super::*;
use crate::{answer::Denial, review};

/// Serves everything but `Widget`.
fn kinds(gvk: &Gvk) -> Scope {
    match &*gvk.kind {
        "Widget" => Scope::Unknown,
        "ClusterRole" => Scope::ClusterScoped,
        _ => Scope::Namespaced,
    }
}

fn judge(operation: &str, object: &Value, old: &Value) -> Result<Answer, Failure> {
    judge_text(&request(operation, object, old).to_string())
}

fn judge_text(request: &str) -> Result<Answer, Failure> {
    let settings = Arc::new(ArcSwap::from_pointee(Config::default().settings().unwrap()));
    let classes = Classes::new(settings, kinds, None);
    let body = format!(r#"{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{request}}}"#);
    // Without authors it asks nobody, and is ready at once.
    classes.decide(&review::decode(body.as_bytes())?).now_or_never().expect("ready")
}

fn request(operation: &str, object: &Value, old: &Value) -> Value {
    json!({
        "uid": "u", "kind": { "group": GROUP, "version": "v1alpha1", "kind": "NamespaceClass" }, "name": "std",
        "operation": operation, "object": object, "oldObject": old,
    })
}

fn class(items: &Value) -> Value {
    json!({ "metadata": { "name": "std" }, "spec": { "resources": items } })
}

fn map(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } })
}

fn denial(answer: Result<Answer, Failure>) -> Denial {
    match answer {
        Ok(Answer::Denied(denial)) => denial,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a05_five_faults_are_five_findings_with_place_rule_and_remedy() {
    let items = json!([
        { "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "other" } },
        { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "finalizers": ["x/y"] } },
        { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "b" }, "data": { "x": "{{ .Namespace.Nmae }}" } },
        map("twice"),
        map("twice"),
        { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "Not_A_Name" } },
        { "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "w" } },
    ]);
    let denial = denial(judge("CREATE", &class(&items), &json!(null)));
    insta::assert_snapshot!(denial.message.replace(". spec", ".\nspec"), @r#"
    spec.resources[0].kind (v1/Namespace other): v1/Namespace is denied by the built-in rule that keeps a class from making namespaces; take the item out, or have "v1/Namespace" put into policy.permit.
    spec.resources[1].metadata.finalizers (v1/ConfigMap a): a class cannot set it: an object that nobody finalizes could never be deleted; remove the field.
    spec.resources[2].data.x (v1/ConfigMap b): ".Namespace.Nmae" is no variable (at character 4); the variables are .Namespace.Name, .Namespace.UID, .Namespace.Labels.<key>, .Namespace.Annotations.<key> and .Class.Name; for literal braces write {{ "{{" }}, or annotate the item with nsclass.io/template: "false".
    spec.resources[4] (v1/ConfigMap twice): is the same object as spec.resources[3] (v1/ConfigMap twice); take one of the two out, or give it another name.
    spec.resources[5].metadata.name (v1/ConfigMap Not_A_Name): "Not_A_Name" is not a DNS subdomain (lower-case letters, digits, - and ., at most 253); change the name or its variables so that every ConfigMap gets a valid one
    "#);
    assert_eq!(denial.causes.len(), 5);
    insta::assert_debug_snapshot!(denial.warnings, @r#"
    [
        "spec.resources[6].kind: the API server does not serve it",
    ]
    "#);
}

#[test]
fn a05_a_class_that_is_made_and_one_that_is_changed_get_one_answer() {
    let old = class(&json!([map("old")]));
    for items in [json!([map("a"), map("a"), map("B")]), json!([map("a")]), json!([]), json!("text"), json!(null)] {
        for spec in [json!({ "resources": items }), json!({ "resources": items, "drift": "Mend" }), json!(null)] {
            let new = json!({ "metadata": { "name": "std" }, "spec": spec });
            assert_eq!(judge("CREATE", &new, &json!(null)), judge("UPDATE", &new, &old), "{new}");
        }
    }
}

#[test]
fn a05_an_unknown_kind_is_a_warning_because_its_crd_may_come() {
    let items = json!([{ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "w" } }]);
    let answer = judge("CREATE", &class(&items), &json!(null));
    insta::assert_debug_snapshot!(answer, @r#"
    Ok(
        Allowed {
            warnings: [
                "spec.resources[0].kind: the API server does not serve it",
            ],
        },
    )
    "#);
}

#[test]
fn c06_a_name_that_cannot_be_a_label_is_refused() {
    let mut long = class(&json!([map("a")]));
    long["metadata"]["name"] = json!("x".repeat(64));
    assert!(denial(judge("CREATE", &long, &json!(null))).message.contains("more than 63 characters"));
}

#[test]
fn a06_an_update_that_leaves_the_spec_alone_passes_however_bad_the_spec_is() {
    let bad = class(&json!([{ "kind": 1 }]));
    let mut released = bad.clone();
    released["metadata"]["finalizers"] = json!([]);
    assert_eq!(judge("UPDATE", &released, &bad), Ok(Answer::Unjudged));
    // Two texts that say the same.
    let body = request("UPDATE", &released, &bad).to_string().replacen(r#""spec":{"#, r#""spec": {  "#, 1);
    assert_eq!(judge_text(&body), Ok(Answer::Unjudged));
    let mut edited = bad.clone();
    edited["spec"]["drift"] = json!("Report");
    denial(judge("UPDATE", &edited, &bad));
}

#[test]
fn bad05_what_does_not_fit_the_operation_is_decided_from_what_is_there() {
    let (good, bad) = (class(&json!([map("a")])), class(&json!([])));
    let allowed = Ok(Answer::Allowed { warnings: vec![] });
    assert_eq!(judge("CREATE", &good, &bad), allowed);
    denial(judge("CREATE", &bad, &bad));
    assert_eq!(judge("UPDATE", &good, &json!(null)), allowed);
    denial(judge("UPDATE", &bad, &json!(null)));
    assert_eq!(judge("DELETE", &json!(null), &bad), allowed);
    assert_eq!(judge("DELETE", &json!(null), &json!(null)), Ok(Answer::Unjudged));
    for operation in ["CREATE", "UPDATE"] {
        assert!(matches!(judge(operation, &json!(null), &json!(null)), Err(Failure::Malformed(_))));
    }
    denial(judge("CREATE", &json!({ "metadata": { "name": "std" } }), &json!(null)));
    assert!(matches!(judge("CREATE", &json!([1]), &json!(null)), Err(Failure::Malformed(_))));
}

#[test]
fn bad03_a_class_that_is_nested_too_deep_is_denied_with_the_limit() {
    for depth in [65, 130, 9_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let item =
            format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a"}},"data":{{"x":{deep}}}}}"#);
        let text = format!(
            r#"{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{{"uid":"u","operation":"CREATE",
            "kind":{{"group":"nsclass.io","kind":"NamespaceClass"}},"object":{{"metadata":{{"name":"std"}},"spec":{{"resources":[{item}]}}}}}}}}"#
        );
        let settings = Arc::new(ArcSwap::from_pointee(Config::default().settings().unwrap()));
        let answer = Classes::new(settings, kinds, None)
            .decide(&review::decode(text.as_bytes()).unwrap())
            .now_or_never()
            .expect("ready");
        let message = denial(answer).message;
        assert!(message.contains("levels deep") || message.contains("recursion limit"), "{message}");
    }
}

#[test]
fn c47_a_class_in_use_is_deleted_only_within_the_guard_or_with_its_confirmation() {
    let mut used = class(&json!([{ "no": "longer valid" }]));
    used["metadata"]["uid"] = json!("u-1");
    let delete = |class: &Value| judge("DELETE", &json!(null), class);
    let allowed = Ok(Answer::Allowed { warnings: vec![] });
    used["status"] = json!({ "namespaces": { "bound": 3, "ready": 3, "failing": 0 } });
    assert_eq!(delete(&used), allowed);
    used["status"]["namespaces"]["bound"] = json!(120);
    let refused = denial(delete(&used));
    assert!(refused.code == 403 && refused.message.contains("in 120 namespaces"), "{refused:?}");
    let mut confirmed = used.clone();
    let digest = nsclass_shared::guard::digest_of_deletion("u-1");
    confirmed["metadata"]["annotations"] = json!({ "nsclass.io/confirm-delete": digest });
    assert_eq!(delete(&confirmed), allowed);
    let mut orphaning = used.clone();
    orphaning["spec"]["onDelete"] = json!("Orphan");
    assert_eq!(delete(&orphaning), allowed);
    used["metadata"]["deletionTimestamp"] = json!("2026-11-30T00:00:00Z");
    assert_eq!(delete(&used), Ok(Answer::Unjudged));
}
