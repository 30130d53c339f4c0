//! Strict: reconciles of namespaces stop, and everything else runs.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::Api;
use kube::api::DeleteParams;
use nsclass_shared::api::get_condition;
use nsclass_tests::{eventually, holds_for};
use serde_json::json;

use crate::stage::{Stage, class};

#[tokio::test]
async fn s61_strict_stops_reconciles_and_neither_the_scope_nor_what_is_owed_nor_who_leaves() -> Result<()> {
    let stage = Stage::open("s61").await?;
    let mut owing = class("1");
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": "{{ .Namespace.Name }}-reader" },
        "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }],
    });
    owing["resources"].as_array_mut().context("items")?.push(role);
    stage.class("std", owing.clone()).await?;
    stage.put("licence", Some(&stage.good(None)?)).await?;
    let operator = stage.run("Strict").await?;
    for name in ["stays", "moves", "goes", "leaves"] {
        stage.team(name).await?;
        stage.ready(name, "std").await?;
    }
    stage.withdraw("licence").await?;
    operator.until_it_is("Absent").await?;
    let message = stage.waits("stays").await?;
    ensure!(message.contains("gate.mode is Strict"), "{message}");

    // Neither an edit nor drift nor a new namespace is anybody's work.
    owing["resources"][0]["data"]["value"] = json!("2");
    stage.class("std", owing.clone()).await?;
    stage.team("new").await?;
    stage.waits("new").await?;
    stage.maps("stays").delete("about", &DeleteParams::default()).await?;
    holds_for(Duration::from_secs(3), "nothing is made, changed or repaired", async || {
        for name in ["stays", "new"] {
            stage.has_nothing(name).await?;
        }
        let data = stage.maps("goes").get("about").await?.data.context("no data")?;
        ensure!(data["value"] == "1", "{data:?}");
        Ok(())
    })
    .await?;

    // The scope is asked first.
    stage.scope("moves", false).await?;
    eventually("the namespace that left the scope says so", async || {
        let binding = stage.binding("moves").await?.context("no binding")?;
        let conditions = &binding.status.as_ref().context("no status")?.conditions;
        let said = get_condition(conditions, "InScope").context("no condition")?;
        ensure!(said.status == "False" && binding.spec.instance.is_empty(), "{said:?}");
        Ok(())
    })
    .await?;
    // What is owed is paid.
    stage.delete_namespace("goes").await?;
    stage.gone("goes").await?;
    stage.unbound("goes").await?;
    let roles: Api<ClusterRole> = Api::all(stage.client());
    let left = roles.get_opt(&format!("{}-reader", stage.name("goes"))).await?;
    ensure!(left.is_none(), "{left:?}");
    // Who leaves its class is let go.
    stage.leave("leaves").await?;
    stage.unbound("leaves").await?;
    stage.has_nothing("leaves").await?;

    // A licence comes: everything that was missed is caught up with.
    stage.put("licence", Some(&stage.good(None)?)).await?;
    for name in ["stays", "new"] {
        stage.ready(name, "std").await?;
        stage.follows(name, "2").await?;
    }
    operator.stop().await
}
