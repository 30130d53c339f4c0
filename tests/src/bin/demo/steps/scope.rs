//! A namespace goes out of the scope by a label, and comes back.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_shared::api::get_condition;
use nsclass_tests::holds_for;
use serde_json::json;

use crate::contents::Contents;
use crate::demo::Demo;
use crate::settings::UNMANAGED;
use crate::stage::Stage;

/// Long enough to see that nobody repairs something: otherwise that takes less than a second.
const A_WHILE: Duration = Duration::from_secs(3);
/// What is lost while nobody looks after it.
const LOST: &str = "HorizontalPodAutoscaler web";

pub async fn play(demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    let namespace = demo.name("checkout");
    demo.screen.step(
        "A namespace leaves the scope and comes back",
        &format!(
            "This operator manages the namespaces without the label {UNMANAGED}: that is its scope.namespaceSelector."
        ),
    );
    let before = demo.contents("checkout", "typed-values").await?;
    let pids = pids(stage);
    label(demo, &namespace, Some("true")).await?;
    is_in_scope(demo, &namespace, "False").await?;
    demo.fact(format!("nothing was deleted: its {} objects are there under their UIDs", before.len()), async || {
        same_but(&before, &demo.contents("checkout", "typed-values").await?, None)
    })
    .await?;

    demo.screen.command(&format!("kubectl -n {namespace} delete horizontalpodautoscaler web"));
    let scalers: Api<HorizontalPodAutoscaler> = Api::namespaced(demo.cluster.client(), &namespace);
    scalers.delete("web", &DeleteParams::default()).await?;
    demo.fact(format!("out of the scope nobody puts it back, for {} s", A_WHILE.as_secs()), async || {
        holds_for(A_WHILE, "it is gone", async || {
            ensure!(scalers.get_opt("web").await?.is_none(), "it is there again");
            Ok(())
        })
        .await
    })
    .await?;

    label(demo, &namespace, None).await?;
    is_in_scope(demo, &namespace, "True").await?;
    let after = demo.filled("checkout", "typed-values").await?;
    demo.fact("what was lost meanwhile is made anew, and the rest was never away", async || {
        same_but(&before, &after, Some(LOST))
    })
    .await?;
    demo.fact(format!("nothing was restarted: {} processes run on", pids.len()), async || {
        stage.ensure_running()?;
        for process in stage.processes() {
            let (status, body) = process.get("/readyz").await?;
            ensure!(status == 200 && pids.contains(&process.pid), "{} says {status}: {body}", process.name);
        }
        Ok(())
    })
    .await
}

/// Takes a namespace out of the scope, or back into it.
pub async fn label(demo: &Demo<'_>, namespace: &str, value: Option<&str>) -> Result<()> {
    let change = value.map_or_else(|| format!("{UNMANAGED}-"), |value| format!("{UNMANAGED}={value}"));
    demo.screen.command(&format!("kubectl label namespace {namespace} {change}"));
    let namespaces: Api<Namespace> = Api::all(demo.cluster.client());
    let patch = json!({ "metadata": { "labels": { UNMANAGED: value } } });
    namespaces.patch(namespace, &PatchParams::default(), &Patch::Merge(patch)).await?;
    Ok(())
}

/// Claims what the binding's condition `InScope` says, and shows its message.
async fn is_in_scope(demo: &Demo<'_>, namespace: &str, status: &str) -> Result<()> {
    let condition: Condition = demo
        .claim(format!("the binding of {namespace} has InScope={status}"), async || {
            let binding = demo.cluster.binding(namespace).await?.context("no binding")?;
            let conditions = binding.status.unwrap_or_default().conditions;
            let condition = get_condition(&conditions, "InScope").cloned().context("it has no such condition")?;
            ensure!(condition.status == status, "{}: {}", condition.reason, condition.message);
            Ok(condition)
        })
        .await?;
    demo.screen.say(&format!("{}: {}", condition.reason, condition.message));
    Ok(())
}

/// Whether all objects are the same, but for one that must be another now.
fn same_but(before: &Contents, after: &Contents, other: Option<&str>) -> Result<()> {
    ensure!(before.keys().eq(after.keys()), "{:?} instead of {:?}", after.keys(), before.keys());
    for (title, found) in before {
        let is_same = after[title].entry.uid == found.entry.uid;
        ensure!(is_same == (other != Some(title)), "{title}: {} and then {}", found.entry.uid, after[title].entry.uid);
    }
    Ok(())
}

fn pids(stage: &Stage) -> Vec<u32> {
    stage.processes().iter().map(|process| process.pid).collect()
}
