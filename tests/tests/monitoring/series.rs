//! Real processes with something to show, and a real Prometheus that scrapes them: every query of the dashboard and every metric of the
//! alerts is there.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use nsclass_shared::licence::SigningKey;
use nsclass_tests::webhook::{Caller, ServingFiles, Webhook};
use nsclass_tests::{ControlPlane, Operator, OperatorOptions, Prometheus, World, eventually};
use serde_json::{Value, json};

use crate::dashboard::queries;
use crate::expression::Expression;
use crate::rules::{alerts, name};

/// Labels that the one who scrapes gives.
const OF_TARGETS: [&str; 5] = ["instance", "job", "namespace", "pod", "app_kubernetes_io_instance"];

/// Everything that runs for the test.
struct Stage {
    _operators: [Operator; 2],
    _webhook: Webhook,
    prometheus: Prometheus,
}

/// An operator with work done and work that failed, one that wants a licence, and a webhook that was asked.
async fn stage(cp: &ControlPlane) -> Result<Stage> {
    let files = ServingFiles::new()?;
    let webhook = Webhook::start(cp, &files, "").await?;
    let operator = Operator::start(cp, OperatorOptions::default()).await?;
    let world = World::new(cp, "monitoring");
    let map = |name: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } });
    world.class("std", json!({ "resources": [map("about")] })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    // Somebody else's object, for failures and events.
    world.namespace("tax").create().await?;
    let mut theirs = map("about");
    theirs["metadata"]["namespace"] = json!(world.name("tax"));
    cp.apply_yaml(&theirs.to_string()).await?;
    world.join("tax", "std").await?;
    world.not_ready("tax", "NotOwned").await?;
    let answer = Caller::of(&webhook, &files)?.create_class(&[map("about")]).await?;
    ensure!(answer["allowed"] == true, "{answer}");
    let config = json!({
        "instance": "gated", "scope": { "namespaces": [world.name("none")] },
        "gate": { "mode": "Hybrid", "publicKeys": [SigningKey::generate()?.public().to_string()] },
    });
    let gated =
        Operator::start(cp, OperatorOptions { config: config.to_string(), ..OperatorOptions::default() }).await?;
    let targets = [("controller", operator.admin()), ("gated", gated.admin()), ("webhook", webhook.admin())];
    let prometheus = Prometheus::start(&targets).await?;
    Ok(Stage { _operators: [operator, gated], _webhook: webhook, prometheus })
}

/// Waits until a query has an answer that is not empty.
async fn answered(prometheus: &Prometheus, about: &str, query: &str) -> Result<()> {
    eventually(format!("{about}: {query}"), async || {
        ensure!(!prometheus.query(query).await?.is_empty(), "it has no series");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn every_query_of_alerts_and_dashboard_asks_for_what_the_processes_show() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let stage = stage(cp).await?;
    let mut asked = BTreeSet::new();
    for query in queries()? {
        // Names and labels, and besides that an answer: a panel that is empty in all this is a mistake.
        answered(&stage.prometheus, &query.panel, &query.expression).await?;
        asked.extend(Expression::parse(&query.expression)?.selectors().iter().cloned());
    }
    for alert in alerts()? {
        let expression = alert["expr"].as_str().context("no expr")?;
        stage.prometheus.query(expression).await.with_context(|| name(&alert).to_owned())?;
        asked.extend(Expression::parse(expression)?.selectors().iter().cloned());
    }
    for (metric, labels) in asked {
        answered(&stage.prometheus, "the metric is there", &metric).await?;
        for label in labels.iter().filter(|label| !OF_TARGETS.contains(&label.as_str())) {
            answered(&stage.prometheus, "the metric has the label", &format!("{metric}{{{label}!=\"\"}}")).await?;
        }
    }
    // A name that nobody shows is noticed.
    let nobodys: Vec<(Value, f64)> = stage.prometheus.query("nsclass_no_such_metric").await?;
    ensure!(nobodys.is_empty(), "{nobodys:?}");
    Ok(())
}
