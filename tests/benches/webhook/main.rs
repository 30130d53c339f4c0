//! What an admission costs: the real webhook, with many namespaces in its snapshot, against a bare rustls and axum sink that reads the
//! same body and decides nothing.
//!
//! `cargo bench --bench webhook -- [--namespaces N] [--seconds S] [--rounds R]`. Server and client have a core each. Requests per core are
//! requests over the processor time that the server took for them, so that other work on the machine does not count; the rounds of both
//! take turns, and the median counts.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to the person at the terminal")]
#![allow(clippy::cast_precision_loss, reason = "counts of requests are far below 2^52")]

mod cpu;
mod load;
mod sink;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use futures::{StreamExt, TryStreamExt, stream};
use nsclass_tests::webhook::{ServingFiles, Webhook};
use nsclass_tests::{ControlPlane, Options, World};
use serde_json::json;

use load::Load;

#[derive(Parser)]
struct Args {
    /// Namespaces in the snapshot.
    #[arg(long, default_value_t = 10_000)]
    namespaces: usize,
    /// How long each round lasts.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Rounds of each server.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Is the sink, with the pair of this directory.
    #[arg(long, hide = true)]
    sink: Option<PathBuf>,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    match &args.sink {
        Some(dir) => runtime.block_on(sink::serve(dir)),
        None => runtime.block_on(measure(&args)),
    }
}

async fn measure(args: &Args) -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let world = World::new(&cp, "bench");
    eprintln!("making {} namespaces", args.namespaces);
    stream::iter(0..args.namespaces)
        .map(|i| {
            let world = world.clone();
            async move { world.namespace(&format!("n{i}")).label("team", "blue").label("tier", "gold").create().await }
        })
        .buffer_unordered(16)
        .try_for_each(async |_| Ok(()))
        .await?;
    let outside = world.namespace("outside").label("tier", "lead").create().await?;
    let files = ServingFiles::new()?;
    // What the author may do is asked of the API server (admission.md A01), whose time is not ours.
    let config = "{ scope: { namespaceSelector: { matchLabels: { tier: gold } } }, webhook: { authorChecks: false } }";
    let webhook = Webhook::start(&cp, &files, config).await?;
    let (mut sink, sink_address) = start_sink(&files)?;
    let (server, client) = (webhook.program().pid(), std::process::id());
    for (pid, core) in [(server, 0), (sink.id(), 0), (client, 1)] {
        cpu::pin(pid, core)?;
    }
    eprintln!("{} namespaces, {} rounds of {} s for each review", args.namespaces, args.rounds, args.seconds);
    eprintln!("{:<44}{:>10}{:>10}{:>8}", "requests per core and second", "sink", "webhook", "ratio");
    let span = Duration::from_secs(args.seconds);
    let outsider = outside.metadata.name.unwrap_or_default();
    for (what, figure, review) in [
        ("the snapshot decides (namespace out of scope)", "webhook.rps_ratio", review(&outsider, "CREATE")),
        ("a class is written, its spec as it was", "webhook.unchanged_rps_ratio", review("", "UPDATE")),
        ("a class is judged whole", "webhook.judged_rps_ratio", review("", "CREATE")),
    ] {
        let load = Load::new(files.ca(), &review)?;
        let (mut ours, mut bare, mut rates) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..args.rounds {
            let (per_core, _) = full_load(&load, sink_address, sink.id(), span).await?;
            bare.push(per_core);
            let (per_core, rate) = full_load(&load, webhook.address(), server, span).await?;
            ours.push(per_core);
            rates.push(rate);
        }
        let (ours, bare) = (median(&mut ours), median(&mut bare));
        eprintln!("{:<44}{bare:>10.0}{ours:>10.0}{:>8.2}", format!("{what}, {} bytes", load.len()), ours / bare);
        println!("figure {figure} {:.2} ratio", ours / bare);
        if figure == "webhook.rps_ratio" {
            let mut latencies = load.paced(webhook.address(), median(&mut rates) / 2.0, span * 2).await?;
            latencies.sort_unstable();
            let at = |part: usize| latencies[(latencies.len() - 1) * part / 100].as_secs_f64() * 1e6;
            let (p50, p99) = (at(50), at(99));
            eprintln!("at half load: p50 {p50:.0} µs, p99 {p99:.0} µs over {} requests", latencies.len());
            println!("figure webhook.p99_over_p50 {:.2} ratio", p99 / p50);
        }
    }
    println!("figure webhook.rss_mb {:.1} MB", cpu::resident(server)?);
    sink.kill()?;
    sink.wait()?;
    Ok(())
}

/// Requests per second of processor time, and per second.
async fn full_load(load: &Load, address: SocketAddr, pid: u32, span: Duration) -> Result<(f64, f64)> {
    let before = cpu::time(pid)?;
    let requests = load.full(address, span).await?;
    let took = cpu::time(pid)?.saturating_sub(before);
    ensure!(took > Duration::ZERO, "the server did nothing");
    Ok((requests as f64 / took.as_secs_f64(), requests as f64 / span.as_secs_f64()))
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A review of a class as the API server writes it, of 2.7 kB where there is one object in it. No real class is in a namespace; one that
/// claims to be shows what the gate costs, which stands before every validator.
fn review(namespace: &str, operation: &str) -> String {
    let mut items = vec![
        json!({ "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": { "name": "default-deny" },
            "spec": { "podSelector": {}, "policyTypes": ["Ingress", "Egress"] } }),
        json!({ "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "compute" },
            "spec": { "hard": { "requests.cpu": "4", "requests.memory": "8Gi", "limits.cpu": "8", "limits.memory": "16Gi" } } }),
        json!({ "apiVersion": "v1", "kind": "LimitRange", "metadata": { "name": "defaults" },
            "spec": { "limits": [{ "type": "Container", "default": { "cpu": "500m", "memory": "512Mi" } }] } }),
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "deployer" } }),
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "about" },
            "data": { "namespace": "{{ .Namespace.Name }}", "team": "{{ .Namespace.Labels.team | default \"none\" }}", "text": "" } }),
    ];
    let gvk = json!({ "group": "nsclass.io", "version": "v1alpha1", "kind": "NamespaceClass" });
    let resource = json!({ "group": "nsclass.io", "version": "v1alpha1", "resource": "namespaceclasses" });
    let mut text = String::new();
    for padding in [0, 1] {
        if padding == 1 {
            items[4]["data"]["text"] = json!("x".repeat(2_700_usize.saturating_sub(text.len())));
        }
        let object = json!({ "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass",
            "metadata": { "name": "team-standard", "uid": "9bb9bd9f-8f2d-4ad0-a4b3-7d4f1c1a9e57", "generation": 1,
                "creationTimestamp": "2026-11-30T00:00:00Z", "managedFields": [{ "manager": "kubectl-create", "operation":
                "Update", "apiVersion": "nsclass.io/v1alpha1", "time": "2026-11-30T00:00:00Z", "fieldsType": "FieldsV1",
                "fieldsV1": { "f:spec": { ".": {}, "f:adoption": {}, "f:drift": {}, "f:resources": {} } } }] },
            "spec": { "adoption": "Refuse", "drift": "Repair", "immutable": "Report", "onDelete": "Delete", "optOutDelay": "60s",
                "resources": items } });
        let old = if operation == "UPDATE" { object.clone() } else { json!(null) };
        let review = json!({ "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
            "uid": "0df28fbd-5f5f-11e8-bc74-36e6bb280816", "kind": gvk, "resource": resource, "requestKind": gvk,
            "requestResource": resource, "name": "team-standard", "namespace": namespace, "operation": operation, "dryRun": false,
            "userInfo": { "username": "jane@example.com", "uid": "1234", "groups": ["platform", "system:authenticated"] },
            "object": object, "oldObject": old,
            "options": { "kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "kubectl-create" } } });
        text = review.to_string();
    }
    text
}

fn start_sink(files: &ServingFiles) -> Result<(Child, SocketAddr)> {
    use std::io::{BufRead, BufReader};
    let mut sink = Command::new(std::env::current_exe()?)
        .arg("--sink")
        .arg(files.dir())
        .stdout(Stdio::piped())
        .spawn()
        .context("the sink does not start")?;
    let mut line = String::new();
    BufReader::new(sink.stdout.take().context("no output")?).read_line(&mut line)?;
    Ok((sink, line.trim().parse()?))
}
