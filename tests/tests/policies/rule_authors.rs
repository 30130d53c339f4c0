//! `rule-authors.yaml`: a rule names who writes it, so that it can be asked again what they may read.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::stage::Stage;

const POLICY: &str = "rule-authors";

fn rule(name: &str, user: &str, groups: &[&str]) -> Value {
    json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "WatchRule", "metadata": { "name": name },
        "spec": {
            "targetRef": { "name": "prod" }, "author": { "user": user, "groups": groups },
            "rules": [{ "apiGroups": [""], "resources": ["secrets"] }],
        },
    })
}

#[tokio::test]
async fn f58_nobody_writes_a_rule_in_somebody_elses_name_or_in_a_group_that_they_are_not_in() -> Result<()> {
    let stage = Stage::open("f58-author").await?;
    let tenant = stage.somebody("tenant").await?;
    let all = ["get", "create", "update", "patch", "delete"];
    tenant.may(&all, "nsclass.io", "watchrules", &[]).await?;
    let namespace = stage.namespace_with("pay", json!({})).await?;
    let rules = format!("/apis/nsclass.io/v1alpha1/namespaces/{namespace}/watchrules");
    let own = stage.name("own");
    let path = format!("{rules}/{own}");
    let user = tenant.user.as_str();

    let says = ["spec.author.user", user, "writes the rule"];
    Ask::post(&rules, rule(&own, "system:admin", &[])).denied(&tenant.client, POLICY, &says).await?;
    let says = ["spec.author.groups", user, "is not in"];
    Ask::post(&rules, rule(&own, user, &["system:masters"])).denied(&tenant.client, POLICY, &says).await?;
    Ask::post(&rules, rule(&own, user, &["system:authenticated"])).done(&tenant.client).await?;

    // Not later either, and not by another's hand: the rule reads what its author may, and its author has seen it.
    let says = ["spec.author.user", "writes the rule"];
    let other = json!({ "spec": { "author": { "user": "system:admin" } } });
    Ask::merge(&path, other).denied(&tenant.client, POLICY, &says).await?;
    let more = json!({ "spec": { "targetRef": { "name": "other" } } });
    Ask::merge(&path, more).denied(&stage.admin, POLICY, &says).await?;
    // What is nobody's to judge passes: labels, and the controller's status.
    Ask::merge(&path, json!({ "metadata": { "labels": { "a": "b" } } })).done(&stage.admin).await?;
    let status = json!({ "status": { "kinds": 1 } });
    Ask::merge(format!("{path}/status"), status).done(&stage.admin).await?;
    let live = stage.live(&path).await?;
    ensure!(live["spec"]["author"]["user"] == user && live["status"]["kinds"] == 1, "{live:#}");
    Ask::delete(&path).done(&stage.admin).await?;
    Ok(())
}
