//! Real certificates: what an authority makes verifies, and goes on verifying through a whole rotation by the plan.

use std::collections::BTreeSet;

use crate::{
    bundle,
    pair::Pair,
    rotation::{LeafInfo, Material, Policy, Published, Served, Step, Waiting, plan},
    verify::verify,
};

use super::*;

const START: Timestamp = Timestamp::constant(1_800_000_000, 0);
const HOUR: SignedDuration = SignedDuration::from_hours(1);
const POLICY: Policy = Policy {
    authority: SignedDuration::from_hours(900),
    serving: SignedDuration::from_hours(90),
    settle: SignedDuration::from_mins(5),
};

fn names() -> Vec<String> {
    ["nsclass-webhook.nsclass-system.svc", "127.0.0.1"].map(str::to_owned).to_vec()
}

#[test]
fn a22_a_serving_pair_verifies_under_its_authority_for_its_names_alone() {
    let [one, two] = [0, 1].map(|_| Authority::make(START, POLICY.authority).unwrap());
    let authority = Authority::read(&one.certificate, &one.key).unwrap();
    let issued = authority.issue(&names(), START, POLICY.serving).unwrap();
    let pair = Pair::parse(issued.certificate.as_bytes(), issued.key.as_bytes(), START).unwrap();
    let own = bundle::certificates(one.certificate.as_bytes()).unwrap();
    let other = bundle::certificates(two.certificate.as_bytes()).unwrap();
    for name in names() {
        verify(&pair.key.cert, &own, &name, START).unwrap();
        assert!(verify(&pair.key.cert, &other, &name, START).is_err(), "{name} under another authority");
        assert!(verify(&pair.key.cert, &own, &name, START + POLICY.serving + HOUR).is_err(), "{name} too late");
    }
    assert!(verify(&pair.key.cert, &own, "elsewhere.svc", START).is_err());
    assert_eq!(pair.not_after, START + POLICY.serving);
    // Never beyond the authority's own end.
    let late = START + POLICY.authority - HOUR;
    let issued = authority.issue(&names(), late, POLICY.serving).unwrap();
    let pair = Pair::parse(issued.certificate.as_bytes(), issued.key.as_bytes(), late).unwrap();
    assert_eq!(pair.not_after, START + POLICY.authority);
}

#[test]
fn a23_a_damaged_authority_is_an_error_that_says_what_is_damaged() {
    let [one, two] = [0, 1].map(|_| Authority::make(START, POLICY.authority).unwrap());
    let why = |certificate: &str, key: &str| Authority::read(certificate, key).unwrap_err().to_string();
    assert_eq!(why(&one.certificate, &two.key), "the key is not that of the certificate");
    assert!(why("", &one.key).starts_with("the certificate cannot be read as PEM"));
    assert!(!why(&one.certificate, "").is_empty());
    let authority = Authority::read(&one.certificate, &one.key).unwrap();
    let leaf = authority.issue(&names(), START, POLICY.serving).unwrap();
    assert_eq!(why(&leaf.certificate, &leaf.key), "the certificate is not that of a CA");
}

/// Both `Secret`s, the bundle and two replicas, one of which takes up a new pair late.
#[derive(Default)]
struct Cluster {
    current: Option<Authority>,
    next: Option<Authority>,
    pair: Option<PemPair>,
    bundle: String,
    since: Timestamp,
    served: [Option<PemPair>; 2],
}

impl Cluster {
    fn authorities(&self) -> Vec<&Authority> {
        self.current.iter().chain(&self.next).collect()
    }

    fn leaf(&self, pair: &PemPair) -> Option<LeafInfo> {
        LeafInfo::of(pair.certificate.as_bytes(), pair.key.as_bytes(), &self.authorities(), &names())
    }

    fn step(&mut self, now: Timestamp) -> Step {
        let info = |authority: &Option<Authority>| authority.as_ref().map(|it| it.info().clone());
        let leaf = self.pair.as_ref().and_then(|pair| self.leaf(pair));
        let material = Material { current: info(&self.current), next: info(&self.next), leaf };
        let bundles = [Published { authorities: bundle::trusted(self.bundle.as_bytes()), since: self.since }];
        let served = self.served.iter().flatten().map(|pair| self.leaf(pair).map(|leaf| leaf.id)).collect();
        let step = plan(now, &POLICY, &material, &bundles, &Served::Replicas(served));
        let make = || {
            let made = Authority::make(now, POLICY.authority).unwrap();
            Some(Authority::read(&made.certificate, &made.key).unwrap())
        };
        match &step {
            Step::MakeAuthority => self.current = make(),
            Step::MakeNext => self.next = make(),
            Step::Publish(wanted) => {
                self.bundle = self.authorities().iter().map(|authority| authority.pem()).collect();
                self.since = now;
                assert_eq!(bundle::trusted(self.bundle.as_bytes()), *wanted);
            }
            Step::Issue(by) => {
                let authorities = self.authorities();
                let by = authorities.iter().find(|it| it.info().id == *by).unwrap();
                self.pair = Some(by.issue(&names(), now, POLICY.serving).unwrap());
            }
            Step::Promote => self.current = self.next.take(),
            Step::Wait { .. } => {}
        }
        step
    }

    fn check(&self, now: Timestamp) {
        let trusted = bundle::certificates(self.bundle.as_bytes()).unwrap_or_default();
        for pair in self.served.iter().flatten() {
            let pair = Pair::parse(pair.certificate.as_bytes(), pair.key.as_bytes(), now).unwrap();
            for name in names() {
                verify(&pair.key.cert, &trusted, &name, now).unwrap();
            }
        }
    }
}

#[test]
fn a22_real_certificates_verify_at_every_step_of_two_rotations_and_no_step_is_a_surprise() {
    let (mut cluster, mut now, mut steps) = (Cluster::default(), START, Vec::new());
    let (mut waited, mut authorities) = (BTreeSet::new(), BTreeSet::new());
    while now < START + POLICY.authority * 2 {
        let step = cluster.step(now);
        cluster.check(now);
        if let Step::Wait { until, reason } = step {
            waited.insert(reason);
            // One replica takes the pair up at once; the other one an hour after.
            cluster.served.swap(0, 1);
            cluster.served[0] = cluster.pair.clone();
            cluster.check(now);
            now = until.min(now + HOUR).max(now + SignedDuration::from_secs(1));
        } else {
            steps.push(step);
        }
        authorities.extend(bundle::trusted(cluster.bundle.as_bytes()));
    }
    assert_eq!(authorities.len(), 3, "a first authority and two that followed");
    assert_eq!(waited.len(), 4, "{waited:?}");
    let count = |kind: fn(&Step) -> bool| steps.iter().filter(|step| kind(step)).count();
    assert_eq!(count(|step| *step == Step::MakeAuthority), 1);
    assert_eq!((count(|step| *step == Step::MakeNext), count(|step| *step == Step::Promote)), (2, 2));
    assert_eq!(count(|step| matches!(step, Step::Publish(_))), 1 + 2 * 2);
    // 1,800 hours in certificates that are renewed after 60, one of them early for each change of authority.
    assert_eq!(count(|step| matches!(step, Step::Issue(_))), 30 + 1);
    assert!(waited.contains(&Waiting::Replicas));
}
