//! The template that is shipped, and what no template may say.

use super::*;

const SHIPPED: &str = include_str!("../../../../deploy/webhook-configuration.yaml");

/// Judges a namespaced kind, as the folder kinds will be.
fn namespaced() -> Value {
    json!({
        "name": "things.nsclass.io", "failurePolicy": "Fail", "sideEffects": "None", "matchPolicy": "Equivalent",
        "timeoutSeconds": 3, "admissionReviewVersions": ["v1"], "clientConfig": { "url": "https://127.0.0.1:8443/x" },
        "rules": [{ "apiGroups": ["nsclass.io"], "apiVersions": ["*"], "resources": ["things"],
            "operations": ["CREATE", "UPDATE"], "scope": "Namespaced" }],
    })
}

fn with(webhook: &Value) -> String {
    json!({ "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": "test" }, "webhooks": [webhook] })
    .to_string()
}

/// The webhook with another value at a path such as `/rules/0/scope`.
fn but(path: &str, value: Value) -> String {
    let mut webhook = namespaced();
    let (parent, key) = path.rsplit_once('/').unwrap();
    webhook.pointer_mut(parent).unwrap()[key] = value;
    Template::parse(&with(&webhook)).unwrap_err().to_string()
}

fn filling(reach: &Reach) -> Filling<'_> {
    Filling { instance: "default", operator_namespace: "ops", own_user: None, reach, trust: Trust::Bundle("Q0E=") }
}

#[test]
fn a14_the_shipped_template_keeps_the_rules_and_judges_classes() {
    let template = Template::parse(SHIPPED).unwrap();
    let user = "system:serviceaccount:ops:nsclass-controller";
    let filling = Filling { own_user: Some(user), ..filling(&Reach::Every) };
    let rendered = template.render(&filling);
    let webhook = &rendered["webhooks"][0];
    assert_eq!(webhook["failurePolicy"], "Fail");
    assert_eq!(webhook["rules"][0]["operations"], json!(["CREATE", "UPDATE", "DELETE"]));
    assert_eq!(webhook["clientConfig"]["service"]["path"], "/admit/namespaceclasses");
    assert_eq!(webhook["clientConfig"]["service"]["namespace"], "ops");
    assert_eq!(webhook["clientConfig"]["caBundle"], "Q0E=");
    assert!(webhook["namespaceSelector"].is_null(), "classes are in no namespace");
    let conditions = webhook["matchConditions"].as_array().unwrap();
    assert!(conditions.iter().any(|it| it["expression"].as_str().unwrap().contains(user)), "{conditions:?}");
}

#[test]
fn a15_what_would_keep_the_cluster_down_is_refused_with_its_path() {
    insta::assert_snapshot!(but("/failurePolicy", json!("Perhaps")), @"webhooks[0].failurePolicy: must be Fail or Ignore");
    insta::assert_snapshot!(but("/sideEffects", json!("Some")), @"webhooks[0].sideEffects: must be None: a dry run leaves no trace");
    insta::assert_snapshot!(but("/matchPolicy", json!("Exact")), @"webhooks[0].matchPolicy: must be Equivalent: another version of a kind is no way around us");
    insta::assert_snapshot!(but("/timeoutSeconds", json!(10)), @"webhooks[0].timeoutSeconds: must be 1 to 3: whoever writes waits that long while we are down");
    insta::assert_snapshot!(but("/admissionReviewVersions", json!(["v1beta1"])), @"webhooks[0].admissionReviewVersions: must list v1");
    insta::assert_snapshot!(but("/clientConfig/service", json!({})), @"webhooks[0].clientConfig: must have either a service or a url");
    insta::assert_snapshot!(but("/clientConfig/caBundle", json!("Q0E=")), @"webhooks[0].clientConfig.caBundle: must be left out: the operator puts it there");
    insta::assert_snapshot!(but("/namespaceSelector", json!({})), @"webhooks[0].namespaceSelector: must be left out: the operator derives it from the scope");
    insta::assert_snapshot!(but("/rules/0/apiGroups", json!(["*"])), @"webhooks[0].rules[0].apiGroups: must name groups, without * and coordination.k8s.io: leases must be written while we are down");
    insta::assert_snapshot!(but("/rules/0/apiGroups", json!(["apps"])), @"webhooks[0].failurePolicy: must be Ignore where others' kinds are judged: their objects must not hang on us");
    insta::assert_snapshot!(but("/rules/0/resources", json!(["things/status"])), @"webhooks[0].rules[0].resources: must name resources, without * and subresources: a controller writes those for others");
    insta::assert_snapshot!(but("/rules/0/operations", json!(["DELETE"])), @"webhooks[0].rules[0].operations: must not have DELETE for namespaced kinds: a namespace being deleted would hang while we are down");
    insta::assert_snapshot!(but("/rules/0/scope", json!("*")), @"webhooks[0].rules[0].scope: must be Cluster or Namespaced");
    insta::assert_snapshot!(Template::parse("kind: Pod").unwrap_err().to_string(), @"kind: must be ValidatingWebhookConfiguration of admissionregistration.k8s.io/v1");
    insta::assert_snapshot!(Template::parse("{").unwrap_err().to_string(), @"line 1 column 1: unclosed bracket '{'");
}

#[test]
fn a16_entries_of_namespaced_kinds_get_the_scope_and_never_reach_what_must_work_without_us() {
    let template = Template::parse(&with(&namespaced())).unwrap();
    for reach in [Reach::Every, Reach::Named(["a".to_owned(), "kube-system".to_owned()].into())] {
        let rendered = template.render(&filling(&reach));
        assert_eq!(rendered["webhooks"][0]["namespaceSelector"], reach.selector(["kube-system", "ops"]));
    }
}

#[test]
fn a21_with_cert_manager_the_bundle_that_it_put_there_stays() {
    let template = Template::parse(&with(&namespaced())).unwrap();
    let there = [("things.nsclass.io".to_owned(), json!("VEhFSVJT"))];
    let trust = Trust::Injected { from: "ops/hook".into(), there: &there };
    let rendered = template.render(&Filling { trust, ..filling(&Reach::Every) });
    assert_eq!(rendered["metadata"]["annotations"][INJECT_ANNOTATION], "ops/hook");
    assert_eq!(rendered["webhooks"][0]["clientConfig"]["caBundle"], "VEhFSVJT");
    let trust = Trust::Injected { from: "ops/hook".into(), there: &[] };
    let rendered = template.render(&Filling { trust, ..filling(&Reach::Every) });
    assert!(rendered["webhooks"][0]["clientConfig"]["caBundle"].is_null());
}
