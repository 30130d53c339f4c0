//! Which namespaces the API server asks us about: the scope as a `namespaceSelector` (admission.md A16).

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use nsclass_shared::config::{LabelSelectorConfig, RequirementConfig, ScopeConfig};
use serde_json::{Value, json};

/// The label that every namespace carries its own name in, set by the API server.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// A set of namespaces, as a selector can tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// All of them.
    Every,
    /// Those of these names.
    Named(BTreeSet<String>),
    /// Those with these labels.
    Selected(LabelSelectorConfig),
}

impl Reach {
    /// What the configuration picks.
    pub fn of(scope: &ScopeConfig) -> Self {
        match &scope.namespace_selector {
            Some(selector) if *selector != LabelSelectorConfig::default() => Self::Selected(selector.clone()),
            None if !scope.namespaces.is_empty() => Self::Named(scope.namespaces.iter().cloned().collect()),
            _ => Self::Every,
        }
    }

    /// All that either reaches, and perhaps more: two selectors have no union that is a selector.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (one, two) if one == two => one.clone(),
            (Self::Named(one), Self::Named(two)) => Self::Named(one | two),
            _ => Self::Every,
        }
    }

    /// As a `namespaceSelector`, without the namespaces that must work while we are down (admission.md A15). Namespaces in the scope may
    /// be judged or not; those outside it are allowed unjudged by the webhook itself, so reaching too far costs a request and no more.
    pub fn selector(&self, never: [&str; 2]) -> Value {
        let mut labels = json!({});
        let mut expressions = Vec::new();
        match self {
            Self::Every => {}
            Self::Named(names) => expressions.push(json!({ "key": NAME_LABEL, "operator": "In", "values": names })),
            Self::Selected(LabelSelectorConfig { match_labels, match_expressions }) => {
                labels = json!(match_labels);
                expressions.extend(match_expressions.iter().map(requirement));
            }
        }
        expressions.push(json!({ "key": NAME_LABEL, "operator": "NotIn", "values": never }));
        let mut selector = json!({ "matchExpressions": expressions });
        if labels.as_object().is_some_and(|labels| !labels.is_empty()) {
            selector["matchLabels"] = labels;
        }
        selector
    }
}

fn requirement(RequirementConfig { key, operator, values }: &RequirementConfig) -> Value {
    if values.is_empty() {
        json!({ "key": key, "operator": operator })
    } else {
        json!({ "key": key, "operator": operator, "values": values })
    }
}

/// What is published while the scope changes: wider first, and narrower only when everybody has taken the change up. Each replica reads
/// the configuration file by itself, so "everybody" is a matter of time.
#[derive(Debug, Clone, Default)]
pub struct Following {
    now: Option<(Reach, Reach, Timestamp)>,
}

impl Following {
    /// Begins with everything, when what is published is not what is wanted and nobody here knows since when: the leader before us may
    /// have been in the middle of a change.
    pub fn begin_wide(&mut self, now: Timestamp) {
        self.now = Some((Reach::Every, Reach::Every, now));
    }

    /// Whether anything was published yet.
    pub fn is_new(&self) -> bool {
        self.now.is_none()
    }

    /// When what is published becomes narrower by itself; none if it will not.
    pub fn narrows_at(&self, settle: SignedDuration) -> Option<Timestamp> {
        self.now.as_ref().filter(|(published, wanted, _)| published != wanted).map(|(.., since)| *since + settle)
    }

    /// What to publish at `now`, when `wanted` is in force here.
    pub fn publish(&mut self, wanted: &Reach, now: Timestamp, settle: SignedDuration) -> Reach {
        let (published, since) = match self.now.take() {
            None => (wanted.clone(), now),
            Some((published, last, since)) if last == *wanted => {
                if now < since + settle {
                    (published, since)
                } else {
                    (wanted.clone(), since)
                }
            }
            Some((published, ..)) => (published.or(wanted), now),
        };
        self.now = Some((published.clone(), wanted.clone(), since));
        published
    }
}

#[cfg(test)]
mod tests {
    use nsclass_shared::config::Config;

    use super::*;

    const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);
    const SETTLE: SignedDuration = SignedDuration::from_secs(60);
    const SECOND: SignedDuration = SignedDuration::from_secs(1);

    fn reach(scope: &str) -> Reach {
        Reach::of(&Config::parse(&format!("scope: {scope}")).unwrap().scope)
    }

    fn selector(scope: &str) -> Value {
        reach(scope).selector(["kube-system", "ops"])
    }

    #[test]
    fn a16_the_selector_says_what_the_scope_says_and_leaves_out_what_must_work_without_us() {
        let never = json!({ "key": NAME_LABEL, "operator": "NotIn", "values": ["kube-system", "ops"] });
        assert_eq!(selector("{}"), json!({ "matchExpressions": [never] }));
        assert_eq!(selector("{ namespaceSelector: {} }"), json!({ "matchExpressions": [never] }));
        let named = json!({ "key": NAME_LABEL, "operator": "In", "values": ["a", "b"] });
        assert_eq!(selector("{ namespaces: [b, a] }"), json!({ "matchExpressions": [named, never] }));
        let text =
            "{ namespaceSelector: { matchLabels: { team: x }, matchExpressions: [{ key: k, operator: Exists }] } }";
        let exists = json!({ "key": "k", "operator": "Exists" });
        let expected = json!({ "matchLabels": { "team": "x" }, "matchExpressions": [exists, never] });
        assert_eq!(selector(text), expected);
    }

    #[test]
    fn a16_a_change_of_scope_is_widened_at_once_and_narrowed_when_it_has_settled() {
        let scopes = [
            reach("{ namespaces: [a] }"),
            reach("{ namespaces: [a, b] }"),
            reach("{ namespaceSelector: { matchLabels: { t: x } } }"),
            reach("{ namespaceSelector: { matchLabels: { t: y } } }"),
            reach("{}"),
        ];
        for old in &scopes {
            let mut following = Following::default();
            following.begin_wide(NOW);
            assert_eq!(following.publish(old, NOW, SETTLE), Reach::Every);
            assert_eq!(following.publish(old, NOW + SETTLE, SETTLE), *old);
            for new in &scopes {
                let mut following = Following::default();
                assert_eq!(following.publish(old, NOW, SETTLE), *old, "nothing to widen at the start");
                let wide = following.publish(new, NOW, SETTLE);
                assert!(wide == old.or(new) && wide.or(old) == wide && wide.or(new) == wide, "{old:?} to {new:?}");
                assert_eq!(following.narrows_at(SETTLE), (wide != *new).then(|| NOW + SETTLE));
                assert_eq!(following.publish(new, NOW + SETTLE - SECOND, SETTLE), wide);
                assert_eq!(following.publish(new, NOW + SETTLE, SETTLE), *new);
                assert_eq!(following.narrows_at(SETTLE), None);
                // Back and forth in between: all of them, until it is quiet.
                let wider = following.publish(old, NOW, SETTLE);
                assert_eq!(following.publish(new, NOW + SECOND, SETTLE), wider.or(new));
                assert_eq!(following.publish(new, NOW + SETTLE, SETTLE), wider.or(new));
                assert_eq!(following.publish(new, NOW + SETTLE + SECOND, SETTLE), *new);
            }
        }
    }
}
