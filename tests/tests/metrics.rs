//! What a real Prometheus makes of our metrics.

use anyhow::{Result, ensure};
use nsclass_tests::webhook::{Caller, ServingFiles, Webhook};
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, Prometheus, World, check_metrics, eventually, http_get};
use serde_json::json;

#[tokio::test]
async fn s52_prometheus_scrapes_both_processes_and_promtool_has_nothing_against_them() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let config = json!({ "scope": { "namespaceSelector": { "matchLabels": { "team": "in" } } } }).to_string();
    let files = ServingFiles::new()?;
    let webhook = Webhook::start(cp, &files, &config).await?;
    let operator = Operator::start(cp, OperatorOptions { config, ..OperatorOptions::default() }).await?;
    let world = World::new(cp, "metrics");
    let map = |name: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } });
    world.class("std", json!({ "resources": [map("about")] })).await?;
    world.namespace("shop").of_class("std").label("team", "out").create().await?;
    world.namespace("pay").of_class("std").label("team", "in").create().await?;
    world.ready("pay", "std").await?;
    // One review, so that what admission counts is there too.
    let answer = Caller::of(&webhook, &files)?.create_class(&[map("about")]).await?;
    ensure!(answer["allowed"] == true, "{answer}");
    for admin in [operator.admin(), webhook.admin()] {
        let (_, exposition) = http_get(admin, "/metrics").await?;
        check_metrics(&exposition).await?;
    }
    let prometheus = Prometheus::start(&[("controller", operator.admin()), ("webhook", webhook.admin())]).await?;
    let sum = async |query: &str| {
        let series = prometheus.query(query).await?;
        ensure!(!series.is_empty(), "{query}: no series");
        anyhow::Ok(series.iter().map(|(_, value)| value).sum::<f64>())
    };
    eventually("what each process counts is in Prometheus", async || {
        for (query, least) in [
            ("nsclass_bindings{reason=\"BindingRecorded\"}", 1.0),
            ("nsclass_scope_flips_dropped_total{job=\"controller\"}", 0.0),
            ("nsclass_scope_backlog{job=\"controller\"}", 0.0),
            ("nsclass_admission_answers_total{job=\"webhook\",outcome=\"allowed\"}", 1.0),
        ] {
            let value = sum(query).await?;
            ensure!(value >= least, "{query}: {value}");
        }
        Ok(())
    })
    .await?;
    for job in ["controller", "webhook"] {
        eventually(format!("the match state of the {job} is in Prometheus"), async || {
            let series = |name: &str, labels: &str| format!("nsclass_scope_{name}{{job=\"{job}\"{labels}}}");
            let verdict = |verdict: &str| series("namespaces", &format!(",verdict=\"{verdict}\""));
            let (inside, outside) = (sum(&verdict("InScope")).await?, sum(&verdict("OutOfScope")).await?);
            // Those that every cluster has are outside too.
            ensure!(inside > 0.0 && inside < 2.0 && outside >= 5.0, "{inside} in scope, {outside} out of it");
            let appeared = sum(&series("flips_total", ",direction=\"Appeared\"")).await?;
            ensure!(appeared > 0.0 && appeared < 2.0, "{appeared} namespaces appeared in the scope");
            ensure!(sum(&series("epoch", "")).await? >= 1.0, "nothing was published");
            ensure!(sum(&series("age_seconds", "")).await? < 60.0, "the API server is not heard of");
            sum(&series("watch_errors_total", "")).await?;
            Ok(())
        })
        .await?;
    }
    eventually("an alert could tell that both agree", async || {
        let digests = prometheus.query("count(count_values(\"digest\", nsclass_scope_digest))").await?;
        ensure!(digests.len() == 1 && digests[0].1 < 2.0, "{digests:?}");
        Ok(())
    })
    .await
}
