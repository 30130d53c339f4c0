//! The laws of the index, on random histories of a small cluster.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{collection::vec, prelude::*, sample::Index as Choice};

use super::*;

const OWN: &str = "nsclass-system";
const NAMES: [&str; 4] = ["blue", "green", "red", OWN];
const TEAMS: [&str; 3] = ["a", "b", "c"];

/// Something that happens to the cluster, or to the process that watches it.
#[derive(Clone, Debug)]
enum Event {
    /// A namespace is made, or labelled.
    Label(usize, usize),
    Remove(usize),
    /// One thing that happened, perhaps long ago or already told, is told now.
    Tell(Choice),
    /// A list begins, holds so many namespaces, and breaks off.
    BrokenRelist(usize),
    /// A list that tells what is there now, with something told in the middle of it.
    Relist(Choice),
    SetRule(usize),
    Publish,
}

fn event() -> impl Strategy<Value = Event> {
    let name = 0..NAMES.len();
    prop_oneof![
        5 => (name.clone(), 0..TEAMS.len()).prop_map(|(name, team)| Event::Label(name, team)),
        2 => name.clone().prop_map(Event::Remove),
        8 => any::<Choice>().prop_map(Event::Tell),
        1 => name.prop_map(Event::BrokenRelist),
        1 => any::<Choice>().prop_map(Event::Relist),
        1 => (0..4_usize).prop_map(Event::SetRule),
        4 => Just(Event::Publish),
    ]
}

fn rule(number: usize) -> ScopeRule {
    let values = |teams: &[&str]| teams.iter().map(|&team| team.to_owned()).collect::<Vec<_>>();
    let in_teams = |teams: &[&str]| {
        let expression = k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement {
            key: "team".into(),
            operator: "In".into(),
            values: Some(values(teams)),
        };
        let selector = k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector {
            match_expressions: Some(vec![expression]),
            ..Default::default()
        };
        Pick::Selected(Selector::compile(&selector).unwrap())
    };
    let pick = match number {
        0 => in_teams(&["a"]),
        1 => in_teams(&["a", "b"]),
        2 => Pick::Named(["blue".to_owned(), "red".to_owned()].into()),
        _ => Pick::Every,
    };
    ScopeRule::new(OWN, pick)
}

#[derive(Clone, Debug)]
struct Namespace {
    name: &'static str,
    uid: String,
    revision: u64,
    labels: BTreeMap<String, String>,
}

impl Namespace {
    fn seen(&self) -> Observation<'_> {
        Observation { name: self.name, uid: &self.uid, revision: self.revision, labels: &self.labels }
    }
}

/// The cluster as it is, everything that ever happened to it, and the index that heard of some of that.
struct World {
    live: BTreeMap<&'static str, Namespace>,
    history: Vec<(bool, Namespace)>,
    revision: u64,
    rule: ScopeRule,
    index: Index,
}

impl World {
    fn new() -> Self {
        Self { live: BTreeMap::new(), history: Vec::new(), revision: 0, rule: rule(0), index: Index::new(rule(0)) }
    }

    fn happen(&mut self, event: &Event) {
        match event {
            Event::Label(name, team) => {
                self.revision += 1;
                let name = NAMES[*name];
                let uid = self.live.get(name).map_or_else(|| format!("uid-{}", self.revision), |n| n.uid.clone());
                let labels = [("team".to_owned(), TEAMS[*team].to_owned())].into();
                let namespace = Namespace { name, uid, revision: self.revision, labels };
                self.live.insert(name, namespace.clone());
                self.history.push((true, namespace));
            }
            Event::Remove(name) => {
                if let Some(mut namespace) = self.live.remove(NAMES[*name]) {
                    self.revision += 1;
                    namespace.revision = self.revision;
                    self.history.push((false, namespace));
                }
            }
            Event::Tell(choice) => self.tell(*choice),
            Event::BrokenRelist(after) => {
                self.index.relist_begins();
                self.live.values().take(*after).for_each(|namespace| self.index.relist_holds(&namespace.seen()));
            }
            Event::Relist(choice) => {
                self.index.relist_begins();
                let live: Vec<_> = self.live.values().cloned().collect();
                for (i, namespace) in live.iter().enumerate() {
                    if i == 1 {
                        self.tell(*choice);
                    }
                    self.index.relist_holds(&namespace.seen());
                }
                self.index.relist_done();
            }
            Event::SetRule(number) => {
                let (before, now) = (std::mem::replace(&mut self.rule, rule(*number)), rule(*number));
                assert_eq!(self.index.set_rule(now), before != self.rule);
            }
            Event::Publish => self.publish(),
        }
    }

    fn tell(&mut self, choice: Choice) {
        if !self.history.is_empty() {
            let (is_there, namespace) = &self.history[choice.index(self.history.len())];
            if *is_there { self.index.apply(&namespace.seen()) } else { self.index.delete(&namespace.seen()) }
        }
    }

    /// Publishes, and checks what is told against the two snapshots.
    fn publish(&mut self) {
        let before = self.index.snapshot();
        let Some(published) = self.index.publish(NOW) else { return };
        let after = published.snapshot;
        assert_eq!(after.epoch(), before.epoch() + 1);
        let told: BTreeMap<_, _> = published.flips.iter().map(|flip| (&*flip.namespace, flip.direction)).collect();
        assert_eq!(told.len(), published.flips.len(), "told twice: {:?}", published.flips);
        let expected = NAMES.into_iter().filter_map(|name| {
            let (old, new) = (before.entry(name), after.entry(name));
            let is_same = old.zip(new).is_some_and(|(old, new)| old.uid() == new.uid());
            let known = is_same || before.rule().is_always_in_scope(name);
            let old = if known { before.verdict(name) } else { Verdict::Unknown };
            let direction = Direction::between(old, after.verdict(name))?;
            new.map(|_| (name, direction))
        });
        assert_eq!(told, expected.collect());
        for flip in &published.flips {
            assert_eq!(flip.epoch, after.epoch());
            assert_eq!(
                after.entry(&flip.namespace).and_then(Entry::last_flip).map(|l| l.direction),
                Some(flip.direction)
            );
        }
        check_counts(&after);
    }

    /// What a process that starts now would come to.
    fn check_as_rebuilt(&mut self) {
        self.publish();
        let mine = self.index.snapshot();
        let mut fresh = Index::new(ScopeRule::clone(mine.rule()));
        fresh.relist_begins();
        self.live.values().for_each(|namespace| fresh.relist_holds(&namespace.seen()));
        fresh.relist_done();
        let rebuilt = fresh.publish(NOW).unwrap().snapshot;
        for name in NAMES.into_iter().chain(["", "never"]) {
            assert_eq!(mine.verdict(name), rebuilt.verdict(name), "{name}");
            assert_eq!(mine.entry(name).map(Entry::uid), rebuilt.entry(name).map(Entry::uid), "{name}");
        }
        assert_eq!(mine.digest(), rebuilt.digest());
        check_counts(&mine);
    }
}

const NOW: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH;

/// What is kept up equals what is counted, and the operator's namespace is never stored (S04, S09).
fn check_counts(snapshot: &Snapshot) {
    let in_scope = snapshot.entries().filter(|(_, entry)| entry.is_in_scope()).count();
    assert_eq!(snapshot.count(Verdict::InScope), in_scope);
    assert_eq!(snapshot.count(Verdict::InScope) + snapshot.count(Verdict::OutOfScope), snapshot.entries().count());
    assert!(snapshot.entry(OWN).is_none() && snapshot.verdict(OWN) == Verdict::InScope);
    assert_eq!(snapshot.verdict(""), Verdict::InScope);
    let matching: Vec<_> = snapshot.matching().collect();
    let distinct: BTreeSet<_> = matching.iter().copied().collect();
    assert_eq!(matching.len(), distinct.len());
    assert!(distinct.contains(OWN) && !distinct.contains(""));
    assert!(distinct.iter().all(|name| snapshot.verdict(name) == Verdict::InScope));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn s08_any_order_of_events_with_broken_relists_ends_where_a_rebuild_does(
        events in vec(event(), 1..40),
        order in vec(any::<Choice>(), 0..40),
    ) {
        let mut world = World::new();
        for event in &events {
            world.happen(event);
        }
        // Whatever was not told yet is told now, in any order, and some of it again.
        let mut rest: Vec<usize> = (0..world.history.len()).collect();
        for choice in &order {
            if !rest.is_empty() {
                let next = rest.swap_remove(choice.index(rest.len()));
                let (is_there, namespace) = world.history[next].clone();
                if is_there { world.index.apply(&namespace.seen()) } else { world.index.delete(&namespace.seen()) }
            }
        }
        for next in rest {
            let (is_there, namespace) = world.history[next].clone();
            if is_there { world.index.apply(&namespace.seen()) } else { world.index.delete(&namespace.seen()) }
        }
        world.check_as_rebuilt();
        // From here on nothing is news.
        let before = world.index.snapshot().epoch();
        for (is_there, namespace) in world.history.clone() {
            if is_there { world.index.apply(&namespace.seen()) } else { world.index.delete(&namespace.seen()) }
        }
        world.publish();
        prop_assert_eq!(world.index.snapshot().epoch(), before);
    }

    #[test]
    fn s08_a_complete_list_alone_ends_where_a_rebuild_does(events in vec(event(), 1..40)) {
        let mut world = World::new();
        for event in &events {
            world.happen(event);
        }
        let live: Vec<_> = world.live.values().cloned().collect();
        world.index.relist_begins();
        for namespace in &live {
            world.index.relist_holds(&namespace.seen());
        }
        world.index.relist_done();
        world.check_as_rebuilt();
    }

    #[test]
    fn fault09_a_list_that_breaks_off_publishes_nothing_and_loses_nothing(
        events in vec(event(), 1..30),
        after in 0..NAMES.len(),
    ) {
        let mut world = World::new();
        for event in &events {
            world.happen(event);
        }
        world.publish();
        let before = world.index.snapshot();
        world.happen(&Event::BrokenRelist(after));
        prop_assert!(world.index.publish(NOW).is_none());
        for name in NAMES {
            prop_assert_eq!(world.index.snapshot().verdict(name), before.verdict(name));
        }
    }
}

fn namespace(name: &'static str, uid: &str, revision: u64, team: &str) -> Namespace {
    let labels = [("team".to_owned(), team.to_owned())].into();
    Namespace { name, uid: uid.into(), revision, labels }
}

#[test]
fn s05_what_was_never_seen_is_unknown_also_after_a_complete_list() {
    let mut index = Index::new(rule(0));
    assert_eq!(index.snapshot().verdict("blue"), Verdict::Unknown);
    assert!(!index.snapshot().is_seeded());
    index.relist_begins();
    index.relist_done();
    let snapshot = index.publish(NOW).unwrap().snapshot;
    assert!(snapshot.is_seeded());
    assert_eq!(snapshot.verdict("blue"), Verdict::Unknown);
}

#[test]
fn s01_without_a_rule_everything_is_in_scope_and_nothing_is_told() {
    let mut index = Index::new(rule(3));
    assert_eq!(index.snapshot().verdict("never"), Verdict::InScope);
    index.apply(&namespace("blue", "1", 1, "b").seen());
    assert_eq!(index.publish(NOW).unwrap().flips, []);
}

#[test]
fn s07_a_namespace_made_again_is_another_one_and_was_unknown() {
    let mut index = Index::new(rule(0));
    index.apply(&namespace("blue", "1", 1, "a").seen());
    assert_eq!(index.publish(NOW).unwrap().flips[0].direction, Direction::Appeared);
    // Deleted and made again between two lists: no event tells of the deletion.
    index.relist_begins();
    index.relist_holds(&namespace("blue", "2", 3, "a").seen());
    index.relist_done();
    let again = index.publish(NOW).unwrap();
    assert_eq!(again.flips[0].direction, Direction::Appeared);
    assert_eq!(again.snapshot.entry("blue").unwrap().uid(), "2");
    // What comes late of the first one changes nothing.
    index.apply(&namespace("blue", "1", 2, "b").seen());
    index.delete(&namespace("blue", "1", 2, "b").seen());
    assert!(index.publish(NOW).is_none());
}

#[test]
fn s10_another_rule_is_another_generation_and_the_difference_is_flips() {
    let mut index = Index::new(rule(0));
    for (name, revision, team) in [("blue", 1, "a"), ("green", 2, "b"), ("red", 3, "c")] {
        index.apply(&namespace(name, name, revision, team).seen());
    }
    index.publish(NOW);
    assert!(!index.set_rule(rule(0)));
    assert!(index.publish(NOW).is_none());
    assert!(index.set_rule(rule(2)));
    let published = index.publish(NOW).unwrap();
    assert_eq!(published.snapshot.generation(), 2);
    assert_eq!(published.flips.len(), 1);
    assert_eq!((&*published.flips[0].namespace, published.flips[0].direction), ("red", Direction::Entered));
    assert!(index.set_rule(rule(3)), "every namespace");
    let mut told: Vec<_> = index.publish(NOW).unwrap().flips.into_iter().map(|f| f.namespace.to_string()).collect();
    told.sort();
    assert_eq!(told, ["green"]);
    index.set_rule(rule(0));
    let mut told: Vec<_> =
        index.publish(NOW).unwrap().flips.into_iter().map(|f| (f.namespace.to_string(), f.direction)).collect();
    told.sort();
    assert_eq!(told, [("green".to_owned(), Direction::Left), ("red".to_owned(), Direction::Left)]);
}

#[test]
fn fault19_the_work_of_ten_thousand_label_changes_is_linear_and_the_last_label_wins() {
    let mut index = Index::new(rule(0));
    let names: Vec<String> = (0..10_000).map(|i| format!("n{i}")).collect();
    let mut revision = 0;
    let mut relabel = |index: &mut Index, team: &str| {
        let labels = [("team".to_owned(), team.to_owned())].into();
        for name in &names {
            revision += 1;
            index.apply(&Observation { name, uid: name, revision, labels: &labels });
        }
    };
    relabel(&mut index, "a");
    assert_eq!(index.publish(NOW).unwrap().flips.len(), 10_000);
    for team in ["b", "a", "c", "a", "b"] {
        relabel(&mut index, team);
    }
    let last = index.publish(NOW).unwrap();
    assert_eq!(last.flips.len(), 10_000, "one flip a namespace, however many changes");
    assert!(last.flips.iter().all(|flip| flip.direction == Direction::Left));
    assert_eq!((last.snapshot.count(Verdict::InScope), last.snapshot.count(Verdict::OutOfScope)), (0, 10_000));
    relabel(&mut index, "c");
    assert!(index.publish(NOW).is_none(), "labels that do not cross the edge are silent");
}
