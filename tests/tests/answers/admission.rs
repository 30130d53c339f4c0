//! Those who say no although rights and schema are in order: webhooks, policies, quotas, built-in plugins.

use anyhow::{Result, ensure};
use k8s_openapi::ByteString;
use nsclass_tests::eventually;
use serde_json::{Value, json};

use crate::{denier::Denier, server::Server};

#[tokio::test]
async fn c37_the_denial_of_a_webhook_is_admission_denied_whatever_code_it_picks() -> Result<()> {
    let server = Server::open("c37-webhook").await?;
    let denier = Denier::start()?;
    let cases = ["silent", "not-found", "conflict", "unavailable", "message"];
    let url = |path: &str| format!("https://127.0.0.1:{}/{path}", denier.port);
    let hooks: Vec<Value> = cases
        .iter()
        .map(|case| webhook(&server, &format!("{case}.example.com"), case, &url(case), &denier.ca))
        .collect();
    let configuration = server.cluster_object(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        "c37",
    );
    configuration.made(json!({ "webhooks": hooks })).await?;
    for case in cases {
        let object = server.config_map(case);
        object.check(&format!("webhook-{case}"), object.refused_at_last(json!({})).await?)?;
    }
    let mutating = server.cluster_object(
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        "c37",
    );
    let hook = webhook(&server, "mutates.example.com", "mutates", &url("message"), &denier.ca);
    mutating.made(json!({ "webhooks": [hook] })).await?;
    let object = server.config_map("mutates");
    object.check("webhook-mutating", object.refused_at_last(json!({})).await?)
}

#[tokio::test]
async fn c37_a_webhook_that_cannot_be_called_is_a_passing_failure() -> Result<()> {
    let server = Server::open("c37-unreachable").await?;
    let configuration = server.cluster_object(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        "c37-unreachable",
    );
    // Nothing listens on port 1.
    let hook = webhook(&server, "away.example.com", "settings", "https://127.0.0.1:1/", "");
    configuration.made(json!({ "webhooks": [hook] })).await?;
    let object = server.config_map("settings");
    object.check("webhook-unreachable", object.refused_at_last(json!({})).await?)
}

#[tokio::test]
async fn c37_the_denial_of_a_policy_is_admission_denied_whatever_code_it_picks() -> Result<()> {
    let server = Server::open("c37-policy").await?;
    let reasons = ["Invalid", "Forbidden", "RequestEntityTooLarge"];
    let validations: Vec<Value> = reasons
        .iter()
        .map(|reason| {
            let expression = format!("object.metadata.name != '{}'", reason.to_lowercase());
            json!({ "expression": expression, "reason": reason, "message": "field is immutable: needs an owner" })
        })
        .collect();
    policy(&server, "c37-rules", json!({ "validations": validations }), json!({})).await?;
    for reason in reasons {
        let name = reason.to_lowercase();
        let object = server.config_map(&name);
        object.check(&format!("policy-{name}"), object.refused_at_last(json!({})).await?)?;
    }
    Ok(())
}

#[tokio::test]
async fn c37_a_policy_that_cannot_be_evaluated_denies() -> Result<()> {
    let server = Server::open("c37-parameters").await?;
    let spec = json!({
        "paramKind": { "apiVersion": "v1", "kind": "ConfigMap" },
        "validations": [{ "expression": "params.data.a == 'b'" }],
    });
    let missing = json!({ "paramRef": { "name": "absent", "parameterNotFoundAction": "Deny" } });
    policy(&server, "c37-parameters", spec, missing).await?;
    let object = server.config_map("settings");
    object.check("policy-without-parameters", object.refused_at_last(json!({})).await?)
}

#[tokio::test]
async fn c37_a_mutating_policy_that_fails_denies() -> Result<()> {
    let server = Server::open("c37-mutation").await?;
    let spec = json!({
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "mutations": [{
            "patchType": "ApplyConfiguration",
            "applyConfiguration": { "expression": "Object{ data: {'a': object.data.absent} }" },
        }],
        "matchConstraints": of_config_maps(&server),
    });
    let group = "admissionregistration.k8s.io/v1";
    let policies = server.cluster_object(group, "MutatingAdmissionPolicy", "mutatingadmissionpolicies", "c37");
    policies.made(json!({ "spec": spec })).await?;
    let bindings = "mutatingadmissionpolicybindings";
    let binding = server.cluster_object(group, "MutatingAdmissionPolicyBinding", bindings, "c37");
    binding.made(json!({ "spec": { "policyName": "c37" } })).await?;
    let object = server.config_map("settings");
    object.check("mutating-policy", object.refused_at_last(json!({ "data": { "b": "1" } })).await?)
}

#[tokio::test]
async fn c37_an_exhausted_quota_is_told_from_every_other_403() -> Result<()> {
    let server = Server::open("c37-quota").await?;
    let quota = server.object("v1", "ResourceQuota", "resourcequotas", "few");
    quota.made(json!({ "spec": { "hard": { "count/services": "1", "limits.cpu": "1" } } })).await?;
    eventually("the quota is counted", async || {
        let (_, read) = quota.read().await?;
        let used = read.map(|quota| quota["status"]["used"].clone())?;
        ensure!(used.is_object(), "{used}");
        Ok(())
    })
    .await?;
    let service = |name: &str| server.object("v1", "Service", "services", name);
    let ports = json!({ "spec": { "ports": [{ "port": 80 }] } });
    service("one").made_at_last(ports.clone()).await?;
    service("two").check("quota-exceeded", service("two").refused_at_last(ports).await?)?;
    let pod = server.object("v1", "Pod", "pods", "worker");
    default_account(&server).await?;
    let spec = json!({ "spec": { "containers": [{ "name": "main", "image": "a:1" }] } });
    pod.check("quota-needs-limits", pod.refused_at_last(spec).await?)
}

#[tokio::test]
async fn c37_limit_ranges_and_pod_security_deny_as_policies_do() -> Result<()> {
    let labels = json!({ "pod-security.kubernetes.io/enforce": "restricted" });
    let server = Server::open_labelled("c37-plugins", labels).await?;
    let pod = server.object("v1", "Pod", "pods", "worker");
    let spec = |memory: &str, account: &str| {
        json!({ "spec": {
            "serviceAccountName": account,
            "containers": [{ "name": "main", "image": "a:1", "resources": { "limits": { "memory": memory } } }],
        } })
    };
    pod.check("missing-service-account", pod.create(spec("1Mi", "absent")).await?)?;
    default_account(&server).await?;
    pod.check("pod-security", pod.create(spec("1Mi", "default")).await?)?;
    let claim = server.object("v1", "PersistentVolumeClaim", "persistentvolumeclaims", "data");
    let limits = server.object("v1", "LimitRange", "limitranges", "limits");
    let most = json!({ "type": "PersistentVolumeClaim", "max": { "storage": "1Gi" } });
    limits.made(json!({ "spec": { "limits": [most] } })).await?;
    let large =
        json!({ "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "2Gi" } } } });
    claim.check("limit-range", claim.refused_at_last(large).await?)
}

/// A webhook that is asked about one `ConfigMap` of the namespace.
fn webhook(server: &Server, name: &str, object: &str, url: &str, ca: &str) -> Value {
    json!({
        "name": name,
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "timeoutSeconds": 5,
        "clientConfig": { "url": url, "caBundle": ByteString(ca.as_bytes().to_vec()) },
        "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": server.namespace } },
        "matchConditions": [{ "name": "object", "expression": format!("object.metadata.name == '{object}'") }],
        "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"] }],
    })
}

/// A policy for the `ConfigMap`s of the namespace, and its binding.
async fn policy(server: &Server, name: &str, mut spec: Value, mut binding: Value) -> Result<()> {
    spec["matchConstraints"] = of_config_maps(server);
    let group = "admissionregistration.k8s.io/v1";
    let policies = "validatingadmissionpolicies";
    server.cluster_object(group, "ValidatingAdmissionPolicy", policies, name).made(json!({ "spec": spec })).await?;
    binding["policyName"] = json!(name);
    binding["validationActions"] = json!(["Deny"]);
    let bindings = "validatingadmissionpolicybindings";
    server
        .cluster_object(group, "ValidatingAdmissionPolicyBinding", bindings, name)
        .made(json!({ "spec": binding }))
        .await?;
    Ok(())
}

/// New `ConfigMap`s of the namespace.
fn of_config_maps(server: &Server) -> Value {
    json!({
        "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": server.namespace } },
        "resourceRules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"] }],
    })
}

/// Waits for the account that pods of the namespace run as.
async fn default_account(server: &Server) -> Result<()> {
    let account = server.object("v1", "ServiceAccount", "serviceaccounts", "default");
    eventually("the default account is there", async || {
        account.read().await?.1?;
        Ok(())
    })
    .await
}
