//! The alerts as promtool judges them: with series of healthy installations and one thing that is wrong.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, ensure};
use nsclass_tests::helm::chart_file;
use nsclass_tests::{ScratchDir, promtool};
use serde_json::{Value, json};

use crate::scenarios::{ALL_IS_WELL, SCENARIOS, Scenario, healthy};

/// The text of the alerts' file.
pub(crate) fn alerts_text() -> Result<String> {
    let path = chart_file("files/alerts.yaml");
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// Every alert.
pub(crate) fn alerts() -> Result<Vec<Value>> {
    let file: Value = serde_saphyr::from_str(&alerts_text()?)?;
    let groups = file["groups"].as_array().context("no groups")?;
    let rules = groups.iter().flat_map(|group| group["rules"].as_array().into_iter().flatten());
    Ok(rules.cloned().collect())
}

pub(crate) fn name(alert: &Value) -> &str {
    alert["alert"].as_str().unwrap_or_default()
}

/// What promtool is to test: the scenario's series, and at each time which alerts fire. All but the scenario's own are silent.
fn unit_test(scenario: &Scenario) -> Value {
    let series = |(series, values): &(String, String)| json!({ "series": series, "values": values });
    let expected = scenario.at.iter().map(|(time, fires)| {
        let firing: Vec<Value> = fires
            .then(|| json!({ "labels": format!("{{alertname=\"{}\"}}", scenario.alert), "value": 1 }))
            .into_iter()
            .collect();
        // Of several series of one alert, it is enough that there are some.
        let query = "group by (alertname) (ALERTS{alertstate=\"firing\"})";
        json!({ "expr": query, "eval_time": time, "exp_samples": firing })
    });
    json!({
        "interval": "1m",
        "name": scenario.about,
        "input_series": scenario.series().iter().map(series).collect::<Vec<_>>(),
        "promql_expr_test": expected.collect::<Vec<_>>(),
    })
}

/// Whether promtool is content with these rules in these scenarios and where all is well, and what it said.
async fn judged(rules: &str, scenarios: &[&Scenario]) -> Result<(bool, String)> {
    let dir = ScratchDir::new("nsclass-alerts-")?;
    let tests: Vec<Value> = scenarios.iter().copied().chain([&ALL_IS_WELL]).map(unit_test).collect();
    let file = json!({ "rule_files": ["alerts.yaml"], "evaluation_interval": "1m", "tests": tests });
    fs::write(dir.path().join("alerts.yaml"), rules)?;
    // JSON is YAML.
    fs::write(dir.path().join("test.yaml"), serde_json::to_string_pretty(&file)?)?;
    promtool(dir.path(), &["test", "rules", "test.yaml"]).await
}

#[tokio::test]
async fn promtool_has_nothing_against_the_rules() -> Result<()> {
    let dir = ScratchDir::new("nsclass-alerts-")?;
    fs::write(dir.path().join("alerts.yaml"), alerts_text()?)?;
    let (is_content, said) = promtool(dir.path(), &["check", "rules", "--lint-fatal", "alerts.yaml"]).await?;
    ensure!(is_content, "{said}");
    Ok(())
}

#[tokio::test]
async fn each_alert_fires_when_it_should_and_stays_silent_when_it_should() -> Result<()> {
    for alert in alerts()? {
        let times = SCENARIOS.iter().filter(|one| one.alert == name(&alert)).flat_map(|one| one.at);
        let both: BTreeSet<bool> = times.map(|(_, fires)| *fires).collect();
        ensure!(
            both.len() == 2,
            "{}: there is no scenario in which it fires, or none in which it is silent",
            name(&alert)
        );
    }
    let (is_content, said) = judged(&alerts_text()?, &SCENARIOS.iter().collect::<Vec<_>>()).await?;
    ensure!(is_content, "{said}");
    Ok(())
}

#[tokio::test]
async fn an_alert_that_always_fires_or_never_does_is_noticed() -> Result<()> {
    let rules: Value = serde_saphyr::from_str(&alerts_text()?)?;
    for (index, alert) in alerts()?.iter().enumerate() {
        let scenarios: Vec<&Scenario> = SCENARIOS.iter().filter(|one| one.alert == name(alert)).collect();
        for expression in ["vector(1)", "vector(0) > 1"] {
            let mut rules = rules.clone();
            rules["groups"][0]["rules"][index]["expr"] = json!(expression);
            let (is_content, _) = judged(&rules.to_string(), &scenarios).await?;
            ensure!(!is_content, "{} may be {expression}", name(alert));
        }
    }
    Ok(())
}

#[test]
fn the_healthy_series_have_every_metric_that_an_alert_asks_for() -> Result<()> {
    let healthy = healthy();
    for alert in alerts()? {
        for name in crate::expression::Expression::parse(alert["expr"].as_str().context("no expr")?)?.metrics() {
            let is_there = healthy.iter().any(|(series, _)| series.split('{').next() == Some(name));
            ensure!(is_there, "{name}: a scenario would be silent for want of it");
        }
    }
    Ok(())
}
