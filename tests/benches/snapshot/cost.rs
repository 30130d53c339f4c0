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
    /// Every namespace changes once.
    pub(crate) burst: Duration,
    /// A tenth of them do.
    pub(crate) burst_tenth: Duration,
    /// While changes are published as a process does in a burst.
    pub(crate) lookup_ns: f64,
    /// While each change is published, as fast as a core can: no watch is as fast.
    lookup_storm_ns: f64,
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
        println!("figure snapshot.lookup_storm_ns_{size} {:.0} ns", self.lookup_storm_ns);
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

    let burst = burst(&mut cluster, &mut index, &handle, size);
    let burst_tenth = self::burst(&mut cluster, &mut index, &handle, size / 10);

    let lookup_control_ns = lookups(&cluster.names.clone(), |name| map.contains_key(name));
    let lookup_ns = lookups_amid(&mut cluster, &mut index, &handle, BATCH);
    let lookup_storm_ns = lookups_amid(&mut cluster, &mut index, &handle, 1);
    eprintln!(
        "{size} namespaces: built in {build:.0?}, {bytes:.0} bytes each; a publication {publish_each:.1?} (a clone of a map {publish_control:.1?}); \
         a burst {burst:.0?}; a look-up {lookup_ns:.0} ns amid a burst, {lookup_storm_ns:.0} ns while each change is published (a plain map {lookup_control_ns:.0} ns)"
    );
    Cost {
        build,
        bytes,
        publish: publish_each,
        publish_control,
        burst,
        burst_tenth,
        lookup_ns,
        lookup_storm_ns,
        lookup_control_ns,
    }
}

/// What it takes for so many namespaces to change once, published as the task of a process does; the mean of there and back.
fn burst(cluster: &mut Cluster, index: &mut Index, handle: &ScopeHandle, changes: usize) -> Duration {
    let begin = now();
    for team in ["in", "out"] {
        for at in 0..changes {
            cluster.see(index, at, team);
            if at % BATCH == BATCH - 1 {
                publish(index, handle);
            }
        }
        publish(index, handle);
    }
    since(begin) / 2
}

/// Nanoseconds of one look-up while another thread publishes after every so many changes, without a pause.
fn lookups_amid(cluster: &mut Cluster, index: &mut Index, handle: &ScopeHandle, changes: usize) -> f64 {
    let (names, stop) = (cluster.names.clone(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut at = 0;
            while !stop.load(Ordering::Relaxed) {
                cluster.see(index, at % names.len(), ["in", "out"][at / names.len() % 2]);
                at += 1;
                if at % changes == 0 {
                    publish(index, handle);
                }
            }
        });
        let each = lookups(&names, |name| handle.verdict(name) == Verdict::InScope);
        stop.store(true, Ordering::Relaxed);
        each
    })
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
