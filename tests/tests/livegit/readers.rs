//! Nobody reads through us (folders.md F58).

use anyhow::{Result, ensure};
use kube::api::{Patch, PatchParams};
use nsclass_shared::api::{GitTarget, WatchRule};
use nsclass_tests::eventually;
use serde_json::json;

use crate::stage::Stage;

#[tokio::test]
async fn f58_a_rule_reads_only_what_its_author_may_and_starts_when_they_may() -> Result<()> {
    let stage = Stage::open("f58-author").await?;
    let _operator = stage.operator().await?;
    stage.provider("pay", json!({})).await?;
    stage.target("pay", "apps", json!({})).await?;
    let (user, namespace) = (stage.name("jane"), stage.name("pay"));
    let spec = json!({
        "targetRef": { "name": "apps" }, "author": { "user": user },
        "rules": [{ "apiGroups": [""], "resources": ["configmaps"] }],
    });
    stage.put("pay", "one", "debug").await?;
    stage.make::<WatchRule>("pay", "maps", spec).await?;
    let status = stage.until("WatchRule", "pay", "maps", "Stalled", "True", "Forbidden").await?;
    let said = status["conditions"].to_string();
    ensure!(said.contains(&user) && said.contains("may not get, list, watch configmaps"), "{said}");
    ensure!(stage.commits()? == 1, "it was read all the same: {:?}", stage.origin.log()?);

    for object in [
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": { "name": "reads", "namespace": namespace },
            "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"] }],
        }),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": { "name": "reads", "namespace": namespace },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reads" },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user }],
        }),
    ] {
        stage.cp.apply_yaml(&object.to_string()).await?;
    }
    // Who was refused is asked about again within seconds.
    stage.until("WatchRule", "pay", "maps", "Ready", "True", "Streaming").await?;
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    Ok(())
}

#[tokio::test]
async fn f58_a_target_takes_rules_from_another_namespace_only_while_it_names_it() -> Result<()> {
    let stage = Stage::open("f58-foreign").await?;
    stage.managed_namespace("git").await?;
    let _operator = stage.operator().await?;
    stage.provider("git", json!({})).await?;
    stage.target("git", "apps", json!({})).await?;
    let target = json!({ "name": "apps", "namespace": stage.name("git") });
    stage.put("pay", "one", "debug").await?;
    stage.rule("pay", "maps", &["configmaps"], target).await?;
    stage.until("WatchRule", "pay", "maps", "Stalled", "True", "TargetForeign").await?;
    ensure!(stage.commits()? == 1, "{:?}", stage.origin.log()?);
    let targets: kube::Api<GitTarget> = stage.of("git");
    let allow = |names: &[String]| Patch::Merge(json!({ "spec": { "allowedNamespaces": names } }));
    targets.patch("apps", &PatchParams::default(), &allow(&[stage.name("pay")])).await?;
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    targets.patch("apps", &PatchParams::default(), &allow(&[])).await?;
    stage.until("WatchRule", "pay", "maps", "Stalled", "True", "TargetForeign").await?;
    eventually("the target says that it has no rules", async || {
        let status = targets.get("apps").await?.status.unwrap_or_default();
        ensure!(status.rules == 0, "{status:?}");
        Ok(())
    })
    .await
}
