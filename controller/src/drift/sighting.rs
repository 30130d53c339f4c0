//! What a watch saw of one object, and what that means beside its inventory entry.

use std::hash::{DefaultHasher, Hash, Hasher};

use nsclass_shared::{
    api::InventoryEntry,
    names,
    plan::{Held, LiveObject, Rank},
};

/// What a watch saw.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sighting {
    /// It is there, like this.
    There(Box<LiveObject>),
    /// The one with this UID is gone, or has lost the label that we watch.
    Gone(String),
    /// It was there when a list began, and the list does not hold it.
    Missing,
}

/// What a sighting means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// It is as the inventory says, or that cannot be told from this.
    AsRecorded,
    /// A pass must look.
    Suspect {
        /// What others have beside our fields.
        beside: Vec<Held>,
        /// Tells this state of the object from others: the same one is not news.
        trace: u64,
    },
}

impl Sighting {
    /// Whether others have something beside our fields.
    pub(super) fn shows_additions(&self) -> bool {
        matches!(self, Self::There(live) if !live.beside().is_empty())
    }

    /// Compares with what is recorded.
    pub(super) fn against(&self, entry: &InventoryEntry) -> Finding {
        // It is being made or deleted, or that may have happened: whoever does it looks.
        if entry.uid.is_empty() || entry.applied.is_empty() {
            return Finding::AsRecorded;
        }
        match self {
            Self::Missing => suspect(&(), vec![]),
            Self::Gone(uid) if *uid == entry.uid => suspect(&uid, vec![]),
            // An earlier one of that name.
            Self::Gone(_) => Finding::AsRecorded,
            Self::There(live) => {
                // Without the annotation our fields do not match either.
                let says_exact = live.annotations.get(names::EXACT_ANNOTATION).is_some_and(|exact| exact == "true");
                let is_exact = says_exact || Rank::of(&entry.group, &entry.kind).is_exact();
                let beside = if is_exact { live.beside() } else { vec![] };
                if live.matches(entry) && beside.is_empty() {
                    return Finding::AsRecorded;
                }
                let rendered = live.annotations.get(names::RENDERED_ANNOTATION);
                let others: Vec<String> = live.others.iter().map(|o| format!("{}{}", o.manager, o.fields)).collect();
                suspect(&(&live.uid, rendered, &live.fields, others), beside)
            }
        }
    }
}

fn suspect(state: &impl Hash, beside: Vec<Held>) -> Finding {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    Finding::Suspect { beside, trace: hasher.finish() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(kind: &str) -> InventoryEntry {
        let group = if kind == "NetworkPolicy" { "networking.k8s.io" } else { "" };
        let mut entry =
            InventoryEntry { group: group.into(), kind: kind.into(), name: "x".into(), ..InventoryEntry::default() };
        entry.record_applied("v1", "u".into(), "rendered", "fields");
        entry
    }

    fn live() -> LiveObject {
        LiveObject {
            uid: "u".into(),
            annotations: [(names::RENDERED_ANNOTATION.to_owned(), "rendered".to_owned())].into(),
            fields: Some("fields".into()),
            own: json!({ "f:spec": { "f:a": {} } }),
            ..LiveObject::default()
        }
    }

    fn is_suspect(live: LiveObject, kind: &str) -> bool {
        Sighting::There(Box::new(live)).against(&entry(kind)) != Finding::AsRecorded
    }

    #[test]
    fn c31_what_an_apply_of_ours_left_is_no_drift_whatever_its_generation() {
        assert!(!is_suspect(live(), "NetworkPolicy"));
        let by_status = Held { manager: "quota".into(), fields: json!({ "f:status": { "f:used": {} } }) };
        assert!(!is_suspect(LiveObject { others: vec![by_status], ..live() }, "ResourceQuota"));
    }

    #[test]
    fn c34_lost_fields_lost_marks_another_uid_and_additions_to_what_is_exact_are_suspicious() {
        assert!(is_suspect(LiveObject { fields: Some("fewer".into()), ..live() }, "ConfigMap"));
        assert!(is_suspect(LiveObject { fields: None, ..live() }, "ConfigMap"));
        assert!(is_suspect(LiveObject { annotations: [].into(), ..live() }, "ConfigMap"));
        assert!(is_suspect(LiveObject { uid: "v".into(), ..live() }, "ConfigMap"));
        let more = LiveObject {
            others: vec![Held { manager: "edit".into(), fields: json!({ "f:spec": { "f:b": {} } }) }],
            ..live()
        };
        assert!(is_suspect(more.clone(), "NetworkPolicy") && !is_suspect(more.clone(), "ConfigMap"));
        let mut says_so = more;
        says_so.annotations.insert(names::EXACT_ANNOTATION.to_owned(), "true".to_owned());
        assert!(is_suspect(says_so, "ConfigMap"));
    }

    #[test]
    fn c34_only_the_end_of_the_recorded_object_counts() {
        assert_ne!(Sighting::Gone("u".into()).against(&entry("ConfigMap")), Finding::AsRecorded);
        assert_eq!(Sighting::Gone("former".into()).against(&entry("ConfigMap")), Finding::AsRecorded);
        let on_its_way = InventoryEntry { uid: String::new(), ..entry("ConfigMap") };
        assert_eq!(Sighting::Missing.against(&on_its_way), Finding::AsRecorded);
    }
}
