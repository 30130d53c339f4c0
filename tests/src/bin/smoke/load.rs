//! Steady requests that the webhook has to decide, and what became of each.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use kube::api::{DynamicObject, PostParams};
use kube::core::ApiResource;
use kube::{Api, Client};
use nsclass_shared::api::NamespaceClass;
use nsclass_tests::{ControlPlane, Identity};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// Who asks at the same time, and how often each.
const CALLERS: usize = 2;
const PAUSE: Duration = Duration::from_millis(60);

/// Requests under way.
pub struct Load {
    stop: Arc<AtomicBool>,
    count: Arc<AtomicUsize>,
    callers: Vec<JoinHandle<Vec<String>>>,
}

impl Load {
    /// Begins: dry runs of classes, half of them faulty. Each is decided by a webhook, through the API server and the Service.
    pub fn start(plane: &ControlPlane) -> Result<Self> {
        let (stop, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut callers = Vec::new();
        for _ in 0..CALLERS {
            // One that tries again would hide what is lost.
            let mut config = plane.client_config(&Identity::Admin)?;
            config.default_retry = false;
            let (client, stop, count) = (Client::try_from(config)?, stop.clone(), count.clone());
            callers.push(tokio::spawn(async move {
                let mut lost = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    if let Err(error) = ask(&client, count.fetch_add(1, Ordering::Relaxed)).await {
                        lost.push(format!("{error:#}"));
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                lost
            }));
        }
        Ok(Self { stop, count, callers })
    }

    /// Ends, and fails when one was not decided as it should be, or too few were asked to say anything.
    pub async fn stop(self) -> Result<usize> {
        self.stop.store(true, Ordering::Relaxed);
        let mut lost = Vec::new();
        for caller in self.callers {
            lost.extend(caller.await?);
        }
        let count = self.count.load(Ordering::Relaxed);
        ensure!(lost.is_empty(), "{} of {count} requests: the first: {}", lost.len(), lost[0]);
        ensure!(count >= 100, "only {count} requests");
        Ok(count)
    }
}

/// One request: a good class is accepted, a faulty one refused by the webhook.
async fn ask(client: &Client, number: usize) -> Result<()> {
    let classes: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::erase::<NamespaceClass>(&()));
    let params = PostParams { dry_run: true, ..PostParams::default() };
    let began = Instant::now();
    let is_faulty = number % 2 == 1;
    let answer = classes.create(&params, &class(&format!("steady-{number}"), is_faulty)?).await;
    match answer {
        Ok(_) if !is_faulty => Ok(()),
        Err(kube::Error::Api(status)) if is_faulty && status.message.contains("denied the request") => Ok(()),
        Ok(_) => bail!("a faulty class was accepted: no webhook was asked"),
        Err(error) => Err(error).with_context(|| format!("request {number}, after {:.1?}", began.elapsed())),
    }
}

/// A class with one item, that only the webhook can find fault with.
pub fn class(name: &str, is_faulty: bool) -> Result<DynamicObject> {
    let text = if is_faulty { "{{ .Namespace.Nmae }}" } else { "{{ .Namespace.Name }}" };
    let item =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "about" }, "data": { "name": text } });
    of_items(name, &[item])
}

/// A class of these items.
pub fn of_items(name: &str, items: &[Value]) -> Result<DynamicObject> {
    Ok(serde_json::from_value(json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass", "metadata": { "name": name },
        "spec": { "resources": items },
    }))?)
}
