//! Values that the chart refuses: one sentence each (issue 9, bad input).

use anyhow::{Result, ensure};

use crate::stage::helm;

/// The sentence with which the chart refuses these values.
fn refusal(values: &[&str]) -> Result<String> {
    let said = helm()?.template(values)?;
    ensure!(!said.is_success, "{values:?} render");
    let complaint = said.complaints.trim();
    // `fail` stands behind the place in the template, the schema behind the chart's name.
    let sentence = sentence_of_fail(complaint);
    let sentence = sentence.rsplit_once("nsclass:\n").map_or(sentence, |(_, sentence)| sentence);
    let sentence = sentence.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Use --debug"));
    Ok(sentence.collect::<Vec<_>>().join("\n"))
}

/// What a template said with `fail`; all of a complaint that is none.
pub(crate) fn sentence_of_fail(complaint: &str) -> &str {
    let place = complaint.strip_prefix("Error: ").and_then(|rest| rest.split_once("execution error at ("));
    place.and_then(|(_, rest)| rest.split_once("): ")).map_or(complaint, |(_, sentence)| sentence)
}

fn refused(values: &[&str]) -> String {
    refusal(values).unwrap_or_else(|error| format!("{error:#}"))
}

#[test]
fn s02_a_scope_by_list_and_by_selector_is_refused() {
    insta::assert_snapshot!(refused(&["scope.namespaces=[\"a\"]", "scope.namespaceSelector={}"]), @"scope: both namespaces and namespaceSelector are set; keep one of the two, or none for every namespace");
}

#[test]
fn bad13_values_that_contradict_each_other_are_refused_in_a_sentence() {
    insta::assert_snapshot!(refused(&["webhook.replicas=0"]), @"webhook: replicas is 0 and failurePolicy is Fail, so that nobody could write a class; run at least one replica, or set failurePolicy to Ignore");
    insta::assert_snapshot!(refused(&["leaderElection.renewDeadlineSeconds=15"]), @"leaderElection: renewDeadlineSeconds is 15 and leaseDurationSeconds is 15; the deadline must be shorter, or two replicas could lead at once");
    insta::assert_snapshot!(refused(&["leaderElection.requestTimeoutSeconds=8"]), @"leaderElection: renewDeadlineSeconds is 10; it must be more than retryPeriodSeconds and requestTimeoutSeconds together (10), or one lost request ends leadership");
    insta::assert_snapshot!(refused(&["certificates.source=\"Files\""]), @"certificates: source is Files, which takes both files.secret and files.bundleConfigMap; name them");
    insta::assert_snapshot!(refused(&["certificates.files.secret=\"pair\""]), @"certificates: files is set and source is BuiltIn; set source to Files, or leave files empty");
    insta::assert_snapshot!(refused(&["certificates.certManager.issuerRef.name=\"internal\""]), @"certificates: certManager.issuerRef is set and source is BuiltIn; set source to CertManager, or leave it empty");
    insta::assert_snapshot!(refused(&["certificates.authoritySeconds=100", "certificates.servingSeconds=51"]), @"certificates: servingSeconds is 51 and authoritySeconds is 100; a serving certificate is valid at most half as long as an authority");
    insta::assert_snapshot!(refused(&["certificates.servingSeconds=60", "certificates.settleSeconds=20"]), @"certificates: settleSeconds is 20 and servingSeconds is 60; settling takes less than a third of a serving certificate's time");
    insta::assert_snapshot!(refused(&["policies.enabled=false", "policies.lock.enabled=true"]), @"policies: lock or requireClass is on and enabled is false; set enabled to true, or switch them on in the installation that has the policies");
    insta::assert_snapshot!(refused(&["gate.mode=\"Hybrid\""]), @"gate: mode is Hybrid and publicKeys is empty, so that no licence could open it; name the key that your licences are signed with");
    insta::assert_snapshot!(refused(&["policies.lock.exemptUsers=[\"robot\"]"]), @"policies: lock names who is exempt and is not enabled; set lock.enabled to true, or leave the lists empty");
}

#[test]
fn bad13_a_value_that_cannot_be_one_is_refused_with_its_place() {
    insta::assert_snapshot!(refused(&["certificates.source=\"Magic\""]), @"- at '/certificates/source': value must be one of 'BuiltIn', 'CertManager', 'Files'");
    insta::assert_snapshot!(refused(&["instanze=\"blue\""]), @"- at '': additional properties 'instanze' not allowed");
    insta::assert_snapshot!(refused(&["instance=\"Team_A\""]), @r#"instance: "Team_A" is not a DNS label: lower-case letters, digits and dashes, at most 63"#);
    insta::assert_snapshot!(refused(&["scope.selector={}"]), @"- at '/scope': additional properties 'selector' not allowed");
    insta::assert_snapshot!(refused(&["scope.namespaceSelector={\"matchLables\":{}}"]), @"- at '/scope/namespaceSelector': additional properties 'matchLables' not allowed");
    insta::assert_snapshot!(refused(&["scope.namespaceSelector={\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"Equals\"}]}"]), @"- at '/scope/namespaceSelector/matchExpressions/0/operator': value must be one of 'In', 'NotIn', 'Exists', 'DoesNotExist'");
    insta::assert_snapshot!(refused(&["scope.namespaceSelector={\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\"}]}"]), @r#"scope: namespaceSelector has operator In for "k" without values; list at least one"#);
    insta::assert_snapshot!(refused(&["webhook.timeoutSeconds=10"]), @"- at '/webhook/timeoutSeconds': maximum: got 10, want 3");
    insta::assert_snapshot!(refused(&["webhook.url=\"http://hook\""]), @r#"webhook: url is "http://hook"; write https://HOST or https://HOST:PORT, without a path"#);
    insta::assert_snapshot!(refused(&["controller.replicas=\"2\""]), @"- at '/controller/replicas': got string, want integer");
}

#[test]
fn c49_rights_to_everything_are_refused() {
    insta::assert_snapshot!(refused(&["rbac.kinds=[{\"apiGroups\":[\"*\"],\"resources\":[\"configmaps\"]}]"]), @"rbac: kinds has a *, and nobody here may do everything; name the groups and resources that classes hold");
    insta::assert_snapshot!(refused(&["rbac.kinds=[{\"apiGroups\":[\"\"],\"resources\":[\"*\"]}]"]), @"rbac: kinds has a *, and nobody here may do everything; name the groups and resources that classes hold");
}
