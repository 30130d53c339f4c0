use std::collections::BTreeMap;

use super::*;
use crate::livegit::fault::Reason;
use crate::livegit::kinds::GroupResource;
use crate::livegit::world::{KindState, Name, RuleId, RuleOutlook, Selection, StreamId, TargetOutlook};

fn shown(conditions: &Conditions) -> String {
    let word = |status: Option<bool>| status.map_or("Unknown", |status| if status { "True" } else { "False" });
    conditions
        .iter()
        .map(|(kind, is)| format!("{kind}={} {} {}", word(is.status), is.reason, is.message).trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

fn stream(resource: &str) -> StreamId {
    let kind = GroupResource { group: String::new(), resource: resource.to_owned() };
    StreamId { kind, namespace: Some("pay".to_owned()) }
}

fn fault(reason: Reason) -> Fault {
    Fault::new(reason, "spec.x", "is wrong", "mend it")
}

fn rule_of(states: Vec<(&str, KindState)>) -> RuleOutlook {
    let target = Name { namespace: "pay".to_owned(), name: "prod".to_owned() };
    let kinds = states.into_iter().map(|(resource, state)| (stream(resource).kind, state)).collect();
    RuleOutlook { target, faults: vec![], waits: None, kinds }
}

#[test]
fn a_rule_is_ready_when_all_of_its_kinds_are_watched() {
    let rule_of = rule_of(vec![("configmaps", KindState::Streams(stream("configmaps")))]);
    let (counts, conditions) = rule(&rule_of, |_| Progress::Live);
    assert_eq!(counts, RuleCounts { kinds: 1, streaming: 1 });
    insta::assert_snapshot!(shown(&conditions), @"
    Validated=True Valid the specification is sound and its target takes it
    Streaming=True Streaming 1 of 1 kinds are watched
    Ready=True Streaming all 1 kinds are watched
    Reconciling=False Ready
    Stalled=False Ready
    ");
    let (_, conditions) = rule(&rule_of, |_| Progress::Broken("no route".to_owned()));
    assert!(shown(&conditions).contains("Reconciling=True WatchBroken configmaps: no route"));
}

#[test]
fn f54_a_rule_whose_target_left_the_scope_is_pending() {
    let waits = RuleOutlook { waits: Some(fault(Reason::TargetOutOfScope)), ..rule_of(vec![]) };
    insta::assert_snapshot!(shown(&rule(&waits, |_| Progress::Live).1), @"
    Validated=Unknown TargetOutOfScope spec.x: is wrong; mend it
    Streaming=False NotStarted nothing is watched
    Ready=False Pending spec.x: is wrong; mend it
    Reconciling=True Pending spec.x: is wrong; mend it
    Stalled=False Reconciling
    ");
}

#[test]
fn f58_one_kind_that_is_refused_stalls_the_rule_in_words_and_the_others_are_counted() {
    let states = vec![
        ("configmaps", KindState::Streams(stream("configmaps"))),
        ("secrets", KindState::Refused(fault(Reason::Forbidden))),
        ("widgets", KindState::Waits(fault(Reason::KindNotFound))),
    ];
    insta::assert_snapshot!(shown(&rule(&rule_of(states), |_| Progress::Live).1), @"
    Validated=False Forbidden spec.x: is wrong; mend it
    Streaming=False Incomplete 1 of 3 kinds are watched
    Ready=False Forbidden spec.x: is wrong; mend it
    Reconciling=False Stalled
    Stalled=True Forbidden spec.x: is wrong; mend it
    ");
}

fn facts(valid: Option<bool>, synced: Option<bool>) -> TargetFacts {
    let is = |status, reason| Word::new(reason, "said by the worker").is(status);
    let judged = if valid == Some(false) { GitRemark::NoDirectory } else { GitRemark::Valid };
    TargetFacts { repository_valid: is(valid, judged), synced: is(synced, GitRemark::Pushed) }
}

#[test]
fn f20_an_invalid_folder_stalls_its_target_whatever_else_there_is() {
    let bound = vec![RuleId::Cluster("all".to_owned())];
    let outlook = TargetOutlook {
        bound,
        streams: [(stream("configmaps"), Selection::default())].into(),
        ..TargetOutlook::default()
    };
    let ready = |facts: Option<&TargetFacts>, progress: Progress| {
        let conditions: BTreeMap<_, _> = target(&outlook, |_| progress.clone(), facts).into_iter().collect();
        let stalled = conditions["Stalled"].status == Some(true);
        (conditions["Ready"].status, conditions["Ready"].reason.clone(), stalled)
    };
    let is = |status, reason: &str, stalled| (status, reason.to_owned(), stalled);
    assert_eq!(ready(None, Progress::Live), is(Some(false), "Scanning", false));
    assert_eq!(ready(Some(&facts(Some(false), Some(true))), Progress::Live), is(Some(false), "NoDirectory", true));
    assert_eq!(ready(Some(&facts(Some(true), Some(true))), Progress::Live), is(Some(true), "Pushed", false));
    assert_eq!(ready(Some(&facts(Some(true), Some(true))), Progress::Listing), is(Some(false), "Incomplete", false));
    assert_eq!(ready(Some(&facts(Some(true), Some(false))), Progress::Live), is(Some(false), "Pushed", true));
    assert_eq!(ready(Some(&facts(Some(true), None)), Progress::Live), is(Some(false), "Pushed", false));
}

#[test]
fn a_target_that_is_not_sound_says_why_and_that_nothing_is_written() {
    let outlook = TargetOutlook { faults: vec![fault(Reason::TargetConflict)], ..TargetOutlook::default() };
    insta::assert_snapshot!(shown(&target(&outlook, |_| Progress::Live, None)), @"
    Validated=False TargetConflict spec.x: is wrong; mend it
    RepositoryValid=Unknown NotStarted nothing is read or written
    Streaming=False NotStarted nothing is watched
    Ready=False TargetConflict spec.x: is wrong; mend it
    Reconciling=False Stalled
    Stalled=True TargetConflict spec.x: is wrong; mend it
    ");
}

#[test]
fn a_provider_is_ready_when_its_repository_answered_and_unused_before_anybody_tried() {
    let ready = |targets, reachable: Option<Option<bool>>| {
        let reachable = reachable.map(|status| Word::new(GitRemark::Reachable, "said").is(status));
        let conditions: BTreeMap<_, _> = provider(&[], targets, reachable.as_ref()).into_iter().collect();
        (conditions["Ready"].status, conditions["Ready"].reason.clone())
    };
    assert_eq!(ready(0, None), (Some(true), "Unused".to_owned()));
    assert_eq!(ready(1, None), (Some(false), "Connecting".to_owned()));
    assert_eq!(ready(1, Some(Some(true))), (Some(true), "Reachable".to_owned()));
    assert_eq!(ready(1, Some(Some(false))), (Some(false), "Reachable".to_owned()));
}

#[test]
fn a_message_names_three_faults_and_counts_the_rest() {
    let faults: Vec<Fault> = (0..5).map(|_| fault(Reason::KindRefused)).collect();
    let word = Word::of_faults(&faults).unwrap();
    assert_eq!(word.message.matches("is wrong").count(), 3);
    assert!(word.message.ends_with("(and 2 more)"), "{}", word.message);
}
