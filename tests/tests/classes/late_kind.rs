//! A class may use a kind before the cluster knows it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nsclass_tests::{Operator, World, eventually_within};
use serde_json::{Value, json};

/// Discovery follows a definition within a second or so; a controller that believed it too early would wait for ten.
const MOMENTS: Duration = Duration::from_secs(6);

fn definition(group: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("probes.{group}") },
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": { "kind": "Probe", "plural": "probes", "singular": "probe" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object" } },
            }],
        },
    })
}

/// Six times: whether discovery lags behind the last event of a definition is a matter of milliseconds.
#[tokio::test]
async fn c32_an_item_is_applied_moments_after_its_kind_is_defined() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c32");
    for round in 0..6 {
        let group = format!("late-{round}.example.com");
        let short = format!("late-{round}");
        let probe = json!({ "apiVersion": format!("{group}/v1"), "kind": "Probe", "metadata": { "name": "web" } });
        let other = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "other" } });
        world.class(&short, json!({ "resources": [probe, other] })).await?;
        world.namespace(&short).of_class(&short).create().await?;
        let message = world.not_ready(&short, "KindNotFound").await?;
        ensure!(message.contains("Probe web"), "{message}");
        let binding = world.binding(&short).await?.context("no binding")?;
        ensure!(binding.status.context("no status")?.inventory.len() == 1, "the other item waits too");

        cp.apply_yaml(&definition(&group).to_string()).await?;
        eventually_within(MOMENTS, format!("round {round}: the Probe is applied"), async || {
            let status = world.binding(&short).await?.context("no binding")?.status.context("no status")?;
            ensure!(status.inventory.len() == 2 && status.inventory.iter().all(|it| !it.uid.is_empty()), "{status:?}");
            Ok(())
        })
        .await?;
    }
    Ok(())
}
