//! From the answer of the API server to the snapshot, with a hundred label changes a second.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use kube::api::{Patch, PatchParams};
use nsclass_shared::{
    runtime::Scope,
    scope::{Pick, ScopeRule, Selector},
};
use nsclass_tests::{ControlPlane, Options, World};
use serde_json::json;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

const PER_SECOND: u64 = 100;
const NAMESPACES: usize = 50;

/// Milliseconds from the answer to the snapshot.
pub(crate) struct Seen {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

/// A change of one namespace: when it was answered, and when the snapshot had it.
#[derive(Clone, Copy, Default)]
struct Change {
    answered: Option<Instant>,
    seen: Option<Instant>,
}

pub(crate) async fn measure(seconds: u64) -> Result<Seen> {
    let cp = ControlPlane::start(Options::default()).await?;
    let world = World::new(&cp, "bench");
    let selector = k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector {
        match_labels: Some([("team".to_owned(), "in".to_owned())].into()),
        ..Default::default()
    };
    let rule = ScopeRule::new("nsclass-system", Pick::Selected(Selector::compile(&selector)?));
    let (scope, task) = Scope::new(rule, None, &prometheus::Registry::new())?;
    let flips = scope.subscribe("bench");
    let stop = CancellationToken::new();
    let watching = tokio::spawn(task.run(cp.admin(), (), stop.clone()));
    let names: Vec<String> = (0..NAMESPACES).map(|i| format!("n{i}")).collect();
    for name in &names {
        world.namespace(name).create().await?;
    }
    timeout(Duration::from_secs(60), scope.seeded().wait()).await.context("no first list")?;

    let changes: Arc<Mutex<HashMap<String, Change>>> = Arc::default();
    let millis: Arc<Mutex<Vec<f64>>> = Arc::default();
    let reader = tokio::spawn({
        let (changes, millis) = (changes.clone(), millis.clone());
        async move {
            loop {
                let flip = flips.next().await;
                note(&changes, &millis, &flip.namespace, |change| change.seen = Some(Instant::now()));
            }
        }
    });
    let mut tick = interval(Duration::from_micros(1_000_000 / PER_SECOND));
    tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let total = usize::try_from(seconds * PER_SECOND)?;
    let mut patches = tokio::task::JoinSet::new();
    for i in 0..total {
        tick.tick().await;
        let value = ["in", "out"][i / NAMESPACES % 2];
        let name = world.name(&names[i % NAMESPACES]);
        let (namespaces, changes, millis) = (world.namespaces(), changes.clone(), millis.clone());
        patches.spawn(async move {
            let patch = Patch::Merge(json!({ "metadata": { "labels": { "team": value } } }));
            namespaces.patch_metadata(&name, &PatchParams::default(), &patch).await?;
            note(&changes, &millis, &name, |change| change.answered = Some(Instant::now()));
            anyhow::Ok(())
        });
    }
    while let Some(patched) = patches.join_next().await {
        patched??;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    reader.abort();
    stop.cancel();
    watching.await??;
    let mut millis = millis.lock().unwrap_or_else(PoisonError::into_inner).clone();
    millis.sort_by(f64::total_cmp);
    ensure!(millis.len() * 100 >= total * 99, "only {} of {total} changes were seen one by one", millis.len());
    let at = |percent: usize| millis[(millis.len() - 1) * percent / 100];
    let seen = Seen { p50: at(50), p99: at(99) };
    eprintln!(
        "{} changes, {PER_SECOND} a second: seen after {:.1} ms (median), {:.1} ms (p99)",
        millis.len(),
        seen.p50,
        seen.p99
    );
    Ok(seen)
}

/// Notes one end of a change; when both are there, the time between them counts. The watch may be faster than the answer.
fn note(changes: &Mutex<HashMap<String, Change>>, millis: &Mutex<Vec<f64>>, name: &str, set: impl Fn(&mut Change)) {
    let mut changes = changes.lock().unwrap_or_else(PoisonError::into_inner);
    let change = changes.entry(name.to_owned()).or_default();
    set(change);
    if let Change { answered: Some(answered), seen: Some(seen) } = *change {
        *change = Change::default();
        let wait = seen.saturating_duration_since(answered).as_secs_f64() * 1e3;
        millis.lock().unwrap_or_else(PoisonError::into_inner).push(wait);
    }
}
