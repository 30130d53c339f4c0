//! The kinds of writing live objects back to Git, as the real API server has them judged.

use anyhow::{Context, Result, ensure};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt};
use nsclass_shared::api::{GitProvider, GitTarget, WatchRule};
use nsclass_tests::eventually;
use serde_json::{Value, json};

use crate::stage::{Stage, denied, says};

impl Stage {
    fn git<K: serde::de::DeserializeOwned>(&self, kind: &str, spec: &Value) -> Result<K> {
        let object = json!({
            "apiVersion": "nsclass.io/v1alpha1", "kind": kind, "metadata": { "name": self.name("x") }, "spec": spec,
        });
        Ok(serde_json::from_value(object)?)
    }
}

#[tokio::test]
async fn bad20_what_the_schema_cannot_hold_is_denied_in_one_answer_and_a_sound_provider_passes() -> Result<()> {
    let stage = Stage::open("bad20-provider").await?;
    let namespace = stage.namespace("pay").create().await?.name_any();
    let providers: Api<GitProvider> = Api::namespaced(stage.cp.admin(), &namespace);
    let bad = json!({ "url": "file:///srv/git/apps", "commit": { "message": "{what}" } });
    let status = denied(providers.create(&PostParams::default(), &stage.git("GitProvider", &bad)?).await)?;
    says(&status.message, &["spec.url", "git.allowLocal", "spec.commit.message", "{what}", "{operation}"])?;
    let good = json!({ "url": "https://git.example.com/team/apps", "commit": { "message": "{operation} {object}" } });
    providers.create(&PostParams::default(), &stage.git("GitProvider", &good)?).await?;
    Ok(())
}

#[tokio::test]
async fn bad20_an_allowed_namespace_that_is_none_is_denied() -> Result<()> {
    let stage = Stage::open("bad20-target").await?;
    let namespace = stage.namespace("pay").create().await?.name_any();
    let targets: Api<GitTarget> = Api::namespaced(stage.cp.admin(), &namespace);
    let bad = json!({ "providerRef": { "name": "origin" }, "branch": "main", "path": "a", "allowedNamespaces": ["*"] });
    let status = denied(targets.create(&PostParams::default(), &stage.git("GitTarget", &bad)?).await)?;
    says(&status.message, &["spec.allowedNamespaces", "one by one"])
}

#[tokio::test]
async fn f58_a_rule_for_what_its_author_may_not_read_is_denied_until_they_may() -> Result<()> {
    let stage = Stage::open("f58-rule").await?;
    let namespace = stage.namespace("pay").create().await?.name_any();
    let user = stage.name("jane");
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": { "name": "writes-rules", "namespace": namespace },
        "rules": [{ "apiGroups": ["nsclass.io"], "resources": ["watchrules"], "verbs": ["create", "get", "patch"] }],
    });
    let bind = |role: &str| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": { "name": role, "namespace": namespace },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user }],
        })
    };
    stage.cp.apply_yaml(&role.to_string()).await?;
    stage.cp.apply_yaml(&bind("writes-rules").to_string()).await?;
    let rules: Api<WatchRule> = Api::namespaced(stage.cp.impersonate(&user, &[]), &namespace);
    let spec = json!({
        "targetRef": { "name": "prod" }, "author": { "user": user },
        "rules": [{ "apiGroups": [""], "resources": ["secrets", "configmaps"] }],
    });
    let written: WatchRule = stage.git("WatchRule", &spec)?;
    let denial = eventually("the rule is judged, and denied", async || {
        denied(rules.create(&PostParams { dry_run: true, ..PostParams::default() }, &written).await)
    });
    says(&denial.await?.message, &["may not get, list, watch secrets", "configmaps", &namespace, "grant it to them"])?;

    let reads = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": { "name": "reads", "namespace": namespace },
        "rules": [{ "apiGroups": [""], "resources": ["secrets", "configmaps"], "verbs": ["get", "list", "watch"] }],
    });
    stage.cp.apply_yaml(&reads.to_string()).await?;
    stage.cp.apply_yaml(&bind("reads").to_string()).await?;
    eventually("who may read may write the rule", async || {
        rules.create(&PostParams::default(), &written).await.context("not yet")
    })
    .await?;

    // In somebody else's name it is denied also where no policy of the API server holds it.
    let name = stage.name("x");
    let other = Patch::Merge(json!({ "spec": { "author": { "user": "root" } } }));
    let status = denied(rules.patch(&name, &PatchParams::default(), &other).await)?;
    says(&status.message, &["spec.author.user", "writes the rule"])?;
    let kinds = json!([{ "apiGroups": [""], "resources": ["events"] }, { "apiGroups": ["nsclass.io"], "resources": ["gittargets"] }]);
    let noise = Patch::Merge(json!({ "spec": { "rules": kinds } }));
    let status = denied(rules.patch(&name, &PatchParams::default(), &noise).await)?;
    says(
        &status.message,
        &["spec.rules[0].resources", "each would be a commit", "spec.rules[1].resources", "the operator's own kinds"],
    )?;
    ensure!(rules.get(&name).await?.spec.author.user == user, "the rule was changed");
    Ok(())
}
