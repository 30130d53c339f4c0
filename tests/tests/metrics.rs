//! What a real Prometheus makes of our metrics.
#![allow(clippy::unwrap_used, reason = "helpers of a test")]

use anyhow::{Result, ensure};
use nsclass_tests::{Operator, Prometheus, World, check_metrics, eventually};
use serde_json::json;

#[tokio::test]
async fn s52_prometheus_scrapes_the_controller_and_promtool_has_nothing_against_it() -> Result<()> {
    let (cp, operator) = Operator::shared().await?;
    let world = World::new(cp, "metrics");
    let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "about" } });
    world.class("std", json!({ "resources": [map] })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let (_, exposition) = operator.get("/metrics").await?;
    check_metrics(&exposition).await?;
    let prometheus = Prometheus::start(&[("controller", operator.admin())]).await?;
    eventually("the binding is counted in Prometheus", async || {
        let series = prometheus.query("nsclass_bindings{reason=\"BindingRecorded\"}").await?;
        ensure!(series.iter().map(|(_, value)| value).sum::<f64>() >= 1.0, "{series:?}");
        Ok(())
    })
    .await
}
