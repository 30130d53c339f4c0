//! The usage report.

use anyhow::{Context, Result, ensure};
use kube::ResourceExt;
use kube::api::DeleteParams;
use nsclass_shared::names::usage_report;
use nsclass_shared::usage::{REPORT_KEY, UsageReport};
use nsclass_tests::{Identity, eventually};
use serde_json::{Value, json};

use crate::running::Running;
use crate::stage::Stage;

/// Everything that the controller needs of the cluster; what it needs in its own namespace is granted and taken.
fn rights(user: &str, namespace: &str) -> String {
    format!(
        r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{ name: {user} }}
rules:
- {{ apiGroups: [""], resources: [namespaces], verbs: [get, list, watch, patch] }}
- {{ apiGroups: [""], resources: [serviceaccounts], verbs: ["*"] }}
- {{ apiGroups: [nsclass.io], resources: ["*"], verbs: ["*"] }}
- {{ apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [get, list, watch] }}
- {{ apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, list, watch, create, update, patch] }}
- {{ apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch] }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{ name: {user} }}
roleRef: {{ apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {user} }}
subjects: [{{ apiGroup: rbac.authorization.k8s.io, kind: User, name: {user} }}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{ name: {user}, namespace: {namespace} }}
rules:
- {{ apiGroups: [""], resources: [configmaps], verbs: [get, create, update] }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{ name: {user}, namespace: {namespace} }}
roleRef: {{ apiGroup: rbac.authorization.k8s.io, kind: Role, name: {user} }}
subjects: [{{ apiGroup: rbac.authorization.k8s.io, kind: User, name: {user} }}]
"#
    )
}

/// Waits until the report is as wanted; returns it with the `ConfigMap`'s resourceVersion.
async fn reported(stage: &Stage, wanted: impl Fn(&UsageReport) -> bool) -> Result<(UsageReport, String)> {
    eventually("the report is as things are", async || {
        let map = stage.operator_maps().get(&usage_report(&stage.operator())).await?;
        let text = map.data.as_ref().context("no data")?[REPORT_KEY].clone();
        let report: UsageReport = serde_json::from_str(&text)?;
        ensure!(wanted(&report), "{text}");
        Ok((report, map.resource_version().unwrap_or_default()))
    })
    .await
}

fn config(stage: &Stage, enabled: bool) -> String {
    let mut config = stage.config("None");
    config["usage"] = json!({ "enabled": enabled, "intervalSeconds": 1 });
    config.to_string()
}

#[tokio::test]
async fn s70_use_is_reported_from_one_snapshot_and_a_failed_read_leaves_the_last_report() -> Result<()> {
    let stage = Stage::open("s70").await?;
    let items = json!([{ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "robot" } }]);
    stage.class("std", json!({ "resources": items })).await?;
    let user = stage.name("reporter");
    stage.cp.apply_yaml(&rights(&user, &stage.operator())).await?;
    let identity = Identity::user(&user, &[]);
    let operator = Running::start(stage.cp, &config(&stage, true), &identity, None).await?;
    for name in ["one", "two"] {
        stage.team(name).await?;
        stage.ready(name, "std").await?;
    }
    let class = stage.name("std");
    let ready = |report: &UsageReport| report.classes.get(&class).map_or(0, |class| class.ready);
    let (report, _) = reported(&stage, |report| ready(report) == 2).await?;
    ensure!(report.version == 1 && report.namespaces["InScope"] == 2, "{report:?}");
    ensure!(report.objects["ServiceAccount"] == 2, "{report:?}");
    ensure!(report.digest.len() == 32 && report.unlicensed == 0, "{report:?}");

    // Out of scope, a namespace is not counted under its class.
    stage.scope("two", false).await?;
    reported(&stage, |report| ready(report) == 1 && report.namespaces["InScope"] == 1).await?;

    // As a table, and as JSON.
    let table = stage.nsclass(&["usage"]).await?;
    for part in ["NAMESPACES", "InScope", "READY", &class, "ServiceAccount"] {
        ensure!(table.contains(part), "no {part:?} in\n{table}");
    }
    let json: Value = serde_json::from_str(&stage.nsclass(&["usage", "-o", "json"]).await?)?;
    ensure!(json["classes"][&class]["ready"] == 1, "{json}");

    // The right to read it goes: reports are skipped and counted, and the last one stays.
    let roles: kube::Api<k8s_openapi::api::rbac::v1::Role> = kube::Api::namespaced(stage.client(), &stage.operator());
    roles.delete(&user, &DeleteParams::default()).await?;
    let skipped = "nsclass_usage_reports_total{result=\"skipped\"}";
    eventually("reports are skipped", async || {
        ensure!(operator.metric(skipped).await? > 1.5, "not yet");
        Ok(())
    })
    .await?;
    let (last, version) = reported(&stage, |_| true).await?;
    let before = operator.metric(skipped).await?;
    eventually("one more is skipped", async || {
        ensure!(operator.metric(skipped).await? > before + 0.5, "not yet");
        Ok(())
    })
    .await?;
    let (still, same) = reported(&stage, |_| true).await?;
    ensure!(still == last && same == version, "{still:?}");
    stage.cp.apply_yaml(&rights(&user, &stage.operator())).await?;
    reported(&stage, |report| report.time > last.time).await?;

    // Off by configuration.
    operator.reconfigure(&config(&stage, false))?;
    let taken = "nsclass_configuration_reloads_total{result=\"taken\"}";
    eventually("the configuration is taken", async || {
        ensure!(operator.metric(taken).await? > 0.5, "not yet");
        Ok(())
    })
    .await?;
    let written = "nsclass_usage_reports_total{result=\"written\"}";
    let (last, count) = (reported(&stage, |_| true).await?, operator.metric(written).await?);
    nsclass_tests::holds_for(std::time::Duration::from_secs(3), "no more reports are written", async || {
        // One may have been under way.
        ensure!(operator.metric(written).await? < count + 1.5, "they are");
        Ok(())
    })
    .await?;
    let (report, _) = reported(&stage, |_| true).await?;
    ensure!(report.time.duration_since(last.0.time).as_secs() <= 1, "{report:?} after {last:?}");
    operator.stop().await
}
