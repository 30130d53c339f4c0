use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::json::Json;

fn policy(allow: &[&str], deny: &[&str], permit: &[&str]) -> Policy {
    Policy::new(allow, deny, permit).unwrap()
}

/// Judges a manifest of this kind that holds these fields besides.
fn judge(policy: &Policy, api_version: &str, kind: &str, fields: &Value) -> Result<(), Denial> {
    let mut manifest = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": "x" } });
    manifest.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let gvk = Gvk::of_manifest(&manifest).unwrap();
    let verdict = policy.judge(&gvk, &manifest);
    assert_eq!(verdict, policy.judge(&gvk, &Json::copied(&manifest, 64)), "raw and rendered are judged alike");
    verdict
}

fn allowed(policy: &Policy, api_version: &str, kind: &str) -> bool {
    judge(policy, api_version, kind, &json!({})).is_ok()
}

#[test]
fn c20_deny_and_permit_ignore_the_version_and_allow_does_not() {
    let policy = policy(&["apps/v1/Deployment"], &[], &[]);
    assert!(allowed(&policy, "apps/v1", "Deployment") && !allowed(&policy, "apps/v1beta1", "Deployment"));
    let policy = self::policy(&[], &["autoscaling/v1/HorizontalPodAutoscaler"], &["v9/Node"]);
    assert!(!allowed(&policy, "autoscaling/v2", "HorizontalPodAutoscaler"));
    assert!(allowed(&policy, "v1", "Node"));
}

#[test]
fn c20_a_malformed_entry_fails_the_whole_policy() {
    let error = Policy::new(&[], &[], &["v1/Secret", "clusterroles"]).unwrap_err();
    insta::assert_snapshot!(error, @r#"policy.permit[1]: "clusterroles" has neither two nor three parts; write version/Kind for the core group (v1/Secret), group/version/Kind else (apps/v1/Deployment), with * for any part"#);
}

#[test]
fn c21_deny_is_before_permit_before_the_built_in_denies_before_allow() {
    let kind = ("storage.k8s.io/v1", "StorageClass");
    let entry = ["storage.k8s.io/v1/StorageClass"];
    let none: [&str; 0] = [];
    for (allow, deny, permit, expected) in [
        (&none[..], &none[..], &none[..], false),
        (&entry[..], &none[..], &none[..], false),
        (&none[..], &none[..], &entry[..], true),
        (&none[..], &entry[..], &entry[..], false),
        (&entry[..], &entry[..], &entry[..], false),
        // A permit lifts the built-in deny, and adds nothing to what is allowed.
        (&["v1/Secret"][..], &none[..], &entry[..], false),
        (&entry[..], &none[..], &entry[..], true),
    ] {
        let policy = policy(allow, deny, permit);
        assert_eq!(allowed(&policy, kind.0, kind.1), expected, "allow {allow:?} deny {deny:?} permit {permit:?}");
    }
}

#[test]
fn c22_what_concerns_the_whole_cluster_is_denied_by_default() {
    for (api_version, kind) in [
        ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
        ("nsclass.io/v1alpha1", "NamespaceClass"),
        ("nsclass.io/v1alpha1", "NamespaceClassBinding"),
        ("nsclass.io/v2", "Whatever"),
        ("authorization.openshift.io/v1", "RoleBinding"),
        ("v1", "Namespace"),
        ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"),
        ("admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicy"),
        ("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicyBinding"),
        ("apiregistration.k8s.io/v1", "APIService"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("v1", "Node"),
        ("v1", "PersistentVolume"),
        ("storage.k8s.io/v1", "StorageClass"),
        ("storage.k8s.io/v1", "CSIDriver"),
        ("scheduling.k8s.io/v1", "PriorityClass"),
        ("node.k8s.io/v1", "RuntimeClass"),
        ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"),
        ("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration"),
        ("certificates.k8s.io/v1", "CertificateSigningRequest"),
    ] {
        // An empty `deny`, and an `allow` that names the kind, change nothing.
        for policy in [Policy::default(), policy(&["*/*/*", "*/*"], &[], &[])] {
            let denial = judge(&policy, api_version, kind, &json!({})).unwrap_err();
            assert!(matches!(denial, Denial::Builtin(_)), "{api_version} {kind}");
        }
        let permitted = policy(&[], &[], &[&format!("{api_version}/{kind}")]);
        assert!(allowed(&permitted, api_version, kind), "{api_version} {kind} permitted");
    }
}

#[test]
fn c22_what_a_namespace_needs_is_allowed_by_default() {
    for (api_version, kind) in [
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("v1", "ServiceAccount"),
        ("v1", "ResourceQuota"),
        ("networking.k8s.io/v1", "NetworkPolicy"),
        ("rbac.authorization.k8s.io/v1", "Role"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("example.com/v1", "Namespace"),
        ("example.com/v1", "Node"),
    ] {
        assert!(allowed(&Policy::default(), api_version, kind), "{api_version} {kind}");
    }
}

#[test]
fn c22_some_rules_look_at_what_the_manifest_holds() {
    let rbac = "rbac.authorization.k8s.io/v1";
    let labelled = |key: &str| json!({ "metadata": { "name": "x", "labels": { key: "true" } } });
    let named = |name: &str| json!({ "metadata": { "name": name } });
    for (api_version, kind, fields, expected) in [
        ("v1", "Secret", json!({ "type": "kubernetes.io/service-account-token" }), false),
        ("v1", "Secret", json!({ "type": "kubernetes.io/dockerconfigjson" }), true),
        (rbac, "ClusterRole", json!({ "aggregationRule": {} }), false),
        (rbac, "ClusterRole", json!({ "aggregationRule": null, "rules": [] }), true),
        (rbac, "ClusterRole", labelled("rbac.authorization.k8s.io/aggregate-to-view"), false),
        (rbac, "ClusterRole", labelled("rbac.example.com/aggregate-to-monitoring"), false),
        (rbac, "ClusterRole", labelled("example.com/team"), true),
        (rbac, "Role", labelled("rbac.authorization.k8s.io/aggregate-to-view"), true),
        ("v1", "ServiceAccount", named("default"), false),
        ("v1", "ServiceAccount", named("builder"), true),
        ("v1", "ConfigMap", named("kube-root-ca.crt"), false),
        ("v1", "ConfigMap", named("default"), true),
        ("v1", "List", json!({ "items": [] }), false),
        ("v1", "ConfigMapList", json!({ "items": null }), false),
        ("example.com/v1", "AllowList", json!({ "spec": { "items": [] } }), true),
        ("example.com/v1", "Bundle", json!({ "items": [] }), true),
    ] {
        let verdict = judge(&Policy::default(), api_version, kind, &fields);
        assert_eq!(verdict.is_ok(), expected, "{kind} {fields}");
    }
}

#[test]
fn c23_a_denial_names_its_rule_and_the_way_out() {
    let sentence = |policy: &Policy, api_version: &str, kind: &str| {
        let gvk = Gvk::parse(api_version, kind).unwrap();
        let denial = judge(policy, api_version, kind, &json!({})).unwrap_err();
        format!("{gvk} is denied by {denial}; {}", denial.remedy(&gvk))
    };
    insta::assert_snapshot!(sentence(&policy(&[], &["*/Secret"], &[]), "v1", "Secret"), @r#"v1/Secret is denied by the entry "*/Secret" of policy.deny; take the item out of the class"#);
    insta::assert_snapshot!(sentence(&policy(&["v1/Pod"], &[], &[]), "v1", "Secret"), @r#"v1/Secret is denied by policy.allow, which has no entry for it; take the item out, or have "v1/Secret" put into policy.allow"#);
    insta::assert_snapshot!(sentence(&Policy::default(), "v1", "Node"), @r#"v1/Node is denied by the built-in rule that keeps what the whole cluster shares out of classes; take the item out, or have "v1/Node" put into policy.permit"#);
}

fn kinds() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop_oneof![
        Just(("v1", "Node")),
        Just(("v1", "Secret")),
        Just(("apps/v1", "Deployment")),
        Just(("storage.k8s.io/v1", "StorageClass")),
    ]
}

fn entries() -> impl Strategy<Value = Vec<String>> {
    let entry = (prop_oneof![Just("*/"), Just(""), Just("apps/"), Just("storage.k8s.io/")], any::<bool>(), kinds())
        .prop_map(|(group, any_version, (_, kind))| format!("{group}{}/{kind}", if any_version { "*" } else { "v1" }));
    proptest::collection::vec(entry, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn c21_the_lists_weigh_as_they_are_ranked(
        allow in entries(), deny in entries(), permit in entries(), (api_version, kind) in kinds(),
    ) {
        let gvk = Gvk::parse(api_version, kind).unwrap();
        let covers = |entries: &[String]| {
            Policy::new(&[], entries, &[]).unwrap().deny.iter().any(|entry| entry.covers_kind(&gvk))
        };
        let verdict = judge(&Policy::new(&allow, &deny, &permit).unwrap(), api_version, kind, &json!({}));
        if covers(&deny) {
            prop_assert!(matches!(verdict, Err(Denial::Deny(_))));
        } else if !covers(&permit) && !allowed(&Policy::default(), api_version, kind) {
            prop_assert!(matches!(verdict, Err(Denial::Builtin(_))));
        } else if allow.is_empty() {
            prop_assert_eq!(verdict, Ok(()));
        }
    }

    #[test]
    fn c20_the_version_never_matters_where_allow_is_empty(
        deny in entries(), permit in entries(), version in "v[1-9](beta[1-9])?", (api_version, kind) in kinds(),
    ) {
        let policy = Policy::new(&[], &deny, &permit).unwrap();
        let other = api_version.replace("v1", &version);
        prop_assert_eq!(judge(&policy, api_version, kind, &json!({})), judge(&policy, &other, kind, &json!({})));
    }
}
