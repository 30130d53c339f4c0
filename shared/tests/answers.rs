//! The table of recorded answers (class.md C37): what each means, and the sentence that a person reads.

#[path = "answers/row.rs"]
mod row;

use std::fmt::Write;

use kube::core::{
    Status,
    response::{StatusCause, StatusDetails},
};
use nsclass_shared::{
    answer::{Action, Answer, Asked},
    identity::ObjectIdentity,
    plan::Outcome,
    reason::Reason,
};
use proptest::prelude::*;

use row::{Row, RowAsked};

fn answer(case: &str) -> Option<Answer> {
    Row::read(case).ok().map(|row| row.answer())
}

#[test]
fn c37_every_recorded_answer_has_a_meaning_and_a_sentence() {
    let mut table = String::new();
    for case in Row::cases().unwrap() {
        let row = Row::read(&case).unwrap();
        let answer = row.answer();
        let meaning = match answer.outcome(row.action()) {
            Outcome::Refused(refusal) | Outcome::Busy { refusal, .. } => {
                format!("{}: {}", refusal.reason, refusal.message)
            }
            Outcome::Read(None) => "proved to be absent".to_owned(),
            other => format!("{other:?}"),
        };
        let wait = answer.retry_after().map_or(String::new(), |wait| format!(", after {wait:?}"));
        let RowAsked { action, resource, .. } = &row.asked;
        writeln!(table, "{case} ({action:?} {resource}: {}){wait}\n    {meaning}", row.status.code).unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn c37_a_recorded_answer_is_either_provoked_or_says_why_it_is_not() {
    for case in Row::cases().unwrap() {
        let row = Row::read(&case).unwrap();
        assert_eq!(case.starts_with("synthetic-"), row.synthetic.is_some_and(|why| why.len() > 10), "{case}");
    }
}

#[test]
fn c03_only_a_not_found_of_the_object_itself_proves_that_it_is_gone() {
    let gone: Vec<String> =
        Row::cases().unwrap().into_iter().filter(|case| answer(case) == Some(Answer::NotFound)).collect();
    assert_eq!(
        gone,
        [
            "delete-in-missing-namespace",
            "delete-missing",
            "read-in-missing-namespace",
            "read-missing",
            "read-missing-cluster-scoped",
            "read-missing-custom",
            "record-absent",
        ]
    );
}

#[test]
fn c33_what_exists_is_never_a_conflict_of_a_create() {
    for case in ["create-exists", "create-exists-forced", "create-exists-conflict"] {
        assert_eq!(answer(case).unwrap().outcome(Action::Create), Outcome::PreconditionFailed, "{case}");
    }
}

#[test]
fn c33_another_uid_is_a_failed_precondition_and_not_an_immutable_field() {
    for case in ["update-other-uid", "update-other-uid-immutable", "update-other-uid-custom", "update-absent"] {
        assert_eq!(answer(case).unwrap().outcome(Action::Update), Outcome::PreconditionFailed, "{case}");
    }
    assert_eq!(answer("delete-other-uid").unwrap().outcome(Action::Delete), Outcome::PreconditionFailed);
}

#[test]
fn c35_a_conflict_names_manager_and_field() {
    let Outcome::Refused(refusal) = answer("conflict-two-managers").unwrap().outcome(Action::Update) else {
        panic!("no refusal")
    };
    assert_eq!(refusal.reason, Reason::ApplyConflict);
    assert_eq!(refusal.message, "\"helm\" holds .data.a, .data.b; \"kubectl-edit\" holds .data.c");
}

#[test]
fn bad11_an_immutable_field_is_one_only_where_nothing_else_is_wrong() {
    for case in ["immutable-role-ref", "immutable-job-template", "immutable-cluster-ip", "immutable-claim-size"] {
        let Some(Answer::Failed(refusal)) = answer(case) else { panic!("{case}") };
        assert_eq!(refusal.reason, Reason::ImmutableField, "{case}");
    }
    // Whoever recreates the Job would find out after it is gone.
    let Some(Answer::Failed(refusal)) = answer("immutable-and-invalid") else { panic!("no refusal") };
    assert_eq!(refusal.reason, Reason::InvalidManifest);
    // A create has nothing that could not change.
    let row = Row::read("immutable-cluster-ip").unwrap();
    let object = ObjectIdentity { group: String::new(), kind: "Service".into(), namespace: None, name: "web".into() };
    let asked = Asked { action: Action::Create, object: &object, resource: "services" };
    let Answer::Failed(refusal) = Answer::of(&row.status, &asked) else { panic!("no refusal") };
    assert_eq!(refusal.reason, Reason::InvalidManifest);
}

#[test]
fn c35_the_order_in_which_the_server_lists_causes_changes_no_condition() {
    for case in Row::cases().unwrap() {
        let row = Row::read(&case).unwrap();
        let mut turned = row.clone();
        turned.status.details.iter_mut().for_each(|details| details.causes.reverse());
        assert_eq!(turned.answer(), row.answer(), "{case}");
    }
}

#[test]
fn c37_a_failed_delete_is_not_a_failed_apply() {
    let busy = answer("synthetic-too-many-requests").unwrap();
    assert_eq!(busy.refusal(Action::Delete).reason, Reason::DeleteFailed);
    assert_eq!(busy.refusal(Action::Update).reason, Reason::ApplyFailed);
    assert_eq!(busy.retry_after(), Some(std::time::Duration::from_secs(7)));
}

#[test]
fn c37_a_record_that_changed_is_stale() {
    for case in ["record-absent", "record-exists", "record-stale", "record-other-uid"] {
        assert_eq!(answer(case).unwrap().outcome(Action::Record), Outcome::Stale, "{case}");
    }
}

/// Answers made of what servers say and of what they do not.
fn any_status() -> impl Strategy<Value = Status> {
    let words = prop_oneof![
        Just(String::new()),
        Just("404 page not found".to_owned()),
        Just("configmaps \"a\" not found".to_owned()),
        Just("configmaps \"a\" is forbidden: exceeded quota: q".to_owned()),
        Just("admission webhook \"w\" denied the request: no".to_owned()),
        "\\PC{0,400}",
        "(failed to create typed patch object \\(|Invalid value: )[\\PC\n]{0,60}",
    ];
    let code = prop_oneof![Just(404_u16), Just(409), Just(403), Just(422), Just(500), 0..600_u16];
    let reason =
        prop_oneof![Just("NotFound"), Just("Invalid"), Just("Forbidden"), Just(""), Just("Failed to parse error data")];
    let name = prop_oneof![Just("a"), Just("n"), Just("")];
    let kind = prop_oneof![Just("configmaps"), Just("ConfigMap"), Just("namespaces"), Just("")];
    (code, reason, words.clone(), name, kind, prop::collection::vec((words, "[a-z.]{0,9}"), 0..4)).prop_map(
        |(code, reason, message, name, kind, causes)| {
            let cause = |(message, field)| StatusCause { reason: String::new(), message, field };
            let details = StatusDetails {
                name: name.to_owned(),
                group: String::new(),
                kind: kind.to_owned(),
                uid: String::new(),
                causes: causes.into_iter().map(cause).collect(),
                retry_after_seconds: 0,
            };
            Status::failure(&message, reason).with_code(code).with_details(details)
        },
    )
}

proptest! {
    #[test]
    fn c03_absence_is_proved_by_reason_name_and_resource_together(status in any_status(), apply in any::<bool>()) {
        let object =
            ObjectIdentity { group: String::new(), kind: "ConfigMap".into(), namespace: Some("n".into()), name: "a".into() };
        let action = if apply { Action::Update } else { Action::Read };
        let answer = Answer::of(&status, &Asked { action, object: &object, resource: "configmaps" });
        if answer == Answer::NotFound {
            let details = status.details.clone().unwrap();
            prop_assert!(!apply && status.code == 404 && status.reason == "NotFound");
            prop_assert_eq!((details.name.as_str(), details.kind.as_str()), ("a", "configmaps"));
            prop_assert!(!status.message.starts_with("admission webhook"));
        }
        for action in [Action::Update, Action::Delete] {
            let refusal = answer.refusal(action);
            prop_assert!(refusal.message.chars().count() <= 300 && !refusal.message.contains('\n'), "{}", refusal.message);
            prop_assert!(Reason::ALL.contains(&refusal.reason) && refusal.reason != Reason::BindingRecorded);
        }
    }
}
