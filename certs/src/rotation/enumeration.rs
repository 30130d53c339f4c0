//! Every interleaving of steps, restarts, lost and late writes and late replicas, visited one by one: in each state that can be
//! reached, every certificate that is served is trusted by every configuration that an API server may still be using.
//!
//! The plan is the real one. The world around it is a model: authorities and pairs are numbers, an API server may lag behind the
//! configuration, a kubelet may hand an old pair to a starting pod, a leader may stop between any two looks, and its write may be on
//! its way for as long as it likes. What the plan asks of its caller can be switched off, one by one, to see that it is needed.

mod leader;
mod world;

use std::collections::{BTreeSet, HashSet};

use leader::Rules;
use world::{Size, World};

/// All states that can be reached; an error with the way to the first bad one.
fn explore(start: World, rules: Rules) -> Result<HashSet<World>, String> {
    let mut visited = HashSet::from([start]);
    let mut border = vec![start];
    while let Some(world) = border.pop() {
        world.check()?;
        for next in world.successors(rules) {
            if visited.insert(next) {
                border.push(next);
            }
        }
    }
    Ok(visited)
}

/// Two leaders that know nothing of each other, through one rotation.
const TWO_LEADERS: Size = Size { leaders: 2, replicas: 1, rotations: 1 };
/// Two replicas, through two rotations.
const TWO_REPLICAS: Size = Size { leaders: 1, replicas: 2, rotations: 2 };
const ALL: Rules = Rules { order: true, guards: true, settle: true };

#[test]
fn a22_with_two_leaders_at_once_every_served_leaf_verifies_in_every_state() {
    let states = explore(World::new(TWO_LEADERS), ALL).unwrap();
    assert!(states.iter().any(|world| world.is_at_rest_with(2)), "no rotation came to its end");
}

#[test]
fn a22_with_two_replicas_every_served_leaf_verifies_in_every_state() {
    let states = explore(World::new(TWO_REPLICAS), ALL).unwrap();
    assert!(states.iter().any(|world| world.is_at_rest_with(3)), "no second rotation came to its end");
}

#[test]
fn a22_from_every_state_an_undisturbed_leader_comes_to_rest() {
    let mut calm: BTreeSet<World> = BTreeSet::new();
    for world in explore(World::new(TWO_REPLICAS), ALL).unwrap() {
        calm.insert(world.undisturbed());
    }
    for world in calm {
        world.come_to_rest(ALL).unwrap();
    }
}

#[test]
fn a22_each_thing_that_the_plan_asks_of_its_caller_is_needed() {
    for rules in [Rules { order: false, ..ALL }, Rules { guards: false, ..ALL }, Rules { settle: false, ..ALL }] {
        let found = explore(World::new(TWO_LEADERS), rules);
        assert!(found.is_err(), "nothing goes wrong with {rules:?}");
    }
}
