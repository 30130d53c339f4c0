//! What it takes, and no more: the controller under the roles of the chart, by the API server's audit log.

use anyhow::{Result, ensure};
use kube::Api;
use kube::api::PostParams;
use nsclass_shared::api::ClusterWatchRule;
use nsclass_shared::config::Config;
use nsclass_shared::rights::own::Grant;
use nsclass_tests::rights::{own_objects, unused};
use nsclass_tests::{OPERATOR_NAMESPACE, eventually};
use serde_json::json;

use crate::stage::Stage;

/// Granted, and not used here: why.
const FOR_OTHER_DAYS: [(&str, &str); 1] = [("patch events.events.k8s.io", "an event that repeats for minutes")];

#[tokio::test]
async fn under_the_charts_roles_nothing_is_denied_and_nothing_is_granted_for_nothing() -> Result<()> {
    let stage = Stage::open("git-rights").await?;
    let mark = stage.cp.audit().mark().await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    // What is in no namespace goes to a folder of its own.
    stage.target("pay", "cluster", json!({})).await?;
    let name = stage.name("urgent");
    let class = json!({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 7,
        "metadata": { "name": name, "labels": { "kept": name } },
    });
    stage.cp.apply_yaml(&class.to_string()).await?;
    let rule = json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "ClusterWatchRule", "metadata": { "name": name },
        "spec": {
            "targetRef": { "name": "cluster", "namespace": stage.name("pay") },
            "author": { "user": "test-admin", "groups": ["system:masters"] },
            "rules": [{
                "apiGroups": ["scheduling.k8s.io"], "resources": ["priorityclasses"],
                "labelSelector": { "matchLabels": { "kept": name } },
            }],
        },
    });
    let rules: Api<ClusterWatchRule> = Api::all(stage.cp.admin());
    rules.create(&PostParams::default(), &serde_json::from_value(rule)?).await?;
    let path = format!("cluster/_cluster/scheduling.k8s.io/priorityclasses/{name}.yaml");
    stage.file_says(&path, "value: 7").await?;
    stage.put("pay", "one", "debug").await?;
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    stage.ready().await?;
    eventually("the cluster rule says that it streams", async || {
        let status = rules.get(&name).await?.status.unwrap_or_default();
        ensure!(status.streaming == 1, "{status:?}");
        Ok(())
    })
    .await?;

    let user = format!("system:serviceaccount:{OPERATOR_NAMESPACE}:{}", stage.name("controller"));
    let granted = Grant::ControllerGit.rules(&own_objects(&Config::default(), ""));
    eventually("every right of it is used", async || {
        let requests = stage.cp.audit().since(mark).await?.by_user(&user);
        let mut left = unused(&granted, &requests);
        left.retain(|right| !FOR_OTHER_DAYS.iter().any(|(allowed, _)| allowed == right));
        ensure!(left.is_empty(), "the controller may do what no test does: {left:#?}");
        Ok(())
    })
    .await?;
    let requests = stage.cp.audit().since(mark).await?.by_user(&user);
    let denied = requests.filter(|request| matches!(request.code, 401 | 403));
    ensure!(denied.is_empty(), "denied:\n{denied}");
    rules.delete(&name, &kube::api::DeleteParams::default()).await?;
    Ok(())
}
