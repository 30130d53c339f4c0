use nsclass_shared::plan::{Failure, Repair, Requeue};
use nsclass_shared::reason::Reason;

use super::*;

fn object(name: &str) -> ObjectIdentity {
    ObjectIdentity { group: String::new(), kind: "ConfigMap".into(), namespace: Some("pay".into()), name: name.into() }
}

fn rest() -> Report {
    Report {
        failures: vec![],
        notes: vec![],
        refused: [].into(),
        requeue: Requeue::Rest,
        lost: false,
        created: vec![],
        deleted: vec![],
        repairs: vec![],
        drifted: vec![],
        cleared: vec![],
    }
}

fn said(report: &Report, before: Option<&str>) -> Option<String> {
    news(report, before).map(|news| format!("{} {}", news.reason, news.note))
}

#[test]
fn c38_a_pass_has_one_event_or_none() {
    assert_eq!(said(&rest(), None), None);
    let made: Vec<_> = ["a", "b", "c", "d", "e"].map(object).into();
    let mut report = Report { created: made, deleted: vec![object("old")], ..rest() };
    let all = said(&report, None).unwrap();
    assert_eq!(all, "Created created ConfigMap a, ConfigMap b, ConfigMap c and 2 more; deleted ConfigMap old");
    let what = "\"edit\" changed .data.k".to_owned();
    report.repairs = vec![Repair { object: object("a"), what, done: true }];
    assert_eq!(said(&report, None).unwrap(), "Repaired set back ConfigMap a: \"edit\" changed .data.k");
    report.failures = vec![Failure::of(&object("a"), Reason::NotOwned, "it is there already".into())];
    assert!(said(&report, None).unwrap().starts_with("NotOwned ConfigMap a: it is there already. Remedy: "));
}

#[test]
fn c38_a_failure_that_the_binding_says_already_is_no_news() {
    let failures = vec![Failure::of(&object("a"), Reason::NotOwned, "it is there already".into())];
    let report = Report { failures, ..rest() };
    assert_eq!(said(&report, Some("NotOwned")), None);
    assert!(said(&report, Some("BindingRecorded")).is_some());
}

#[test]
fn c38_a_note_is_never_longer_than_the_api_server_takes() {
    let failures = vec![Failure { object: None, reason: Reason::ApplyFailed, message: "ü".repeat(5000) }];
    assert!(news(&Report { failures, ..rest() }, None).unwrap().note.len() <= LONGEST_NOTE);
}

fn told(reason: &str, is_warning: bool) -> Told {
    let about = reference("v1", "Namespace", "pay", None);
    Told { about, class: None, news: news_of(reason, "Apply", is_warning, String::new()) }
}

#[tokio::test]
async fn c38_warnings_are_written_before_good_news() {
    let events = Events::default();
    events.others.try_send(told("Created", false)).unwrap();
    events.warnings.try_send(told("Forbidden", true)).unwrap();
    events.warnings.try_send(told("Repaired", true)).unwrap();
    let mut waiting = events.waiting.lock().unwrap().take().unwrap();
    drop(events);
    let mut order = Vec::new();
    while let Some(told) = waiting.next().await {
        order.push(told.news.reason);
    }
    assert_eq!(order, ["Forbidden", "Repaired", "Created"]);
}

#[test]
fn c38_only_good_news_waits_while_a_class_reaches_thousands() {
    assert_eq!([pause(false, 0), pause(true, 10_000)], [PAUSE; 2]);
    assert_eq!(pause(false, 10_000), PAUSE_AMID_MANY);
}
