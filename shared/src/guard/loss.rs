//! What takes objects from a namespace, and the digest that names the change behind it.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::api::{GuardCause, GuardHeld};
use crate::plan::short_hash;

/// Why a namespace is about to lose objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The class has them no longer.
    ClassEdited {
        /// `metadata.generation` of the class. What a namespace loses because its own labels changed counts under it too.
        generation: i64,
    },
    /// The class is being deleted.
    ClassDeleted,
    /// The namespace lost its label, and the delay is over.
    LabelLost {
        /// When that was first seen.
        since: Timestamp,
    },
}

impl Loss {
    /// The kind of change.
    pub fn cause(&self) -> GuardCause {
        match self {
            Self::ClassEdited { .. } => GuardCause::ClassEdited,
            Self::ClassDeleted => GuardCause::ClassDeleted,
            Self::LabelLost { .. } => GuardCause::LabelsLost,
        }
    }

    /// Whether the digests in the class's annotation let this loss through. Labels are confirmed by what is recorded of them in
    /// `held`, which says up to which time.
    pub fn is_confirmed(&self, class_uid: &str, annotation: Option<&str>, held: &[GuardHeld]) -> bool {
        match self {
            Self::ClassEdited { generation } => is_confirmed(annotation, &digest_of_edit(class_uid, *generation)),
            Self::ClassDeleted => is_confirmed(annotation, &digest_of_deletion(class_uid)),
            Self::LabelLost { since } => held
                .iter()
                .filter_map(|held| held.up_to.as_ref())
                .any(|up_to| *since <= up_to.0 && is_confirmed(annotation, &digest_of_labels(class_uid, up_to.0))),
        }
    }

    /// Whether a recorded change is the one behind this loss.
    pub(super) fn is_of(&self, class_uid: &str, held: &GuardHeld) -> bool {
        match self {
            Self::ClassEdited { generation } => held.digest == digest_of_edit(class_uid, *generation),
            Self::ClassDeleted | Self::LabelLost { .. } => held.cause == self.cause(),
        }
    }
}

/// Names an edit of a class.
pub fn digest_of_edit(class_uid: &str, generation: i64) -> String {
    digest(&json!([class_uid, "edited", generation]))
}

/// Names the deletion of a class, before and after it is asked for.
pub fn digest_of_deletion(class_uid: &str) -> String {
    digest(&json!([class_uid, "deleted"]))
}

/// Names all losses of the label up to that time.
pub fn digest_of_labels(class_uid: &str, up_to: Timestamp) -> String {
    digest(&json!([class_uid, "labels", up_to.to_string()]))
}

/// Whether an annotation `nsclass.io/confirm-delete` holds this digest, alone or among others.
pub fn is_confirmed(annotation: Option<&str>, digest: &str) -> bool {
    annotation.is_some_and(|text| text.split(',').any(|one| one.trim() == digest))
}

fn digest(change: &Value) -> String {
    short_hash(change)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::*;

    #[test]
    fn c47_a_confirmation_is_of_exactly_one_change() {
        let (edit, deletion) = (digest_of_edit("u", 3), digest_of_deletion("u"));
        let loss = Loss::ClassEdited { generation: 3 };
        assert!(loss.is_confirmed("u", Some(&edit), &[]) && loss.is_confirmed("u", Some(&format!("x, {edit}")), &[]));
        for other in [digest_of_edit("u", 4), digest_of_edit("v", 3), deletion.clone(), edit[1..].to_owned()] {
            assert!(!loss.is_confirmed("u", Some(&other), &[]), "{other}");
        }
        assert!(!loss.is_confirmed("u", None, &[]));
        assert!(Loss::ClassDeleted.is_confirmed("u", Some(&deletion), &[]));
        assert!(!Loss::ClassDeleted.is_confirmed("v", Some(&deletion), &[]));
    }

    #[test]
    fn c47_labels_are_confirmed_up_to_the_time_that_the_digest_names() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let digest = digest_of_labels("u", at(100));
        let held = |up_to, digest: &str| GuardHeld {
            cause: GuardCause::LabelsLost,
            digest: digest.to_owned(),
            up_to: Some(Time(at(up_to))),
            namespaces: 5,
        };
        let loss = |since| Loss::LabelLost { since: at(since) };
        assert!(loss(100).is_confirmed("u", Some(&digest), &[held(100, &digest)]));
        assert!(!loss(101).is_confirmed("u", Some(&digest), &[held(100, &digest)]), "another change");
        assert!(!loss(100).is_confirmed("u", Some(&digest), &[held(200, &digest)]), "a record that somebody stretched");
        assert!(!loss(100).is_confirmed("u", Some(&digest), &[]), "without a record nobody knows what it speaks of");
    }
}
