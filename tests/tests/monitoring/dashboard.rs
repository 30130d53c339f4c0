//! The dashboard's file.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, ensure};
use nsclass_tests::helm::chart_file;
use serde_json::Value;

/// A query of a panel, with the dashboard's variables filled in as Grafana does when everything is chosen.
pub(crate) struct Query {
    pub(crate) panel: String,
    pub(crate) expression: String,
}

fn dashboard() -> Result<Value> {
    let path = chart_file("files/dashboard.json");
    Ok(serde_json::from_str(&fs::read_to_string(&path).with_context(|| path.display().to_string())?)?)
}

/// Every query of every panel.
pub(crate) fn queries() -> Result<Vec<Query>> {
    let dashboard = dashboard()?;
    let mut queries = Vec::new();
    for panel in dashboard["panels"].as_array().context("no panels")? {
        let title = panel["title"].as_str().context("a panel without a title")?;
        for target in panel["targets"].as_array().into_iter().flatten() {
            let expression = target["expr"].as_str().with_context(|| format!("{title}: no expr"))?;
            let filled = [("$__rate_interval", "30s"), ("$namespace", ".*"), ("$installation", ".*")];
            let expression = filled.iter().fold(expression.to_owned(), |text, (name, value)| text.replace(name, value));
            queries.push(Query { panel: title.to_owned(), expression });
        }
    }
    Ok(queries)
}

#[test]
fn every_panel_has_a_place_of_its_own_a_description_and_queries() -> Result<()> {
    let dashboard = dashboard()?;
    let (mut taken, mut ids) = (BTreeSet::new(), BTreeSet::new());
    for panel in dashboard["panels"].as_array().context("no panels")? {
        let title = panel["title"].as_str().context("a panel without a title")?;
        ensure!(ids.insert(panel["id"].as_u64().context("no id")?), "{title}: its id is another panel's");
        let side = |side: &str| panel["gridPos"][side].as_u64().with_context(|| format!("{title}: no {side}"));
        for x in side("x")?..side("x")? + side("w")? {
            for y in side("y")?..side("y")? + side("h")? {
                ensure!(x < 24 && taken.insert((x, y)), "{title} lies on another panel, or outside, at {x}, {y}");
            }
        }
        if panel["type"] != "row" {
            ensure!(panel["description"].as_str().is_some_and(|text| text.len() > 10), "{title}: no description");
            ensure!(panel["targets"].as_array().is_some_and(|targets| !targets.is_empty()), "{title}: no query");
            ensure!(panel["datasource"]["uid"] == "${datasource}", "{title}: a data source of its own");
        }
    }
    Ok(())
}
