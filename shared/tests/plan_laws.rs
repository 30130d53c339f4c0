//! The laws of `nsclass_shared::plan`, on random histories: a small model of a cluster carries out the steps, loses answers, and
//! stops passes anywhere. It models only what the laws speak of; the real server is in `tests/`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of a test")]

mod model;

use model::{Event, World};
use nsclass_shared::{
    api::OnDelete,
    plan::{Outcome, Pass, Requeue, Step},
    scope::Verdict,
};
use proptest::{
    collection::{btree_set, vec},
    prelude::*,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Fault 1 in process: wherever a pass is cut, and whichever answers are lost, the end is that of an undisturbed run, and at no
    /// instant is there an object that is ours and in no inventory (the model checks that after every step).
    #[test]
    fn fault01_a_pass_cut_anywhere_and_run_again_ends_the_same(
        events in vec(model::event(), 1..12),
        cuts in vec((0_usize..14, any::<bool>()), 0..12),
    ) {
        let mut calm = World::default();
        let mut stormy = World::default();
        for (i, event) in events.iter().enumerate() {
            calm.happen(event);
            stormy.happen(event);
            calm.settle();
            if let Some(&(after, lose_answer)) = cuts.get(i) {
                stormy.run_cut(after, lose_answer);
            }
            stormy.settle();
            prop_assert_eq!(calm.summary(), stormy.summary(), "after {:?}", &events[..=i]);
        }
    }

    /// A pass interrupted by the next event loses nothing either.
    #[test]
    fn fault01_events_in_the_middle_of_passes_lose_nothing(
        history in vec((model::event(), 0_usize..14, any::<bool>()), 1..14),
    ) {
        let mut world = World::default();
        for (event, after, lose_answer) in &history {
            world.happen(event);
            world.run_cut(*after, *lose_answer);
        }
        world.happen(&Event::ReleaseFinalizers);
        world.happen(&Event::Scope(true));
        world.settle();
        // A pass that died between an apply and its record, and a class put back before the next: only a look at the object tells.
        world.verify();
        world.settle();
        world.check_converged();
    }

    /// While the mass-delete guard holds, only what is owed or switched goes; let go, the end is that of a run without it.
    #[test]
    fn c47_what_the_guard_holds_stays_and_goes_when_it_lets_go(events in vec(model::event(), 1..12)) {
        let (mut calm, mut held) = (World::default(), World::default());
        held.guard_holds = true;
        for event in &events {
            calm.happen(event);
            calm.settle();
            held.happen(event);
            // The model fails where something is deleted past the guard.
            held.settle();
        }
        held.guard_holds = false;
        for world in [&mut calm, &mut held] {
            world.happen(&Event::Scope(true));
            world.happen(&Event::ReleaseFinalizers);
            world.settle();
            world.check_converged();
        }
    }

    #[test]
    fn c31_a_finished_state_has_no_steps(events in vec(model::event(), 1..12)) {
        let mut world = World::default();
        for event in &events {
            world.happen(event);
        }
        world.settle();
        prop_assert_eq!(world.steps_of_one_pass(), vec![]);
    }

    /// Whatever others do to our objects: one pass that looks at them undoes it, and then there is nothing more to do.
    #[test]
    fn c34_what_others_do_to_objects_is_undone_by_one_pass_that_looks(
        items in btree_set(0_usize..6, 1..5), drifts in vec(model::drift(), 1..8),
    ) {
        let mut world = World::default();
        world.happen(&Event::Edit(0, items, 0));
        world.happen(&Event::Label(Some(0)));
        world.settle();
        for drift in &drifts {
            world.happen(drift);
        }
        world.heal();
        prop_assert_eq!(world.traces(), Vec::<String>::new());
        world.check_converged();
        prop_assert_eq!(world.steps_of_one_pass(), vec![]);
    }

    /// Protection does not stop where changes do: with the class failing, or another one asked for that is not there.
    #[test]
    fn c50_what_others_do_is_undone_while_nothing_new_can_be_applied(
        items in btree_set(0_usize..6, 1..5), drifts in vec(model::drift(), 1..8), absent: bool,
    ) {
        let mut world = World::default();
        world.happen(&Event::Edit(0, items, 0));
        world.happen(&Event::Label(Some(0)));
        world.settle();
        world.happen(&if absent { Event::Label(Some(1)) } else { Event::Failing(true) });
        world.settle();
        for drift in &drifts {
            world.happen(drift);
        }
        world.heal();
        prop_assert_eq!(world.traces(), Vec::<String>::new());
        prop_assert_eq!(world.steps_of_one_pass(), vec![]);
        // And nothing has to be made good afterwards.
        world.happen(&if absent { Event::Label(Some(0)) } else { Event::Failing(false) });
        world.settle();
        world.check_converged();
    }
}

#[test]
fn c36_a_pass_on_old_facts_ends_at_once_and_is_tried_again_with_a_pause() {
    let mut world = World::default();
    world.happen(&Event::Edit(0, [1].into(), 0));
    world.happen(&Event::Label(Some(0)));
    let mut pass = world.pass();
    assert!(matches!(pass.next_step(), Some(Step::WriteBinding(_))));
    pass.record(Outcome::Stale);
    assert_eq!(pass.next_step(), None);
    assert_eq!(pass.report().requeue, Requeue::Backoff);
}

/// Histories whose last event is the one in whose work the process dies.
fn scenarios() -> Vec<(&'static str, Vec<Event>)> {
    let everything = || (0..6).collect();
    let filled = || vec![Event::Edit(0, everything(), 0), Event::Label(Some(0))];
    let with = |mut events: Vec<Event>, more: Vec<Event>| {
        events.extend(more);
        events
    };
    vec![
        ("first convergence", filled()),
        ("an edit that changes content", with(filled(), vec![Event::Edit(0, everything(), 1)])),
        (
            "an edit that grows",
            vec![Event::Edit(0, [1].into(), 0), Event::Label(Some(0)), Event::Edit(0, everything(), 1)],
        ),
        ("an edit that shrinks", with(filled(), vec![Event::Edit(0, [1, 4].into(), 1)])),
        ("a switch", with(filled(), vec![Event::Edit(1, [0, 1, 5].into(), 0), Event::Label(Some(1))])),
        ("opting out", with(filled(), vec![Event::Label(None), Event::Later])),
        ("a class deleted", with(filled(), vec![Event::DeleteClass(0)])),
        (
            "a class deleted that leaves its objects",
            with(filled(), vec![Event::SetOnDelete(0, OnDelete::Orphan), Event::DeleteClass(0)]),
        ),
        ("a namespace deleted", with(filled(), vec![Event::DeleteNamespace])),
        ("a namespace made again", with(filled(), vec![Event::DeleteNamespace, Event::MakeNamespace])),
        (
            "a deletion that a finalizer blocks",
            with(filled(), vec![Event::AddFinalizer(2), Event::Edit(0, [1].into(), 1)]),
        ),
        (
            "an object of somebody else in the way",
            vec![Event::ForeignObject(1), Event::Edit(0, everything(), 0), Event::Label(Some(0))],
        ),
    ]
}

/// Fault 1, every point of it: the process dies before each step, after each step, and goes on after each step whose answer was lost; and
/// dies a second time at every point of the pass that follows.
#[test]
fn fault01_every_crash_point_of_every_kind_of_work_ends_as_if_there_had_been_none() {
    for (name, events) in scenarios() {
        let (last, before) = events.split_last().unwrap();
        let mut start = World::default();
        for event in before {
            start.happen(event);
            start.settle();
        }
        start.happen(last);
        assert!(!start.steps_of_one_pass().is_empty(), "{name}: there is no work to die in");
        let mut calm = start.clone();
        calm.settle();
        let crashes = |world: &World| -> Vec<(usize, bool)> {
            let steps = world.steps_of_one_pass().len() + 2;
            (0..=steps).flat_map(|after| [(after, false), (after, true)]).collect()
        };
        for (after, lost) in crashes(&start) {
            let mut once = start.clone();
            once.run_cut(after, lost);
            for (again, lost_again) in crashes(&once) {
                let mut twice = once.clone();
                twice.run_cut(again, lost_again);
                twice.settle();
                assert_eq!(
                    twice.summary(),
                    calm.summary(),
                    "{name}: cut after {after} steps (answer lost: {lost}), then after {again} (answer lost: {lost_again})"
                );
            }
        }
    }
}

/// A namespace with one object, ready.
fn settled() -> World {
    let mut world = World::default();
    world.happen(&Event::Edit(0, [1].into(), 0));
    world.happen(&Event::Label(Some(0)));
    world.settle();
    world
}

#[test]
fn c08_s35_leaving_the_scope_is_one_last_write_that_gives_the_binding_up_and_return_takes_it_first() {
    let mut world = settled();
    world.happen(&Event::Scope(false));
    let steps = world.steps_of_one_pass();
    let [Step::WriteBinding(given_up)] = steps.as_slice() else { panic!("{steps:?}") };
    assert_eq!(given_up.spec.instance, "");
    let conditions = &given_up.status.as_ref().unwrap().conditions;
    let in_scope = conditions.iter().find(|c| c.type_ == "InScope").unwrap();
    assert_eq!((in_scope.status.as_str(), in_scope.reason.as_str()), ("False", "OutOfScope"));
    world.settle();
    // The label goes, a class is edited: nothing of that concerns anybody now.
    world.happen(&Event::Edit(0, [2].into(), 1));
    world.happen(&Event::Label(None));
    assert_eq!(world.steps_of_one_pass(), vec![]);
    world.happen(&Event::Label(Some(0)));
    world.happen(&Event::Scope(true));
    let steps = world.steps_of_one_pass();
    let [Step::WriteBinding(taken)] = steps.as_slice() else { panic!("{steps:?}") };
    assert_eq!(taken.spec.instance, "default");
    world.settle();
    world.check_converged();
}

#[test]
fn s32_while_nobody_knows_whether_a_namespace_is_managed_nothing_happens() {
    let mut world = settled();
    world.happen(&Event::Edit(0, [2].into(), 1));
    let mut observed = world.observe();
    observed.scope = Verdict::Unknown;
    assert_eq!(Pass::begin(observed).next_step(), None);
}

#[test]
fn s34_what_was_put_into_a_namespace_out_of_scope_is_no_garbage_while_the_namespace_is_there() {
    let mut world = settled();
    let objects = world.objects();
    world.happen(&Event::Scope(false));
    world.settle();
    // Its class goes, and its label: whoever collects must not take the owner for absent.
    world.happen(&Event::DeleteClass(0));
    world.happen(&Event::Label(None));
    world.happen(&Event::Later);
    world.settle();
    assert_eq!(world.objects(), objects);
    assert_eq!(world.steps_of_one_pass(), vec![]);
}
