use std::time::Duration;

use nsclass_shared::plan::{Failure, Repair, Requeue};
use nsclass_shared::reason::Reason;

use super::*;

fn object(name: &str) -> ObjectIdentity {
    ObjectIdentity { group: String::new(), kind: "ConfigMap".into(), namespace: Some("pay".into()), name: name.into() }
}

fn entry(name: &str) -> InventoryEntry {
    let mut entry = InventoryEntry::reserved(&object(name), "v1");
    entry.record_applied("v1", "u".into(), "rendered", "fields");
    entry
}

fn suspect(trace: u64) -> Finding {
    Finding::Suspect { beside: vec![], trace }
}

fn report(cleared: &[&str], repaired: &[&str], failed: &[&str]) -> Report {
    let repair =
        |name: &&str| Repair { object: object(name), what: "somebody deleted it".into(), done: !failed.contains(name) };
    Report {
        failures: failed.iter().map(|name| Failure::of(&object(name), Reason::Forbidden, "no".into())).collect(),
        notes: vec![],
        refused: BTreeMap::new(),
        requeue: Requeue::Rest,
        lost: false,
        created: vec![],
        deleted: vec![],
        repairs: repaired.iter().chain(failed).map(repair).collect(),
        drifted: vec![],
        cleared: cleared.iter().map(|name| object(name)).collect(),
    }
}

#[test]
fn c34_a_suspect_stays_until_a_pass_has_dealt_with_it() {
    let (mut all, now, inventory) = (Suspects::default(), Instant::now(), [entry("a"), entry("b")]);
    assert_eq!(all.note("pay", &object("a"), suspect(1), now), Some(Wake::Now));
    assert_eq!(all.note("pay", &object("a"), suspect(1), now), None, "no news");
    assert_eq!(all.begin("pay", now).suspects.keys().collect::<Vec<_>>(), [&object("a")]);
    assert_eq!(all.end("pay", None, &inventory, now), None, "a pass that did nothing");
    assert_eq!(all.begin("pay", now).suspects.len(), 1);
    assert_eq!(all.end("pay", Some(&report(&["a"], &[], &[])), &inventory, now), None);
    assert!(all.namespaces.is_empty());
}

#[test]
fn c31_what_is_seen_during_a_pass_is_compared_with_what_it_left() {
    let (mut all, now) = (Suspects::default(), Instant::now());
    all.begin("pay", now);
    let gone = |uid: &str| Sighting::Gone(uid.into());
    assert_eq!(all.hold_while_passing("pay", &object("a"), gone("u")), None);
    assert_eq!(all.hold_while_passing("pay", &object("b"), gone("v")), None);
    assert_eq!(all.end("pay", None, &[entry("a"), entry("b")], now), Some(Wake::Now));
    assert_eq!(all.begin("pay", now).suspects.keys().collect::<Vec<_>>(), [&object("a")]);
    // An object that is in no inventory any more concerns nobody.
    all.end("pay", None, &[entry("b")], now);
    assert!(all.namespaces.is_empty());
    assert_eq!(all.hold_while_passing("pay", &object("a"), gone("u")), Some(gone("u")), "no pass");
}

#[test]
fn c35_a_fight_is_said_at_once_and_its_repairs_are_put_off() {
    let (mut all, now, inventory) = (Suspects::default(), Instant::now(), [entry("a")]);
    let mut wakes = vec![];
    for round in 1..=5 {
        all.note("pay", &object("a"), suspect(round), now);
        assert!(!all.begin("pay", now).suspects[&object("a")].waits);
        wakes.push(all.end("pay", Some(&report(&["a"], &["a"], &[])), &inventory, now));
    }
    assert_eq!(wakes, [None, None, None, None, Some(Wake::Now)]);
    let Some(Wake::At(due)) = all.note("pay", &object("a"), suspect(9), now) else { panic!("at once again") };
    assert!(due > now);
    let asked = all.begin("pay", now);
    assert!(asked.suspects[&object("a")].waits && asked.fights[&object("a")] == "somebody deleted it");
    assert_eq!(all.end("pay", Some(&report(&[], &[], &[])), &inventory, now), Some(Wake::At(due)));
    assert!(!all.begin("pay", due).suspects[&object("a")].waits);
    let Some(Wake::At(over)) = all.end("pay", Some(&report(&["a"], &["a"], &[])), &inventory, due) else {
        panic!("nobody looks whether it is over")
    };
    assert!(over >= due + Duration::from_secs(60));
    assert!(all.begin("pay", over).fights.is_empty());
    assert_eq!(all.end("pay", None, &inventory, over), None);
    assert!(all.namespaces.is_empty());
}

#[test]
fn c36_a_repair_that_fails_is_left_to_the_pauses_of_its_namespace() {
    let (mut all, now, inventory) = (Suspects::default(), Instant::now(), [entry("a")]);
    all.note("pay", &object("a"), suspect(1), now);
    all.begin("pay", now);
    assert_eq!(all.end("pay", Some(&report(&[], &[], &["a"])), &inventory, now), None);
    assert_eq!(all.note("pay", &object("a"), suspect(2), now), None);
    assert_eq!(all.begin("pay", now).suspects.len(), 1, "and yet it is looked at then");
}

#[test]
fn c34_a_suspect_that_is_seen_as_recorded_again_is_looked_at_once_more() {
    let (mut all, now) = (Suspects::default(), Instant::now());
    assert_eq!(all.note("pay", &object("a"), Finding::AsRecorded, now), None);
    all.note("pay", &object("a"), suspect(1), now);
    assert_eq!(all.note("pay", &object("a"), Finding::AsRecorded, now), Some(Wake::Now));
    assert_eq!(all.note("pay", &object("a"), Finding::AsRecorded, now), None);
}

#[test]
fn bad12_an_addition_that_is_hidden_right_after_is_not_forgotten() {
    let (mut all, now, inventory) = (Suspects::default(), Instant::now(), [entry("a")]);
    let held = Held { manager: "tenant".into(), fields: serde_json::json!({ "f:data": {} }) };
    let added = Finding::Suspect { beside: vec![held.clone()], trace: 1 };
    all.note("pay", &object("a"), added, now);
    all.note("pay", &object("a"), Finding::AsRecorded, now);
    assert_eq!(all.begin("pay", now).suspects[&object("a")].beside, std::slice::from_ref(&held));
    all.end("pay", Some(&report(&["a"], &[], &[])), &inventory, now);
    // The same, both seen while a pass is under way.
    all.begin("pay", now);
    let live = nsclass_shared::plan::LiveObject {
        uid: "u".into(),
        fields: Some("fields".into()),
        annotations: [("nsclass.io/rendered", "rendered"), ("nsclass.io/exact", "true")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
        ..Default::default()
    };
    let open = nsclass_shared::plan::LiveObject { others: vec![held.clone()], ..live.clone() };
    for seen in [open, live] {
        all.hold_while_passing("pay", &object("a"), Sighting::There(Box::new(seen)));
    }
    assert_eq!(all.end("pay", None, &inventory, now), Some(Wake::Now));
    assert_eq!(all.begin("pay", now).suspects[&object("a")].beside, [held]);
}
