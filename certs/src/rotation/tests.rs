//! Single answers of the plan: what it does when something is missing, late, or cannot be seen.

use super::*;

const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);
const POLICY: Policy = Policy {
    authority: SignedDuration::from_secs(9000),
    serving: SignedDuration::from_secs(900),
    settle: SignedDuration::from_secs(60),
};

fn ago(seconds: i64) -> Timestamp {
    NOW - SignedDuration::from_secs(seconds)
}

fn id(number: u8) -> Fingerprint {
    Fingerprint([number; 32])
}

fn authority(number: u8, issued: Timestamp) -> AuthorityInfo {
    AuthorityInfo { id: id(number), issued, not_after: issued + POLICY.authority }
}

fn leaf(number: u8, by: u8, issued: Timestamp) -> LeafInfo {
    LeafInfo { id: id(number), authority: Some(id(by)), issued, not_after: issued + POLICY.serving, fits: true }
}

/// The old authority 1 is near its end; 2 follows, is trusted everywhere, and has issued the pair 10.
fn switched() -> (Material, Vec<Published>) {
    let material = Material {
        current: Some(authority(1, ago(7000))),
        next: Some(authority(2, ago(300))),
        leaf: Some(leaf(10, 2, ago(200))),
    };
    let bundles = vec![Published { authorities: [id(1), id(2)].into(), since: ago(290) }];
    (material, bundles)
}

fn reason(step: &Step) -> Option<Waiting> {
    if let Step::Wait { reason, .. } = step { Some(*reason) } else { None }
}

#[test]
fn a22_the_old_authority_is_dropped_only_when_every_replica_was_seen_with_the_new_pair() {
    let (material, bundles) = switched();
    let plan = |served: &Served| plan(NOW, &POLICY, &material, &bundles, served);
    let replicas = |seen: &[Option<u8>]| Served::Replicas(seen.iter().map(|it| it.map(id)).collect());
    assert_eq!(plan(&replicas(&[Some(10), Some(10)])), Step::Promote);
    assert_eq!(plan(&replicas(&[])), Step::Promote, "with no replica, nobody serves by the old one");
    for held in [Served::Unknown, replicas(&[Some(10), None]), replicas(&[Some(9), Some(10)])] {
        assert_eq!(reason(&plan(&held)), Some(Waiting::Replicas), "{held:?}");
    }
}

#[test]
fn a22_a_replica_that_is_never_seen_holds_the_drop_back_until_the_old_authority_has_expired() {
    let (mut material, bundles) = switched();
    let end = ago(7000) + POLICY.authority;
    for (now, expected) in [(end, None), (end + SignedDuration::from_secs(1), Some(Step::Promote))] {
        material.leaf = Some(leaf(10, 2, now - POLICY.settle));
        let step = plan(now, &POLICY, &material, &bundles, &Served::Replicas(vec![None]));
        assert_eq!(Some(&step).filter(|step| reason(step).is_none()), expected.as_ref(), "at {now}");
    }
}

#[test]
fn a22_a_bundle_that_was_edited_is_put_right_before_anything_else() {
    let (material, mut bundles) = switched();
    for edited in [BTreeSet::new(), [id(1)].into(), [id(1), id(2), id(66)].into()] {
        bundles[0].authorities = edited;
        let step = plan(NOW, &POLICY, &material, &bundles, &Served::Replicas(Vec::new()));
        assert_eq!(step, Step::Publish([id(1), id(2)].into()));
    }
}

#[test]
fn a22_the_new_authority_serves_nobody_before_its_trust_has_settled_and_a_restart_waits_again() {
    let (mut material, mut bundles) = switched();
    material.leaf = Some(leaf(9, 1, ago(100)));
    for (since, expected) in [(ago(59), None), (ago(60), Some(Step::Issue(id(2))))] {
        bundles[0].since = since;
        let step = plan(NOW, &POLICY, &material, &bundles, &Served::Unknown);
        assert_eq!(Some(&step).filter(|step| reason(step).is_none()), expected.as_ref());
    }
    // What the new one has issued once is never taken back.
    material.leaf = Some(leaf(10, 2, ago(100)));
    bundles[0].since = NOW;
    assert_eq!(reason(&plan(NOW, &POLICY, &material, &bundles, &Served::Unknown)), Some(Waiting::Replicas));
}

#[test]
fn a22_an_authority_that_has_expired_issues_nothing_and_storms_nobody() {
    let current = Some(authority(1, ago(9001)));
    let bundles = [Published { authorities: [id(1)].into(), since: ago(1) }];
    let material = Material { current: current.clone(), next: None, leaf: None };
    assert_eq!(plan(NOW, &POLICY, &material, &bundles, &Served::Unknown), Step::MakeNext);
    let material = Material { current, next: Some(authority(2, ago(1))), leaf: None };
    let bundles = [Published { authorities: [id(1), id(2)].into(), since: ago(1) }];
    let step = plan(NOW, &POLICY, &material, &bundles, &Served::Unknown);
    assert_eq!(step, Step::Wait { until: ago(1) + POLICY.settle, reason: Waiting::BundleSettles });
}

#[test]
fn a22_a_shorter_lifetime_takes_effect_on_the_authority_that_is_there() {
    let material = Material { current: Some(authority(1, ago(1000))), next: None, leaf: Some(leaf(9, 1, NOW)) };
    let bundles = [Published { authorities: [id(1)].into(), since: NOW }];
    for (seconds, is_due) in [(1501, false), (1500, true)] {
        let policy = Policy { authority: SignedDuration::from_secs(seconds), ..POLICY };
        let step = plan(NOW, &policy, &material, &bundles, &Served::Unknown);
        assert_eq!(step == Step::MakeNext, is_due, "{seconds}: {step:?}");
    }
}

#[test]
fn a22_a_pair_is_renewed_at_two_thirds_of_its_life_or_when_the_names_change() {
    let material = |leaf| Material { current: Some(authority(1, ago(1000))), next: None, leaf: Some(leaf) };
    let bundles = [Published { authorities: [id(1)].into(), since: NOW }];
    let plan = |leaf| plan(NOW, &POLICY, &material(leaf), &bundles, &Served::Unknown);
    assert_eq!(plan(leaf(9, 1, ago(600))), Step::Issue(id(1)));
    let until = ago(599) + SignedDuration::from_secs(600);
    assert_eq!(plan(leaf(9, 1, ago(599))), Step::Wait { until, reason: Waiting::Renewal });
    assert_eq!(plan(LeafInfo { fits: false, ..leaf(9, 1, NOW) }), Step::Issue(id(1)));
    assert_eq!(plan(LeafInfo { authority: None, ..leaf(9, 1, NOW) }), Step::Issue(id(1)));
}
