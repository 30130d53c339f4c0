//! Whether RBAC rules give a right, and the rules that would: for `nsclass rbac-check`.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::rbac::v1::PolicyRule;

use super::Verb;

/// A right as RBAC spells it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spelled {
    /// The API group; empty for the core one.
    pub group: String,
    /// The resource, such as `configmaps`.
    pub resource: String,
    /// The only object, by name; all where none.
    pub name: Option<String>,
    /// What is done.
    pub verb: Verb,
}

/// Whether one of `rules`, each of which holds in all namespaces, gives the right. A rule for named objects gives no right on all.
pub fn is_given(rules: &[PolicyRule], right: &Spelled) -> bool {
    let has = |words: &[String], word: &str| words.iter().any(|it| it == "*" || it == word);
    let groups = |rule: &PolicyRule| has(rule.api_groups.as_deref().unwrap_or_default(), &right.group);
    let resources = |rule: &PolicyRule| has(rule.resources.as_deref().unwrap_or_default(), &right.resource);
    rules.iter().any(|rule| {
        let names = rule.resource_names.as_deref().unwrap_or_default();
        let is_named = names.is_empty() || right.name.as_ref().is_some_and(|name| names.contains(name));
        groups(rule) && resources(rule) && is_named && has(&rule.verbs, right.verb.as_str())
    })
}

/// What the resources of one rule have in common. Sorted as it stands.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Common<'a> {
    group: &'a str,
    name: Option<&'a str>,
    verbs: BTreeSet<Verb>,
}

/// The fewest rules that give exactly these rights: one for each set of verbs of a group, with its resources side by side.
pub fn rules(rights: &[Spelled]) -> Vec<PolicyRule> {
    let mut verbs: BTreeMap<(&str, Option<&str>, &str), BTreeSet<Verb>> = BTreeMap::new();
    for Spelled { group, resource, name, verb } in rights {
        verbs.entry((group, name.as_deref(), resource)).or_default().insert(*verb);
    }
    let mut resources: BTreeMap<Common<'_>, Vec<String>> = BTreeMap::new();
    for ((group, name, resource), verbs) in verbs {
        resources.entry(Common { group, name, verbs }).or_default().push(resource.to_owned());
    }
    let rule = |(Common { group, name, verbs }, resources): (Common<'_>, Vec<String>)| PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(resources),
        resource_names: name.map(|name| vec![name.to_owned()]),
        verbs: verbs.into_iter().map(|verb| verb.as_str().to_owned()).collect(),
        ..PolicyRule::default()
    };
    resources.into_iter().map(rule).collect()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn right() -> impl Strategy<Value = Spelled> {
        let verb = select(vec![Verb::Get, Verb::Create, Verb::Patch, Verb::Escalate, Verb::Bind]);
        (select(vec!["", "apps"]), select(vec!["a", "b", "c"]), option::of(select(vec!["x", "y"])), verb).prop_map(
            |(group, resource, name, verb)| Spelled {
                group: group.to_owned(),
                resource: resource.to_owned(),
                name: name.map(str::to_owned),
                verb,
            },
        )
    }

    proptest! {
        /// What is printed as the role to add gives what was missing, and nothing else.
        #[test]
        fn c49_the_role_gives_exactly_what_is_missing(rights in vec(right(), 0..12), other in right()) {
            let rules = rules(&rights);
            for right in &rights {
                prop_assert!(is_given(&rules, right), "{right:?} by {rules:?}");
            }
            let is_implied = rights.iter().any(|it| *it == other || *it == Spelled { name: None, ..other.clone() });
            prop_assert_eq!(is_given(&rules, &other), is_implied);
        }
    }

    #[test]
    fn a_star_gives_everything_and_a_name_gives_no_right_on_all() {
        let all = Spelled { group: "apps".into(), resource: "deployments".into(), name: None, verb: Verb::Create };
        let star = || Some(vec!["*".to_owned()]);
        let rule =
            PolicyRule { api_groups: star(), resources: star(), verbs: vec!["*".into()], ..PolicyRule::default() };
        assert!(is_given(std::slice::from_ref(&rule), &all));
        let named = PolicyRule { resource_names: Some(vec!["web".into()]), ..rule };
        assert!(!is_given(std::slice::from_ref(&named), &all));
        assert!(is_given(&[named], &Spelled { name: Some("web".into()), ..all }));
    }
}
