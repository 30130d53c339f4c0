//! From the bindings of a class to what its status says of the guard.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::{WINDOW, digest_of_deletion, digest_of_edit, digest_of_labels, is_confirmed, ledger::labels_held};
use crate::api::{Assessment, GuardCause, GuardHeld};
use crate::names::CONFIRM_ANNOTATION;
use crate::reason::Remark;

/// A namespace whose binding says that the guard keeps its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldNamespace {
    /// When its label went; none where it is there.
    pub label_lost: Option<Timestamp>,
}

/// The class, as its guard sees it.
#[derive(Clone, Copy, Debug)]
pub struct ClassView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its UID.
    pub uid: &'a str,
    /// `metadata.generation`.
    pub generation: i64,
    /// It has a deletionTimestamp.
    pub deleting: bool,
    /// Its annotation `nsclass.io/confirm-delete`.
    pub confirmed: Option<&'a str>,
}

/// What is held, one entry per cause.
///
/// `before` is what the status says now. Its digest of labels stays while it is confirmed and something of it is left; else it moves
/// on to all that is held now.
pub fn held(before: &[GuardHeld], namespaces: &[&HeldNamespace], class: &ClassView<'_>) -> Vec<GuardHeld> {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    // What is deleted takes everything, labelled or not.
    let lost: Vec<Timestamp> =
        namespaces.iter().filter(|_| !class.deleting).filter_map(|namespace| namespace.label_lost).collect();
    let others = namespaces.len() - lost.len();
    let mut all = Vec::new();
    if others > 0 {
        let (cause, digest) = if class.deleting {
            (GuardCause::ClassDeleted, digest_of_deletion(class.uid))
        } else {
            (GuardCause::ClassEdited, digest_of_edit(class.uid, class.generation))
        };
        all.push(GuardHeld { cause, digest, up_to: None, namespaces: count(others) });
    }
    if let Some(last) = lost.iter().max() {
        let confirmed_up_to = labels_held(before)
            .filter(|held| is_confirmed(class.confirmed, &held.digest))
            .and_then(|held| held.up_to.as_ref())
            .map(|up_to| up_to.0)
            .filter(|up_to| lost.iter().any(|since| since <= up_to));
        let up_to = confirmed_up_to.unwrap_or(*last);
        all.push(GuardHeld {
            cause: GuardCause::LabelsLost,
            digest: digest_of_labels(class.uid, up_to),
            up_to: Some(Time(up_to)),
            namespaces: count(lost.len()),
        });
    }
    all
}

/// The condition `GuardEngaged` of a class.
pub fn condition(class: &str, held: &[GuardHeld], bound: usize) -> Assessment {
    let minutes = WINDOW.as_mins();
    if held.is_empty() {
        let message = "nothing is held".to_owned();
        return Assessment { status: Some(false), reason: Remark::NothingHeld.to_string(), message };
    }
    let each: Vec<String> = held
        .iter()
        .map(|held| {
            let (what, undo) = match held.cause {
                GuardCause::ClassEdited => ("the last edit of the class", "undo the edit"),
                GuardCause::ClassDeleted => ("the deletion of the class", "set onDelete: Orphan to leave the objects"),
                GuardCause::LabelsLost => ("the loss of their label", "set the label nsclass.io/name again"),
            };
            format!(
                "{what} would take objects from {} more: if that is meant, run kubectl annotate --overwrite \
                 namespaceclass {class} {CONFIRM_ANNOTATION}={}; if not, {undo}",
                namespaces(held.namespaces),
                held.digest
            )
        })
        .collect();
    let message = format!(
        "deletion is stopped, because within {minutes} minutes at most {} of the {bound} namespaces with this class may lose objects \
         without a confirmation; {}",
        super::limit(bound),
        each.join("; and ")
    );
    let reason = match held {
        [GuardHeld { cause: GuardCause::ClassEdited, .. }] => Remark::ClassEdited,
        [GuardHeld { cause: GuardCause::ClassDeleted, .. }] => Remark::ClassDeleted,
        [GuardHeld { cause: GuardCause::LabelsLost, .. }] => Remark::LabelsLost,
        _ => Remark::SeveralChanges,
    };
    Assessment { status: Some(true), reason: reason.to_string(), message }
}

fn namespaces(count: u32) -> String {
    if count == 1 { "1 namespace".to_owned() } else { format!("{count} namespaces") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn lost(second: i64) -> HeldNamespace {
        HeldNamespace { label_lost: Some(at(second)) }
    }

    fn class(generation: i64, deleting: bool, confirmed: Option<&str>) -> ClassView<'_> {
        ClassView { name: "std", uid: "u", generation, deleting, confirmed }
    }

    #[test]
    fn c47_the_digest_of_labels_moves_on_until_it_is_confirmed_and_stays_while_something_of_it_is_left() {
        let (first, second, third) = (lost(10), lost(20), lost(30));
        let one = held(&[], &[&first, &second], &class(1, false, None));
        assert_eq!((one.len(), one[0].up_to.clone(), one[0].namespaces), (1, Some(Time(at(20))), 2));
        let more = held(&one, &[&first, &second, &third], &class(1, false, None));
        assert_eq!(more[0].up_to, Some(Time(at(30))), "what nobody confirmed speaks of all");
        let confirmed = Some(one[0].digest.as_str());
        let kept = held(&one, &[&second, &third], &class(1, false, confirmed));
        assert_eq!((&kept[0].digest, kept[0].namespaces), (&one[0].digest, 2));
        let rest = held(&kept, &[&third], &class(1, false, confirmed));
        assert_ne!(rest[0].digest, one[0].digest, "another change needs another confirmation");
        assert_eq!(held(&rest, &[], &class(1, false, confirmed)), vec![]);
    }

    #[test]
    fn c47_the_condition_says_what_is_held_and_how_to_go_on() {
        let (edited, left) = (HeldNamespace { label_lost: None }, lost(20));
        let both = held(&[], &[&edited, &edited, &left], &class(7, false, None));
        insta::assert_snapshot!(condition("std", &both[..1], 10).message, @"deletion is stopped, because within 10 minutes at most 3 of the 10 namespaces with this class may lose objects without a confirmation; the last edit of the class would take objects from 2 namespaces more: if that is meant, run kubectl annotate --overwrite namespaceclass std nsclass.io/confirm-delete=48f1e5846f1ec9d7; if not, undo the edit");
        insta::assert_snapshot!(condition("std", &both, 10).reason, @"SeveralChanges");
        let deleted = held(&[], &[&edited], &class(7, true, None));
        insta::assert_snapshot!(condition("std", &deleted, 10).message, @"deletion is stopped, because within 10 minutes at most 3 of the 10 namespaces with this class may lose objects without a confirmation; the deletion of the class would take objects from 1 namespace more: if that is meant, run kubectl annotate --overwrite namespaceclass std nsclass.io/confirm-delete=cefb669a92f40d27; if not, set onDelete: Orphan to leave the objects");
    }
}
