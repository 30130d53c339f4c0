//! `scope:` which namespaces are managed.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use serde::{Deserialize, Serialize};

use super::ConfigError;
use crate::{
    scope::{Pick, ScopeRule, Selector},
    validity,
};

/// Which namespaces are managed: those of a list, those that a selector picks, or every one. Changes take effect while running.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ScopeConfig {
    /// The managed namespaces, by name. Not together with `namespaceSelector`; without either, every namespace is managed.
    pub namespaces: Vec<String>,
    /// The managed namespaces, by their labels: a `metav1.LabelSelector`. `{}` means every namespace.
    pub namespace_selector: Option<LabelSelectorConfig>,
    /// Reserved namespaces (`default`, `kube-*`, the operator's own) that may be bound all the same, by their exact names.
    pub allow_reserved: Vec<String>,
}

/// A `metav1.LabelSelector`, in which unknown keys are refused. Everything in it must hold.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LabelSelectorConfig {
    /// Labels that must have exactly these values.
    pub match_labels: BTreeMap<String, String>,
    /// Further requirements.
    pub match_expressions: Vec<RequirementConfig>,
}

/// One requirement of a selector.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequirementConfig {
    /// The label.
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: String,
    /// What `In` and `NotIn` speak of.
    #[serde(default)]
    pub values: Vec<String>,
}

impl ScopeConfig {
    /// Whether the selector is there and picks everything, which is worth a word in the log: it may be a selector that was lost.
    pub fn is_empty_selector(&self) -> bool {
        self.namespace_selector.as_ref().is_some_and(|selector| *selector == LabelSelectorConfig::default())
    }

    pub(super) fn compile(&self, operator_namespace: &str) -> Result<ScopeRule, ConfigError> {
        for (field, names) in [("scope.namespaces", &self.namespaces), ("scope.allowReserved", &self.allow_reserved)] {
            if let Some(name) = names.iter().find(|name| !validity::is_dns_label(name)) {
                return Err(ConfigError::Name { field, value: name.clone() });
            }
        }
        let pick = match (&self.namespace_selector, self.namespaces.is_empty()) {
            (Some(_), false) => return Err(ConfigError::BothScopes),
            (Some(selector), true) => Pick::Selected(Selector::compile(&selector.into())?),
            (None, false) => Pick::Named(self.namespaces.iter().cloned().collect()),
            (None, true) => Pick::Every,
        };
        Ok(ScopeRule::new(operator_namespace, pick))
    }
}

impl From<&LabelSelectorConfig> for LabelSelector {
    fn from(config: &LabelSelectorConfig) -> Self {
        let requirement = |config: &RequirementConfig| LabelSelectorRequirement {
            key: config.key.clone(),
            operator: config.operator.clone(),
            values: Some(config.values.clone()).filter(|values| !values.is_empty()),
        };
        Self {
            match_labels: Some(config.match_labels.clone()).filter(|labels| !labels.is_empty()),
            match_expressions: Some(config.match_expressions.iter().map(requirement).collect::<Vec<_>>())
                .filter(|expressions| !expressions.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Config, scope::Verdict};

    fn refused(text: &str) -> String {
        Config::parse(text).and_then(Config::settings).unwrap_err().to_string()
    }

    fn rule(text: &str) -> ScopeRule {
        Config::parse(text).unwrap().settings().unwrap().scope
    }

    #[test]
    fn bad13_s02_a_scope_that_cannot_be_one_is_refused_in_a_sentence() {
        insta::assert_snapshot!(refused("scope: { namespaces: [a], namespaceSelector: {} }"), @"scope: both namespaces and namespaceSelector are set; keep one of the two, or none for every namespace");
        insta::assert_snapshot!(refused("scope: { namespaces: [A] }"), @r#"scope.namespaces: "A" is not a DNS label: lower-case letters, digits and dashes, at most 63"#);
        insta::assert_snapshot!(refused("scope: { allowReserved: ['kube-*'] }"), @r#"scope.allowReserved: "kube-*" is not a DNS label: lower-case letters, digits and dashes, at most 63"#);
        insta::assert_snapshot!(refused("scope: { namespaceSelector: { matchExpressions: [{ key: a, operator: Equals }] } }"), @r#"scope.namespaceSelector.matchExpressions[0].operator: "Equals" is no operator; use In, NotIn, Exists or DoesNotExist"#);
        insta::assert_snapshot!(refused("scope: { namespaceSelector: { matchExpressions: [{ key: a, operator: In }] } }"), @"scope.namespaceSelector.matchExpressions[0].values: In needs values; list at least one, or use Exists");
        insta::assert_snapshot!(refused("scope: { namespaceSelector: { matchLables: {} } }"), @"line 1 column 31: unknown field `matchLables`, expected one of matchLabels, matchExpressions");
        insta::assert_snapshot!(refused("scope: { selector: {} }"), @"line 1 column 10: unknown field `selector`, expected one of namespaces, namespaceSelector, allowReserved");
    }

    #[test]
    fn s01_s02_neither_and_an_empty_selector_are_every_namespace() {
        for text in
            ["", "scope: { namespaceSelector: {} }", "scope: { namespaces: [] }", "scope: { namespaceSelector: null }"]
        {
            assert_eq!(rule(text).pick(), &Pick::Every, "{text}");
        }
        assert!(Config::parse("scope: { namespaceSelector: {} }").unwrap().scope.is_empty_selector());
        assert!(!Config::parse("").unwrap().scope.is_empty_selector());
    }

    #[test]
    fn s04_the_operators_namespace_and_the_empty_one_are_in_scope_of_every_rule() {
        let labels = BTreeMap::new();
        for text in ["", "scope: { namespaces: [a] }", "scope: { namespaceSelector: { matchLabels: { a: b } } }"] {
            for name in ["", "nsclass-system"] {
                assert!(rule(text).is_always_in_scope(name), "{text} {name:?}");
                assert_eq!(rule(text).judge(name, &labels), Verdict::InScope, "{text} {name:?}");
            }
        }
        assert_eq!(rule("scope: { namespaces: [a] }").judge("a", &labels), Verdict::InScope);
        assert_eq!(rule("scope: { namespaces: [a] }").judge("b", &labels), Verdict::OutOfScope);
    }

    #[test]
    fn what_is_printed_of_a_scope_reads_back_the_same() {
        let text =
            "scope: { namespaceSelector: { matchLabels: { a: b }, matchExpressions: [{ key: c, operator: Exists }] } }";
        for text in [text, "scope: { namespaces: [a] }", ""] {
            let config = Config::parse(text).unwrap();
            assert_eq!(Config::parse(&config.to_string()).unwrap(), config, "{text}");
        }
    }
}
