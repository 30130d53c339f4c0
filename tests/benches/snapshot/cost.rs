//! Costs in this process, without a server, in processor time: what else runs on the machine does not count.

use std::{
    collections::{BTreeMap, HashMap},
    hint::black_box,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use nsclass_shared::{
    runtime::ScopeHandle,
    scope::{Index, Observation, Pick, ScopeRule, Selector, Verdict},
};
use rustix::time::{ClockId, clock_gettime};

/// Changes that one snapshot takes up, as the task of a process does.
const BATCH: usize = 1024;
const LOOKUPS: usize = 1_000_000;
const PUBLICATIONS: u32 = 2_000;

/// What was measured at one size.
pub(crate) struct Cost {
    build: Duration,
    bytes: f64,
    publish: Duration,
    publish_control: Duration,
    pub(crate) burst: Duration,
    pub(crate) lookup_ns: f64,
    lookup_control_ns: f64,
}

impl Cost {
    pub(crate) fn figures(&self, size: &str) {
        println!("figure snapshot.build_ms_{size} {:.1} ms", self.build.as_secs_f64() * 1e3);
        println!("figure snapshot.bytes_per_namespace_{size} {:.0} bytes", self.bytes);
        println!("figure snapshot.publish_us_{size} {:.2} us", self.publish.as_secs_f64() * 1e6);
        println!("figure snapshot.publish_clone_us_{size} {:.2} us", self.publish_control.as_secs_f64() * 1e6);
        println!("figure snapshot.burst_ms_{size} {:.1} ms", self.burst.as_secs_f64() * 1e3);
        println!("figure snapshot.lookup_ns_{size} {:.0} ns", self.lookup_ns);
        println!("figure snapshot.lookup_map_ns_{size} {:.0} ns", self.lookup_control_ns);
    }
}

/// Namespaces as they are in a cluster: a few labels each.
struct Cluster {
    names: Vec<String>,
    revision: u64,
}

impl Cluster {
    fn labels(name: &str, team: &str) -> BTreeMap<String, String> {
        [("kubernetes.io/metadata.name", name), ("nsclass.io/name", "baseline"), ("team", team)]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into()
    }

    fn see(&mut self, index: &mut Index, at: usize, team: &str) {
        self.revision += 1;
        let name = &self.names[at];
        let labels = Self::labels(name, team);
        index.apply(&Observation { name, uid: name, revision: self.revision, labels: &labels });
    }
}

pub(crate) fn measure(size: usize) -> Cost {
    let mut cluster = Cluster { names: (0..size).map(|i| format!("team-{i:06}-production")).collect(), revision: 0 };
    let selector =
        LabelSelector { match_labels: Some([("team".into(), "in".into())].into()), ..LabelSelector::default() };
    // invariant: the selector is a constant of this file.
    let selector = Selector::compile(&selector).unwrap_or_default();
    let mut index = Index::new(ScopeRule::new("nsclass-system", Pick::Selected(selector)));

    let before = resident();
    let begin = now();
    index.relist_begins();
    for (i, name) in cluster.names.iter().enumerate() {
        let labels = Cluster::labels(name, ["in", "out"][i % 2]);
        index.relist_holds(&Observation { name, uid: name, revision: 1, labels: &labels });
    }
    index.relist_done();
    index.publish(jiff::Timestamp::now());
    let build = since(begin);
    #[allow(clippy::cast_precision_loss, reason = "both are far below 2^52")]
    let bytes = resident().saturating_sub(before) as f64 / size as f64;
    cluster.revision = 1;

    let handle = ScopeHandle::new(index.snapshot());
    let begin = now();
    for i in 0..PUBLICATIONS as usize {
        cluster.see(&mut index, i * 7 % size, ["out", "in"][i / (size / 7 + 1) % 2]);
        publish(&mut index, &handle);
    }
    let publish_each = since(begin) / PUBLICATIONS;
    let map: HashMap<String, Arc<bool>> = cluster.names.iter().map(|name| (name.clone(), Arc::new(true))).collect();
    let clones = 20;
    let begin = now();
    for _ in 0..clones {
        black_box(map.clone());
    }
    let publish_control = since(begin) / clones;

    let begin = now();
    for team in ["in", "out"] {
        for at in 0..size {
            cluster.see(&mut index, at, team);
            if at % BATCH == BATCH - 1 {
                publish(&mut index, &handle);
            }
        }
    }
    publish(&mut index, &handle);
    let burst = since(begin) / 2;

    let lookup_control_ns = lookups(&cluster.names.clone(), |name| map.contains_key(name));
    let names = cluster.names.clone();
    let stop = Arc::new(AtomicBool::new(false));
    let publisher = thread::spawn({
        let (handle, stop) = (handle.clone(), stop.clone());
        move || {
            let (mut at, mut count) = (0, 0_u32);
            while !stop.load(Ordering::Relaxed) {
                cluster.see(&mut index, at % size, ["in", "out"][at / size % 2]);
                publish(&mut index, &handle);
                (at, count) = (at + 1, count + 1);
            }
            count
        }
    });
    let lookup_ns = lookups(&names, |name| handle.verdict(name) == Verdict::InScope);
    stop.store(true, Ordering::Relaxed);
    let publications = publisher.join().unwrap_or_default();
    eprintln!(
        "{size} namespaces: built in {build:.0?}, {bytes:.0} bytes each; a publication {publish_each:.1?} (a clone of a map {publish_control:.1?}); \
         a burst {burst:.0?}; a look-up {lookup_ns:.0} ns during {publications} publications (a plain map {lookup_control_ns:.0} ns)"
    );
    Cost { build, bytes, publish: publish_each, publish_control, burst, lookup_ns, lookup_control_ns }
}

fn publish(index: &mut Index, handle: &ScopeHandle) {
    if let Some(published) = index.publish(jiff::Timestamp::UNIX_EPOCH) {
        handle.publish(published.snapshot);
    }
}

/// Nanoseconds of one look-up, over names in no order that a cache could guess.
fn lookups(names: &[String], look: impl Fn(&str) -> bool) -> f64 {
    let (mut at, mut found) = (0, 0_usize);
    let begin = now();
    for _ in 0..LOOKUPS {
        at = (at + 7919) % names.len();
        found += usize::from(look(&names[at]));
    }
    black_box(found);
    #[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
    let each = since(begin).as_nanos() as f64 / LOOKUPS as f64;
    each
}

/// The processor time that this thread has had.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // Processor time is never negative.
    time.try_into().unwrap_or_default()
}

fn since(begin: Duration) -> Duration {
    now().saturating_sub(begin)
}

/// Bytes of this process in memory.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse().ok());
    kilobytes.unwrap_or(0_u64) * 1024
}
