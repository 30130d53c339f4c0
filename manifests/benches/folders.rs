//! How fast and how fat a scan is, against only parsing the same bytes strictly (folders.md).
//!
//! `cargo bench --bench folders`, with `-- --quick` for a tenth of the sizes.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and fails by panic")]

use std::fmt::Write;
use std::fs;
use std::time::{Duration, Instant};

use nsclass_manifests::folder::{Folder, Options};
use nsclass_manifests::judge;
use nsclass_manifests::kinds::KindTable;
use nsclass_manifests::limits::Limits;
use nsclass_manifests::path::FolderPath;
use nsclass_manifests::plan::{Change, Policy, plan};
use nsclass_manifests::scan::scan;
use nsclass_manifests::source::MapSource;
use nsclass_manifests::yaml;

/// Documents in one file.
const PER_FILE: usize = 5;
/// Files in one directory, each with a kustomization that assigns a namespace.
const PER_ROOT: usize = 100;
/// How often each thing is timed; the fastest counts, since everything else is the machine.
const ROUNDS: usize = 7;

fn document(kind: usize, number: usize) -> String {
    match kind {
        0 => format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-{number}\n  labels:\n    app.kubernetes.io/name: web # shown on the dashboard\nspec:\n  replicas: 2\n  selector:\n    matchLabels:\n      app: web-{number}\n  template:\n    metadata:\n      labels:\n        app: web-{number}\n    spec:\n      serviceAccountName: robot-{number}\n      containers:\n        - name: web\n          image: registry.example.com/team/web:1.4.{number}\n          ports:\n            - {{name: http, containerPort: 8080}}\n          env:\n            - name: LOG_LEVEL\n              value: info\n            - name: PASSWORD\n              valueFrom:\n                secretKeyRef: {{name: database, key: password}}\n          resources:\n            requests: {{cpu: 100m, memory: 128Mi}}\n            limits: {{memory: 256Mi}}\n          # the probe is slow on purpose\n          readinessProbe:\n            httpGet: {{path: /ready, port: http}}\n            periodSeconds: 10\n"
        ),
        1 => format!(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: web-{number}\nspec:\n  selector:\n    app: web-{number}\n  ports:\n    - name: http\n      port: 80\n      targetPort: http\n"
        ),
        2 => format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-{number}\ndata:\n  application.yaml: |\n{}",
            "    key: value of some length, as settings have it\n".repeat(12)
        ),
        3 => format!("apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: robot-{number}\n"),
        _ => format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata:\n  name: robot-{number}\nroleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n  name: reader\nsubjects:\n  - kind: ServiceAccount\n    name: robot-{number}\n"
        ),
    }
}

/// A folder of that many documents.
fn folder(documents: usize) -> MapSource {
    let mut source = MapSource::default();
    let files = documents / PER_FILE;
    for root in 0..files.div_ceil(PER_ROOT) {
        let mut kustomization = format!("namespace: team-{root}\nresources:\n");
        for file in root * PER_ROOT..((root + 1) * PER_ROOT).min(files) {
            writeln!(kustomization, "- f{file}.yaml").unwrap();
            let text: Vec<String> = (0..PER_FILE).map(|kind| document(kind, file)).collect();
            let path = FolderPath::new(&format!("team-{root}/f{file}.yaml")).unwrap();
            source.insert(path, text.join("---\n").into_bytes());
        }
        let path = FolderPath::new(&format!("team-{root}/kustomization.yaml")).unwrap();
        source.insert(path, kustomization.into_bytes());
    }
    source
}

/// Bases that each name the next, with a file of their own.
fn chain(length: usize) -> MapSource {
    let mut source = MapSource::default();
    for at in 0..length {
        let next = if at + 1 < length { format!("- ../b{}\n", at + 1) } else { String::new() };
        let namespace = if at == 0 { "namespace: team-a\n" } else { "" };
        let text = format!("{namespace}resources:\n- f.yaml\n{next}");
        source.insert(FolderPath::new(&format!("b{at}/kustomization.yaml")).unwrap(), text.into_bytes());
        source.insert(FolderPath::new(&format!("b{at}/f.yaml")).unwrap(), document(0, at).into_bytes());
    }
    source
}

fn whole(source: &MapSource, kinds: &KindTable) -> Folder {
    let folder = judge(scan(source, &Limits::default()), kinds, &Options::default());
    assert!(folder.verdict().is_valid(), "{}", folder.verdict().message());
    folder
}

fn parse_only(source: &MapSource) -> usize {
    source.files().values().map(|bytes| yaml::parse(bytes).unwrap().documents.len()).sum()
}

/// The fastest of some rounds of each thing. The rounds take turns, so that a busy moment of the machine hits all alike.
fn fastest<const N: usize>(mut things: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut best = [Duration::MAX; N];
    for _ in 0..ROUNDS {
        for (what, best) in things.iter_mut().zip(&mut best) {
            let start = Instant::now();
            what();
            *best = start.elapsed().min(*best);
        }
    }
    best
}

/// A line of `/proc/self/status`, in bytes.
fn status(key: &str) -> f64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap();
    line.trim_start_matches(':').split_whitespace().next().unwrap().parse::<f64>().unwrap() * 1024.0
}

/// The most memory that `what` needs above what is in use when it starts.
fn peak<T>(what: impl FnOnce() -> T) -> (f64, T) {
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status("VmRSS");
    let result = what();
    (status("VmHWM") - before, result)
}

#[allow(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let documents = if quick { 1_000 } else { 10_000 };
    let kinds = KindTable::builtin();
    let small = folder(documents);
    let bytes: usize = small.files().values().map(|bytes| bytes.len()).sum();
    // First of all, while the allocator holds nothing back.
    let (memory, judged) = peak(|| whole(&small, &kinds));

    let path = FolderPath::new("team-0/f7.yaml").unwrap();
    let (_, mut live) = judged.values(&path).unwrap().swap_remove(0);
    live["spec"]["replicas"] = 5.into();
    let changes = [Change::Put(live)];
    let [parse, scanned, edit] =
        fastest([&mut || assert!(parse_only(&small) >= documents), &mut || drop(whole(&small, &kinds)), &mut || {
            let plan = plan(&judged, &kinds, &Options::default(), Policy::default(), &changes).unwrap();
            assert_eq!(plan.files.len(), 1);
        }]);
    drop(judged);

    let large = folder(documents * 10);
    let [base, grown] = fastest([&mut || drop(whole(&small, &kinds)), &mut || drop(whole(&large, &kinds))]);
    drop(large);
    let (short, long) = (chain(20), chain(200));
    let [short, long] = fastest([&mut || drop(whole(&short, &kinds)), &mut || drop(whole(&long, &kinds))]);

    println!("{documents} documents in {} files, {:.1} MB", documents / PER_FILE, bytes as f64 / 1e6);
    println!("  parse only       {parse:>10.1?}");
    println!("  scan and judge   {scanned:>10.1?}");
    println!("  one edit         {edit:>10.1?}");
    println!("  ten times more   {grown:>10.1?}");
    println!("  chain of 20      {short:>10.1?}");
    println!("  chain of 200     {long:>10.1?}");
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    println!("figure folders.scan_ratio {:.3} ratio", ratio(scanned, parse));
    println!("figure folders.memory_ratio {:.2} ratio", memory / bytes as f64);
    println!("figure folders.edit_over_scan {:.4} ratio", ratio(edit, scanned));
    println!("figure folders.growth {:.2} ratio", ratio(grown, base));
    println!("figure folders.chain_growth {:.2} ratio", ratio(long, short));
}
