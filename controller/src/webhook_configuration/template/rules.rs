//! What every template keeps to, so that the cluster and the operator can start again while all webhook replicas are down.

use nsclass_shared::names;
use serde_json::Value;

use super::TemplateError;

/// Longest time that the API server may wait for us, in seconds.
const LONGEST_TIMEOUT: u64 = 3;

/// Checks a whole template.
pub(super) fn check(template: &Value) -> Result<(), TemplateError> {
    let is_ours = template["apiVersion"] == "admissionregistration.k8s.io/v1"
        && template["kind"] == "ValidatingWebhookConfiguration";
    ensure(is_ours, "kind", "must be ValidatingWebhookConfiguration of admissionregistration.k8s.io/v1")?;
    ensure(
        template["metadata"]["name"].as_str().is_some_and(|name| !name.is_empty()),
        "metadata.name",
        "is missing; name the configuration",
    )?;
    let webhooks = template["webhooks"].as_array().filter(|webhooks| !webhooks.is_empty());
    let webhooks = webhooks.ok_or_else(|| field("webhooks", "is missing; list at least one webhook"))?;
    webhooks.iter().enumerate().try_for_each(|(index, webhook)| check_webhook(&format!("webhooks[{index}]"), webhook))
}

/// Whether it judges objects in namespaces.
pub(super) fn is_namespaced(webhook: &Value) -> bool {
    rules_of(webhook).any(|rule| rule["scope"] == "Namespaced")
}

fn check_webhook(path: &str, webhook: &Value) -> Result<(), TemplateError> {
    let at = |field: &str| format!("{path}.{field}");
    ensure(webhook["name"].is_string(), at("name"), "is missing")?;
    ensure(webhook["sideEffects"] == "None", at("sideEffects"), "must be None: a dry run leaves no trace")?;
    ensure(
        webhook["matchPolicy"] == "Equivalent",
        at("matchPolicy"),
        "must be Equivalent: another version of a kind is no way around us",
    )?;
    let timeout = webhook["timeoutSeconds"].as_u64();
    ensure(
        timeout.is_some_and(|seconds| (1..=LONGEST_TIMEOUT).contains(&seconds)),
        at("timeoutSeconds"),
        "must be 1 to 3: whoever writes waits that long while we are down",
    )?;
    let has_v1 =
        webhook["admissionReviewVersions"].as_array().is_some_and(|versions| versions.iter().any(|v| v == "v1"));
    ensure(has_v1, at("admissionReviewVersions"), "must list v1")?;
    let client = &webhook["clientConfig"];
    ensure(
        client["service"].is_object() != client["url"].is_string(),
        at("clientConfig"),
        "must have either a service or a url",
    )?;
    ensure(client["caBundle"].is_null(), at("clientConfig.caBundle"), "must be left out: the operator puts it there")?;
    check_rules(path, webhook)
}

fn check_rules(path: &str, webhook: &Value) -> Result<(), TemplateError> {
    let list = |rule: &Value, name: &str| -> Vec<String> {
        let values = rule[name].as_array().into_iter().flatten();
        values.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    ensure(rules_of(webhook).next().is_some(), format!("{path}.rules"), "is missing; list what is judged")?;
    let mut scopes = Vec::new();
    for (index, rule) in rules_of(webhook).enumerate() {
        let at = |field: &str| format!("{path}.rules[{index}].{field}");
        let (groups, resources) = (list(rule, "apiGroups"), list(rule, "resources"));
        let is_named = |names: &[String]| !names.is_empty() && !names.iter().any(|name| name.contains('*'));
        ensure(
            is_named(&groups) && !groups.iter().any(|group| group == "coordination.k8s.io"),
            at("apiGroups"),
            "must name groups, without * and coordination.k8s.io: leases must be written while we are down",
        )?;
        ensure(
            is_named(&resources) && !resources.iter().any(|resource| resource.contains('/')),
            at("resources"),
            "must name resources, without * and subresources: a controller writes those for others",
        )?;
        ensure(
            webhook["failurePolicy"] == "Ignore" || groups.iter().all(|group| group == names::GROUP),
            format!("{path}.failurePolicy"),
            "must be Ignore where others' kinds are judged: their objects must not hang on us",
        )?;
        ensure(
            rule["scope"] == "Cluster" || rule["scope"] == "Namespaced",
            at("scope"),
            "must be Cluster or Namespaced",
        )?;
        let operations = list(rule, "operations");
        let deletes = operations.iter().any(|operation| operation == "DELETE" || operation == "*");
        ensure(!operations.is_empty(), at("operations"), "is missing; list what is judged")?;
        ensure(
            rule["scope"] == "Cluster" || !deletes,
            at("operations"),
            "must not have DELETE for namespaced kinds: a namespace being deleted would hang while we are down",
        )?;
        scopes.push(rule["scope"].clone());
    }
    scopes.dedup();
    ensure(scopes.len() == 1, format!("{path}.rules"), "must all be of one scope; make two webhooks of them")?;
    ensure(
        webhook["failurePolicy"] == "Fail" || webhook["failurePolicy"] == "Ignore",
        format!("{path}.failurePolicy"),
        "must be Fail or Ignore",
    )?;
    ensure(
        webhook["namespaceSelector"].is_null() || !is_namespaced(webhook),
        format!("{path}.namespaceSelector"),
        "must be left out: the operator derives it from the scope",
    )
}

fn rules_of(webhook: &Value) -> impl Iterator<Item = &Value> {
    webhook["rules"].as_array().into_iter().flatten()
}

fn ensure(holds: bool, path: impl Into<String>, rule: &'static str) -> Result<(), TemplateError> {
    if holds { Ok(()) } else { Err(field(path, rule)) }
}

fn field(path: impl Into<String>, rule: &'static str) -> TemplateError {
    TemplateError::Field { path: path.into(), rule }
}
