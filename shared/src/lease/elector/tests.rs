use super::*;

const TIMING: Timing = Timing {
    lease: Duration::from_secs(15),
    renew_deadline: Duration::from_secs(10),
    retry_period: Duration::from_secs(2),
    request_timeout: Duration::from_secs(3),
};

fn at(millis: u64) -> Moment {
    Moment(Duration::from_millis(millis))
}

fn record(version: u64, holder: &str) -> Record {
    let holder = Some(holder.to_owned()).filter(|holder| !holder.is_empty());
    Record {
        version: version.to_string(),
        holder,
        duration: Some(TIMING.lease),
        transitions: 3,
        acquired: None,
        released: false,
    }
}

fn elector() -> Elector {
    Elector::new("me", TIMING)
}

/// One that leads since 0, by version 1.
fn leader() -> Elector {
    let mut me = elector();
    me.read(at(0), None);
    me.answered(at(0), at(10), Answer::Written(record(1, "me")));
    assert_eq!(me.leads_until(), Some(at(10_000)));
    me
}

fn written(action: Action) -> Write {
    match action {
        Action::Write(write) => write,
        other => panic!("{other:?}"),
    }
}

#[test]
fn s41_where_there_is_no_lease_one_is_made_at_once_and_only_if_there_is_still_none() {
    let mut me = elector();
    assert_eq!(me.next(at(0)), Action::Read);
    me.read(at(5), None);
    let write = written(me.next(at(5)));
    assert_eq!((write.over, write.holder.as_deref(), write.transitions), (None, Some("me"), 0));
}

#[test]
fn s41_another_holder_is_left_alone_for_the_lease_since_we_saw_it_change_whatever_its_times_say() {
    let mut me = elector();
    me.read(at(1_000), Some(record(7, "other")));
    assert_eq!(me.next(at(1_000)), Action::Wait(at(16_000)));
    me.read(at(9_000), Some(record(7, "other")));
    assert_eq!(me.next(at(9_000)), Action::Wait(at(16_000)), "unchanged");
    me.told(at(12_000), record(8, "other"), false);
    assert_eq!(me.next(at(26_999)), Action::Wait(at(27_000)), "renewed");
    let write = written(me.next(at(27_000)));
    assert_eq!((write.over.as_deref(), write.transitions, write.acquired), (Some("8"), 4, None));
}

#[test]
fn s40_a_released_lease_is_taken_at_once() {
    let mut me = elector();
    me.read(at(0), Some(record(7, "other")));
    me.told(at(100), record(8, ""), false);
    assert_eq!(written(me.next(at(100))).over.as_deref(), Some("8"));
}

#[test]
fn s41_a_lease_deleted_under_a_leader_that_we_know_of_is_not_free_before_its_time() {
    let mut me = elector();
    me.read(at(0), Some(record(7, "other")));
    me.told(at(100), record(8, "other"), true);
    assert_eq!(me.next(at(100)), Action::Wait(at(15_000)));
    assert_eq!(written(me.next(at(15_000))).over, None);
}

#[test]
fn s41_a_claim_longer_than_any_configuration_allows_is_believed_no_longer_than_that() {
    let mut me = elector();
    let forever = Record { duration: Some(Duration::from_secs(1 << 40)), ..record(7, "nobody") };
    me.read(at(0), Some(forever));
    assert_eq!(me.next(at(0)), Action::Wait(Moment(LONGEST_LEASE)));
    let mut me = elector();
    me.read(at(0), Some(Record { duration: None, ..record(7, "nobody") }));
    assert_eq!(me.next(at(0)), Action::Wait(at(15_000)), "one that says nothing, as long as ours");
}

#[test]
fn s42_a_leader_believes_from_when_it_sent_its_last_success_and_stops_with_or_without_an_answer() {
    let mut me = leader();
    assert_eq!(me.next(at(10)), Action::Wait(at(2_010)));
    assert_eq!(written(me.next(at(2_010))).over.as_deref(), Some("1"));
    me.answered(at(2_010), at(5_010), Answer::Failed);
    assert_eq!(me.next(at(5_010)), Action::Wait(at(5_510)), "sooner than usual");
    assert_eq!(me.leads_until(), Some(at(10_000)), "a lost answer renews nothing");
    me.answered(at(5_510), at(8_510), Answer::Written(record(2, "me")));
    assert_eq!(me.leads_until(), Some(at(15_510)));
    assert_eq!(me.next(at(15_510)), Action::Stop(Lost::Deadline));
    me.answered(at(15_000), at(15_511), Answer::Written(record(3, "me")));
    assert_eq!(me.next(at(15_511)), Action::Stop(Lost::Deadline), "an answer that comes too late");
}

#[test]
fn s42_an_answer_that_came_after_its_own_deadline_elects_nobody() {
    let mut me = elector();
    me.read(at(0), None);
    me.answered(at(0), at(10_000), Answer::Written(record(1, "me")));
    assert_eq!(me.leads_until(), None);
    assert_eq!(written(me.next(at(10_000))).over.as_deref(), Some("1"), "it is still ours to renew");
}

#[test]
fn s41_a_conflict_is_read_before_anything_is_written() {
    let mut me = leader();
    me.answered(at(2_010), at(2_020), Answer::Conflict);
    assert_eq!(me.next(at(2_020)), Action::Read);
    me.read(at(2_030), Some(record(5, "me")));
    assert_eq!(written(me.next(at(2_030))).over.as_deref(), Some("5"), "edited by somebody, still ours");
    me.answered(at(2_030), at(2_040), Answer::Conflict);
    assert_eq!(me.next(at(2_040)), Action::Wait(at(2_540)), "again and again: with pauses");
}

#[test]
fn fault06_a_leader_whose_lease_is_deleted_or_emptied_writes_it_again_and_one_that_is_overtaken_stops() {
    let mut me = leader();
    me.told(at(500), record(2, "me"), true);
    assert_eq!(written(me.next(at(500))).over, None);
    let mut me = leader();
    me.told(at(500), record(2, ""), false);
    assert_eq!(written(me.next(at(500))).over.as_deref(), Some("2"));
    let mut me = leader();
    me.told(at(500), record(2, "other"), false);
    assert_eq!(me.next(at(500)), Action::Stop(Lost::Overtaken("other".into())));
    assert_eq!(me.leads_until(), None);
    assert_eq!(me.release(), None, "it is not ours to release");
}

#[test]
fn what_the_watch_tells_late_changes_nothing_and_what_it_tells_after_an_absence_is_read() {
    let mut me = leader();
    me.told(at(20), record(1, "other"), false);
    assert!(matches!(me.next(at(20)), Action::Wait(_)));
    let mut me = elector();
    me.read(at(0), Some(record(7, "other")));
    me.read(at(10), None);
    me.told(at(20), record(7, "other"), true);
    assert_eq!(me.next(at(20)), Action::Wait(at(15_000)), "its end is known");
    me.told(at(30), record(9, "other"), false);
    assert_eq!(me.next(at(30)), Action::Read);
}

#[test]
fn s42_a_release_empties_the_holder_over_the_version_that_is_ours_and_ends_belief() {
    let mut me = leader();
    let write = me.release().unwrap();
    assert_eq!((write.over.as_deref(), write.holder), (Some("1"), None));
    assert_eq!(me.leads_until(), None);
    assert_eq!(elector().release(), None);
}

#[test]
fn c46_a_leader_that_is_released_stops_and_nobody_leads_before_the_mark_is_gone() {
    let marked = |version, holder| Record { released: true, ..record(version, holder) };
    let at = |seconds| Moment(std::time::Duration::from_secs(seconds));
    let mut leader = Elector::new("me", TIMING);
    leader.read(at(0), None);
    leader.answered(at(0), at(0), Answer::Written(record(1, "me")));
    assert!(leader.leads_until().is_some());
    leader.told(at(1), marked(2, "me"), false);
    assert_eq!(leader.next(at(1)), Action::Stop(Lost::Released));
    assert_eq!(leader.release().map(|write| (write.over, write.holder)), Some((Some("2".into()), None)));

    let mut standby = Elector::new("me", TIMING);
    standby.read(at(0), Some(marked(2, "")));
    for second in [0, 1000] {
        assert!(matches!(standby.next(at(second)), Action::Wait(_)), "{:?}", standby.next(at(second)));
    }
    standby.told(at(1001), record(3, ""), false);
    assert!(matches!(standby.next(at(1001)), Action::Write(_)));
}

#[test]
fn c46_a_released_lease_that_is_deleted_is_not_made_anew_by_who_saw_the_mark() {
    let marked = |version, holder| Record { released: true, ..record(version, holder) };
    let at = |seconds| Moment(std::time::Duration::from_secs(seconds));
    let mut standby = Elector::new("me", TIMING);
    standby.read(at(0), Some(marked(2, "")));
    standby.told(at(1), marked(3, ""), true);
    assert!(standby.is_released());
    for second in [1, 1000] {
        assert!(matches!(standby.next(at(second)), Action::Wait(_)), "{:?}", standby.next(at(second)));
    }
    // `nsclass release --undo`, and a chart that is installed again, make one without the mark.
    standby.told(at(1001), record(4, ""), false);
    assert_eq!(standby.next(at(1001)), Action::Read);
    standby.read(at(1001), Some(record(4, "")));
    assert!(matches!(standby.next(at(1001)), Action::Write(_)));
}
