//! What became of an object since it was applied (class.md C34, C35), as one comparison of the live object with what is recorded.

use super::{Desired, Held, LiveObject};
use crate::api::InventoryEntry;

/// The difference.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Difference {
    /// None.
    AsApplied,
    /// It is not there.
    Gone,
    /// Another object has its name.
    Replaced,
    /// Fields or marks of ours were changed, and by whom.
    Changed(String),
    /// Others have fields beside ours, where nobody may.
    Added(Vec<Held>),
}

impl Difference {
    /// Compares. `seen` is what a watch saw beside our fields, which may be hidden since.
    pub(super) fn of(desired: &Desired, entry: &InventoryEntry, live: Option<&LiveObject>, seen: &[Held]) -> Self {
        let Some(live) = live else { return Self::Gone };
        if live.uid != entry.uid {
            return Self::Replaced;
        }
        if !live.matches(entry) {
            return Self::Changed(changed(desired, live));
        }
        let mut beside = if desired.exact { live.beside() } else { Vec::new() };
        if desired.exact {
            beside.extend(seen.iter().filter(|held| !beside.contains(held)).cloned().collect::<Vec<_>>());
        }
        if beside.is_empty() { Self::AsApplied } else { Self::Added(beside) }
    }

    /// What happened, as a phrase about the object; none where nothing did. The same fight gives the same phrase every time, so that a
    /// condition with it is written once.
    pub(super) fn phrase(&self) -> Option<String> {
        match self {
            Self::AsApplied => None,
            Self::Gone => Some("somebody deleted it".into()),
            Self::Replaced => Some("somebody replaced it".into()),
            Self::Changed(how) => Some(how.clone()),
            Self::Added(beside) => Some(Held::phrase(beside, "added")),
        }
    }
}

fn changed(desired: &Desired, live: &LiveObject) -> String {
    let taken = live.taken(&desired.manifest);
    if taken.is_empty() { "fields of ours were removed from it".into() } else { Held::phrase(&taken, "changed") }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{identity::ObjectIdentity, names};

    fn desired(exact: bool) -> Desired {
        Desired {
            identity: ObjectIdentity {
                group: "networking.k8s.io".into(),
                kind: "NetworkPolicy".into(),
                namespace: Some("pay".into()),
                name: "deny".into(),
            },
            version: "v1".into(),
            manifest: json!({ "spec": { "podSelector": {}, "policyTypes": ["Ingress"] } }).into(),
            hash: "h".into(),
            on_delete: None,
            exact,
        }
    }

    fn live(own: Value, others: &[(&str, Value)]) -> LiveObject {
        LiveObject {
            uid: "u".into(),
            annotations: [(names::RENDERED_ANNOTATION.to_owned(), "h".to_owned())].into(),
            fields: Some(if own["f:spec"]["f:podSelector"].is_null() { "less".into() } else { "all".into() }),
            own,
            others: others
                .iter()
                .map(|(manager, fields)| Held { manager: (*manager).to_owned(), fields: fields.clone() })
                .collect(),
            ..LiveObject::default()
        }
    }

    fn difference(exact: bool, live: Option<&LiveObject>, seen: &[Held]) -> Difference {
        let desired = desired(exact);
        let mut entry = InventoryEntry::reserved(&desired.identity, "v1");
        entry.record_applied("v1", "u".into(), "h", "all");
        Difference::of(&desired, &entry, live, seen)
    }

    #[test]
    fn c34_what_happened_is_told_with_who_did_it() {
        let ours = json!({ "f:spec": { "f:podSelector": {}, "f:policyTypes": {} } });
        assert_eq!(difference(true, None, &[]), Difference::Gone);
        let other = LiveObject { uid: "v".into(), ..live(ours.clone(), &[]) };
        assert_eq!(difference(true, Some(&other), &[]), Difference::Replaced);
        assert_eq!(difference(true, Some(&live(ours.clone(), &[])), &[]), Difference::AsApplied);
        let lost = json!({ "f:spec": { "f:policyTypes": {} } });
        let taken = live(lost.clone(), &[("kubectl-edit", json!({ "f:spec": { "f:podSelector": {} } }))]);
        let phrase = difference(true, Some(&taken), &[]).phrase().unwrap();
        insta::assert_snapshot!(phrase, @r#""kubectl-edit" changed .spec.podSelector"#);
        let phrase = difference(true, Some(&live(lost, &[])), &[]).phrase().unwrap();
        insta::assert_snapshot!(phrase, @"fields of ours were removed from it");
    }

    #[test]
    fn c34_additions_count_only_where_an_object_is_exact_and_also_when_they_were_hidden_since() {
        let ours = json!({ "f:spec": { "f:podSelector": {}, "f:policyTypes": {} } });
        let added = json!({ "f:spec": { "f:ingress": {} }, "f:metadata": { "f:labels": { "f:x": {} } } });
        let open = live(ours.clone(), &[("kubectl-edit", added)]);
        assert_eq!(difference(false, Some(&open), &[]), Difference::AsApplied);
        let found = difference(true, Some(&open), &[]);
        insta::assert_snapshot!(found.phrase().unwrap(), @r#""kubectl-edit" added .spec.ingress"#);
        let Difference::Added(seen) = found else { unreachable!("asserted above") };
        let hidden = live(ours, &[]);
        assert_eq!(difference(true, Some(&hidden), &seen), Difference::Added(seen.clone()));
        assert_eq!(difference(false, Some(&hidden), &seen), Difference::AsApplied);
    }
}
