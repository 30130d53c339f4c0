use std::time::Duration;

use proptest::{collection::vec, prelude::*};

use super::*;

fn open_keys() -> Keys {
    let mut keys = Keys::default();
    keys.open();
    keys
}

#[test]
fn s23_what_is_added_to_a_closed_queue_is_dropped() {
    let (mut keys, now) = (Keys::default(), Instant::now());
    keys.add("a");
    keys.add_to("flow", "a");
    keys.add_at("b", now);
    keys.open();
    assert_eq!((keys.take(now), keys.next_due()), (None, None));
    keys.add("a");
    assert_eq!(keys.take(now).as_deref(), Some("a"));
}

#[test]
fn a_key_is_worked_on_once_at_a_time_and_comes_again_if_it_was_added_meanwhile() {
    let (mut keys, now) = (open_keys(), Instant::now());
    keys.add("a");
    keys.add("a");
    keys.add("b");
    assert_eq!(keys.take(now).as_deref(), Some("a"));
    keys.add("a");
    assert_eq!(keys.take(now).as_deref(), Some("b"));
    assert_eq!(keys.take(now), None);
    keys.done("a");
    assert_eq!(keys.take(now).as_deref(), Some("a"));
    keys.done("a");
    assert_eq!(keys.take(now), None);
}

#[test]
fn of_two_times_the_earlier_counts_and_now_beats_both() {
    let (mut keys, now) = (open_keys(), Instant::now());
    let (soon, late) = (now + Duration::from_secs(1), now + Duration::from_secs(9));
    keys.add_at("a", late);
    keys.add_at("a", soon);
    keys.add_at("a", late);
    assert_eq!(keys.next_due(), Some(soon));
    assert_eq!(keys.take(now), None);
    assert_eq!(keys.take(soon).as_deref(), Some("a"));
    keys.done("a");
    assert_eq!(keys.take(late), None);
    keys.add_at("a", late);
    keys.add("a");
    assert_eq!(keys.take(now).as_deref(), Some("a"));
    keys.done("a");
    assert_eq!((keys.take(late), keys.next_due()), (None, None));
}

#[test]
fn c36_one_label_change_does_not_wait_for_ten_thousand_of_a_class_edit_nor_ten_for_ten_thousand() {
    let (mut keys, now) = (open_keys(), Instant::now());
    (0..10_000).for_each(|i| keys.add_to("big", &format!("big-{i}")));
    (0..10).for_each(|i| keys.add_to("small", &format!("small-{i}")));
    keys.add("big-9999");
    assert_eq!(keys.take(now).as_deref(), Some("big-9999"), "a label of one of them changed");
    let next: Vec<String> = (0..20).filter_map(|_| keys.take(now)).collect();
    assert_eq!(next.iter().filter(|key| key.starts_with("small")).count(), 10, "{next:?}");
    assert_eq!(keys.depth(), 10_000 - 11);
}

/// What happens to a queue.
#[derive(Clone, Debug)]
enum Event {
    Urgent(u8),
    Bulk(u8, u8),
    Later(u8, u8),
    Take,
    Done,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let key = 0..12_u8;
    vec(
        prop_oneof![
            key.clone().prop_map(Event::Urgent),
            (0..3_u8, key.clone()).prop_map(|(flow, key)| Event::Bulk(flow, key)),
            (key, 0..20_u8).prop_map(|(key, at)| Event::Later(key, at)),
            Just(Event::Take),
            Just(Event::Done),
        ],
        0..200,
    )
}

proptest! {
    #[test]
    fn c36_no_key_is_lost_doubled_or_worked_on_twice_at_a_time(events in events()) {
        let (mut keys, start) = (open_keys(), Instant::now());
        let (mut owed, mut working) = (BTreeSet::new(), Vec::new());
        let name = |key: u8| format!("k{key}");
        for (millis, event) in (0_u64..).zip(events) {
            let now = start + Duration::from_millis(millis);
            match event {
                Event::Urgent(key) => { keys.add(&name(key)); owed.insert(name(key)); }
                Event::Bulk(flow, key) => { keys.add_to(&format!("f{flow}"), &name(key)); owed.insert(name(key)); }
                Event::Later(key, wait) => {
                    keys.add_at(&name(key), now + Duration::from_millis(wait.into()));
                    owed.insert(name(key));
                }
                Event::Take => if let Some(key) = keys.take(now) {
                    prop_assert!(owed.remove(&key), "{key} was not asked for");
                    prop_assert!(!working.contains(&key), "{key} is being worked on");
                    working.push(key);
                },
                Event::Done => if let Some(key) = working.pop() { keys.done(&key); },
            }
        }
        let end = start + Duration::from_secs(9);
        for key in &working {
            keys.done(key);
        }
        while let Some(key) = keys.take(end) {
            prop_assert!(owed.remove(&key), "{key} came twice");
            keys.done(&key);
        }
        prop_assert_eq!(owed, BTreeSet::new());
        prop_assert!(keys.depth() == 0 && keys.flows.is_empty() && keys.turns.is_empty() && keys.due.is_empty());
    }

    #[test]
    fn c36_an_urgent_key_waits_for_urgent_ones_alone_however_many_others_there_are(
        before in 0..40_usize, bulk in 0..400_usize, flows in 1..5_usize,
    ) {
        let (mut keys, now) = (open_keys(), Instant::now());
        (0..bulk).for_each(|i| keys.add_to(&format!("f{}", i % flows), &format!("bulk-{i}")));
        (0..before).for_each(|i| keys.add(&format!("urgent-{i}")));
        keys.add("mine");
        let taken = std::iter::from_fn(|| keys.take(now)).position(|key| key == "mine").unwrap();
        let turns_of_others = (before + 1) / usize::try_from(URGENT_IN_A_ROW).unwrap();
        prop_assert!(taken <= before + turns_of_others, "{taken} keys were before it");
    }

    #[test]
    fn c36_a_flow_has_its_turn_however_many_urgent_keys_and_longer_flows_there_are(
        ahead in 0..20_usize, flows in 0..5_usize,
    ) {
        let (mut keys, now) = (open_keys(), Instant::now());
        (0..flows).for_each(|f| (0..500).for_each(|i| keys.add_to(&format!("f{f}"), &format!("f{f}-{i}"))));
        (0..ahead).for_each(|i| keys.add_to("mine", &format!("ahead-{i}")));
        keys.add_to("mine", "mine");
        let mut urgent = 0;
        let taken = std::iter::from_fn(|| {
            // As many urgent keys as anybody could add.
            (0..8).for_each(|_| { urgent += 1; keys.add(&format!("urgent-{urgent}")); });
            keys.take(now)
        });
        let most = (ahead + 1) * (flows + 1) * (usize::try_from(URGENT_IN_A_ROW).unwrap() + 1);
        let position = taken.take(most + 1).position(|key| key == "mine");
        prop_assert!(position.is_some_and(|p| p < most), "{position:?} of at most {most}");
    }
}
