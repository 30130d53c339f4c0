//! What the chart gives to Prometheus and Grafana. What the alerts and the dashboard are worth is told in the suite `monitoring`.

use std::fs;

use anyhow::{Context, Result, ensure};
use nsclass_tests::helm::chart_file;
use serde_json::{Value, json};

use crate::stage::Rendered;

const RULE: &str = "metrics.prometheusRule.enabled=true";

fn file(name: &str) -> Result<String> {
    let path = chart_file(name);
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// The rules of the `PrometheusRule` that is rendered with these values.
fn rules(values: &[&str]) -> Result<Value> {
    Ok(Rendered::with(&[&[RULE], values].concat())?.get("PrometheusRule", "nsclass")?["spec"].clone())
}

#[test]
fn the_alerts_are_those_of_the_file() -> Result<()> {
    let alerts: Value = serde_saphyr::from_str(&file("files/alerts.yaml")?)?;
    ensure!(rules(&[])? == alerts, "they differ");
    ensure!(
        rules(&["certificates.source=\"CertManager\"", "certificates.servingSeconds=6000"])? == alerts,
        "they differ"
    );
    Ok(())
}

#[test]
fn certificates_that_last_for_days_are_near_their_end_later() -> Result<()> {
    let usual = file("files/alerts.yaml")?;
    ensure!(usual.matches("time() < 259200").count() == 1, "the chart replaces another number, too");
    let short: Value = serde_saphyr::from_str(&usual.replace("time() < 259200", "time() < 1000"))?;
    ensure!(rules(&["certificates.servingSeconds=6000"])? == short, "a sixth of 6000 is not 1000");
    Ok(())
}

#[test]
fn the_dashboard_is_the_file_in_a_config_map_that_the_sidecar_finds() -> Result<()> {
    let rendered = Rendered::with(&["metrics.dashboard.enabled=true"])?;
    let map = rendered.get("ConfigMap", "nsclass-dashboard")?;
    ensure!(map["metadata"]["labels"]["grafana_dashboard"] == "1", "{}", map["metadata"]);
    let text = map["data"]["nsclass.json"].as_str().context("no nsclass.json")?;
    ensure!(
        serde_json::from_str::<Value>(text)? == serde_json::from_str::<Value>(&file("files/dashboard.json")?)?,
        "{text}"
    );
    Ok(())
}

#[test]
fn what_is_scraped_tells_its_release() -> Result<()> {
    let rendered = Rendered::with(&["metrics.serviceMonitor.enabled=true"])?;
    let monitor = rendered.get("ServiceMonitor", "nsclass")?;
    // Prometheus writes it app_kubernetes_io_instance, and the alerts are grouped by that.
    ensure!(monitor["spec"]["targetLabels"] == json!(["app.kubernetes.io/instance"]), "{monitor}");
    Ok(())
}

#[test]
fn nothing_of_it_is_there_unless_it_is_asked_for() -> Result<()> {
    let rendered = Rendered::with(&[])?;
    for kind in ["ServiceMonitor", "PrometheusRule"] {
        ensure!(rendered.kind(kind).is_empty(), "a {kind}");
    }
    ensure!(rendered.get("ConfigMap", "nsclass-dashboard").is_err(), "a dashboard");
    Ok(())
}
