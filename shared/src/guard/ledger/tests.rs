use proptest::prelude::*;

use super::*;
use crate::guard::{digest_of_edit, digest_of_labels};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_000_000 + second).unwrap()
}

const EDIT: Loss = Loss::ClassEdited { generation: 2 };

/// A ledger with the class that it is of, and what the server holds of it.
#[derive(Default)]
struct Class {
    ledger: Ledger,
    status: GuardStatus,
    bound: usize,
    confirmed: Option<String>,
}

impl Class {
    fn of(bound: usize) -> Self {
        Self { bound, ..Self::default() }
    }

    /// Asks as the controller does: what must be recorded is, and then it is asked again.
    fn ask(&mut self, namespace: &str, loss: &Loss, now: Timestamp) -> Answer {
        loop {
            let facts = Facts {
                class_uid: "u",
                confirmed: self.confirmed.as_deref(),
                status: &self.status.clone(),
                bound: self.bound,
            };
            match self.ledger.ask(namespace, loss, facts, now) {
                Answer::RecordFirst(record) => {
                    self.status.passed = Some(record.clone());
                    self.ledger.recorded(record);
                }
                answer => return answer,
            }
        }
    }

    fn passes(&mut self, namespaces: std::ops::Range<usize>, loss: &Loss, now: Timestamp) -> usize {
        namespaces.filter(|n| self.ask(&format!("ns-{n}"), loss, now) == Answer::Pass).count()
    }

    fn restart(&mut self) {
        self.ledger = Ledger::inherit(&self.status);
    }
}

#[test]
fn c47_over_the_limit_the_rest_is_held_also_when_the_window_is_over() {
    let mut class = Class::of(100);
    assert_eq!(class.passes(0..100, &EDIT, at(0)), 30);
    assert_eq!(class.passes(0..30, &EDIT, at(1)), 30, "those that passed are not asked again");
    assert_eq!(class.ask("ns-50", &EDIT, at(3600)), Answer::Wait(Waits::Confirmation));
    class.confirmed = Some(digest_of_edit("u", 2));
    assert_eq!(class.passes(0..100, &EDIT, at(3601)), 100);
    let next = Loss::ClassEdited { generation: 3 };
    assert_eq!(class.passes(0..100, &next, at(3602)), 30, "another edit needs another confirmation");
}

#[test]
fn c47_a_small_change_that_meets_a_full_window_waits_for_room() {
    let mut class = Class::of(10);
    assert_eq!(class.passes(0..10, &EDIT, at(0)), 3);
    let label = Loss::LabelLost { since: at(-60) };
    assert_eq!(class.ask("ns-a", &label, at(60)), Answer::Wait(Waits::Until(at(600))));
    assert_eq!(class.ask("ns-a", &label, at(600)), Answer::Pass);
}

#[test]
fn c47_labels_lost_in_a_row_are_held_as_one_change_and_those_that_come_back_free_it() {
    let mut class = Class::of(10);
    let label = |n: i64| Loss::LabelLost { since: at(n) };
    let answers: Vec<_> = (0..10).map(|n| class.ask(&format!("ns-{n}"), &label(n), at(100))).collect();
    assert_eq!(answers.iter().filter(|a| **a == Answer::Pass).count(), 3);
    assert_eq!(answers[9], Answer::Wait(Waits::Confirmation));
    class.status.held = vec![GuardHeld {
        cause: GuardCause::LabelsLost,
        digest: digest_of_labels("u", at(5)),
        up_to: Some(Time(at(5))),
        namespaces: 7,
    }];
    class.confirmed = Some(digest_of_labels("u", at(5)));
    assert_eq!((3..10).filter(|n| class.ask(&format!("ns-{n}"), &label(*n), at(101)) == Answer::Pass).count(), 3);
    class.status.held.clear();
    (6..10).for_each(|n| class.ledger.settled(&format!("ns-{n}")));
    assert_eq!(class.ask("ns-x", &label(99), at(701)), Answer::Pass);
}

#[test]
fn c47_the_share_is_of_those_that_had_the_class_when_the_deletion_began() {
    let mut class = Class::of(100);
    let mut passed = 0;
    for n in 0..100 {
        if class.ask(&format!("ns-{n}"), &Loss::ClassDeleted, at(n)) == Answer::Pass {
            passed += 1;
            class.bound -= 1;
        }
    }
    assert_eq!(passed, 30);
}

#[test]
fn c47_a_change_that_is_held_is_still_held_after_a_restart_hours_later() {
    let mut class = Class::of(100);
    assert_eq!(class.passes(0..40, &EDIT, at(0)), 30);
    class.status.held =
        vec![GuardHeld { cause: GuardCause::ClassEdited, digest: digest_of_edit("u", 2), up_to: None, namespaces: 10 }];
    class.restart();
    assert_eq!(class.passes(30..40, &EDIT, at(10_000)), 0);
    assert_eq!(
        class.passes(30..40, &Loss::ClassEdited { generation: 3 }, at(10_001)),
        10,
        "an undone edit holds nothing"
    );
}

#[test]
fn c47_ten_thousand_namespaces_cost_few_records() {
    let mut class = Class::of(10_000);
    let mut records = 0;
    for n in 0..10_000 {
        let before = class.status.passed.clone();
        let _ = class.ask(&format!("ns-{n}"), &EDIT, at(n / 1000));
        records += usize::from(class.status.passed != before);
    }
    assert!(records <= 12, "{records}");
}

#[derive(Clone, Debug)]
enum Event {
    Ask(usize, u8),
    Later(i64),
    Restart,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        20 => (0_usize..60, 0_u8..3).prop_map(|(n, cause)| Event::Ask(n, cause)),
        3 => (0_i64..400).prop_map(Event::Later),
        2 => Just(Event::Restart),
    ]
}

proptest! {
    /// Whatever asks, and wherever the process ends, no ten minutes see more than the limit.
    #[test]
    fn c47_no_ten_minutes_see_more_than_the_limit_across_restarts(
        bound in 1_usize..60,
        events in proptest::collection::vec(event(), 1..200),
    ) {
        let mut class = Class::of(bound);
        let (mut now, mut passed) = (0, Vec::<(i64, usize, u8)>::new());
        for event in events {
            match event {
                Event::Ask(n, cause) => {
                    let loss = match cause {
                        0 => EDIT,
                        1 => Loss::ClassDeleted,
                        _ => Loss::LabelLost { since: at(0) },
                    };
                    let again = passed.iter().any(|&(_, m, c)| (m, c) == (n, cause));
                    if class.ask(&format!("ns-{n}"), &loss, at(now)) == Answer::Pass && !again {
                        passed.push((now, n, cause));
                    }
                }
                Event::Later(seconds) => now += seconds,
                Event::Restart => class.restart(),
            }
            let within = passed.iter().filter(|(at, ..)| *at > now - 600).count();
            prop_assert!(within <= limit(bound), "{within} of {bound}");
        }
    }
}
