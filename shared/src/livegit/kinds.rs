//! Which kinds a rule may name.

use std::collections::BTreeSet;

use super::fault::{Fault, Reason};
use crate::api::KindRule;
use crate::names::GROUP;
use crate::scope::Selector;
use crate::validity;

/// Most kinds that one rule may name. Each is a watch of its own.
pub const MAX_KINDS: usize = 64;

/// A kind as RBAC names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupResource {
    /// API group; empty for the core group.
    pub group: String,
    /// In the plural.
    pub resource: String,
}

impl std::fmt::Display for GroupResource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.group.is_empty() { f.write_str(&self.resource) } else { write!(f, "{}.{}", self.resource, self.group) }
    }
}

/// The kinds that some entries of a rule name, each once, in a stable order.
pub fn named(rules: &[KindRule]) -> BTreeSet<GroupResource> {
    rules.iter().flat_map(of_entry).collect()
}

/// The kinds that one entry names: each of its resources in each of its groups.
pub fn of_entry(rule: &KindRule) -> impl Iterator<Item = GroupResource> {
    rule.api_groups.iter().flat_map(|group| {
        rule.resources.iter().map(|resource| GroupResource { group: group.clone(), resource: resource.clone() })
    })
}

/// Everything that is wrong with what a rule names, whatever the API server serves.
pub fn check(rules: &[KindRule]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let field = |rest: &str| format!("spec.rules[{index}].{rest}");
        for group in rule.api_groups.iter().filter(|group| !group.is_empty() && !validity::is_dns_subdomain(group)) {
            faults.push(Fault::new(
                Reason::KindRefused,
                field("apiGroups"),
                format!("{group:?} is no API group"),
                "name each group, as kubectl api-resources lists them",
            ));
        }
        for resource in rule.resources.iter().filter(|resource| !validity::is_dns_subdomain(resource)) {
            faults.push(Fault::new(
                Reason::KindRefused,
                field("resources"),
                format!("{resource:?} is no resource"),
                "name each resource in the plural, without subresources, as kubectl api-resources lists them",
            ));
        }
        for kind in of_entry(rule) {
            if let Some(why) = refused(&kind) {
                let remedy = "name other kinds";
                faults.push(Fault::new(Reason::KindRefused, field("resources"), format!("{kind}: {why}"), remedy));
            }
        }
        if let Some(Err(error)) = rule.label_selector.as_ref().map(Selector::compile) {
            let remedy = "correct the selector, or leave it out";
            faults.push(Fault::new(Reason::SelectorInvalid, field("labelSelector"), error.to_string(), remedy));
        }
    }
    let count = named(rules).len();
    if count > MAX_KINDS {
        faults.push(Fault::new(
            Reason::TooManyKinds,
            "spec.rules",
            format!("names {count} kinds, and each is a watch of its own"),
            format!("name at most {MAX_KINDS}; divide the rule, or leave out groups that do not have the resource"),
        ));
    }
    faults
}

/// Why a kind is never written to Git, if it is not.
fn refused(kind: &GroupResource) -> Option<&'static str> {
    match (kind.group.as_str(), kind.resource.as_str()) {
        ("" | "events.k8s.io", "events") => Some("events are a log, and each would be a commit"),
        ("coordination.k8s.io", "leases") => {
            Some("leases are renewed every few seconds, and each time would be a commit")
        }
        (GROUP, _) => Some("the operator's own kinds are not written by the operator"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

    use super::*;

    fn rule(groups: &[&str], resources: &[&str]) -> KindRule {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        KindRule { api_groups: owned(groups), resources: owned(resources), label_selector: None }
    }

    fn text(rules: &[KindRule]) -> String {
        check(rules).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn bad20_noise_and_our_own_kinds_are_refused() {
        insta::assert_snapshot!(text(&[rule(&[""], &["events", "configmaps"]), rule(&["coordination.k8s.io", "events.k8s.io"], &["leases", "events"]), rule(&["nsclass.io"], &["gittargets"])]), @"
        spec.rules[0].resources: events: events are a log, and each would be a commit; name other kinds
        spec.rules[1].resources: leases.coordination.k8s.io: leases are renewed every few seconds, and each time would be a commit; name other kinds
        spec.rules[1].resources: events.events.k8s.io: events are a log, and each would be a commit; name other kinds
        spec.rules[2].resources: gittargets.nsclass.io: the operator's own kinds are not written by the operator; name other kinds
        ");
    }

    #[test]
    fn bad20_wildcards_subresources_and_what_is_no_name_are_refused() {
        insta::assert_snapshot!(text(&[rule(&["*"], &["*"]), rule(&["apps/v1"], &["deployments/scale"])]), @r#"
        spec.rules[0].apiGroups: "*" is no API group; name each group, as kubectl api-resources lists them
        spec.rules[0].resources: "*" is no resource; name each resource in the plural, without subresources, as kubectl api-resources lists them
        spec.rules[1].apiGroups: "apps/v1" is no API group; name each group, as kubectl api-resources lists them
        spec.rules[1].resources: "deployments/scale" is no resource; name each resource in the plural, without subresources, as kubectl api-resources lists them
        "#);
    }

    #[test]
    fn bad20_a_thousand_kinds_are_refused_in_one_sentence() {
        let names: Vec<String> = (0..100).map(|i| format!("r{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let many = rule(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], &names);
        insta::assert_snapshot!(text(&[many]), @"spec.rules: names 1000 kinds, and each is a watch of its own; name at most 64; divide the rule, or leave out groups that do not have the resource");
        assert_eq!(text(&[rule(&[""], &["configmaps"]), rule(&[""], &["configmaps", "secrets"])]), "");
    }

    #[test]
    fn bad20_a_selector_that_cannot_be_one_is_refused_with_its_field() {
        let expression = LabelSelectorRequirement { key: "a".to_owned(), operator: "Is".to_owned(), values: None };
        let selector = LabelSelector { match_expressions: Some(vec![expression]), match_labels: None };
        let rule = KindRule { label_selector: Some(selector), ..rule(&[""], &["configmaps"]) };
        insta::assert_snapshot!(text(&[rule]), @r#"spec.rules[0].labelSelector: matchExpressions[0].operator: "Is" is no operator; use In, NotIn, Exists or DoesNotExist; correct the selector, or leave it out"#);
    }
}
