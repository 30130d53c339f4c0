//! Things that break in the middle.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kube::Api;
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams};
use nsclass_shared::api::{GitProvider, WatchRule};
use nsclass_tests::git_server::Fault;
use nsclass_tests::{eventually, holds_for};
use serde_json::{Value, json};

use crate::stage::{Stage, definition};

#[tokio::test]
async fn f51_a_leader_that_is_killed_in_the_middle_of_a_window_loses_nothing_and_doubles_nothing() -> Result<()> {
    let stage = Stage::open("f51-killed").await?;
    let operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    // A window that nobody will see the end of.
    let providers: Api<GitProvider> = stage.of("pay");
    let window = json!({ "spec": { "commit": { "window": "10m" } } });
    providers.patch("origin", &PatchParams::default(), &Patch::Merge(window)).await?;
    let before = stage.commits()?;
    stage.put("pay", "one", "debug").await?;
    holds_for(Duration::from_secs(3), "the change waits in its window", async || {
        ensure!(stage.commits()? == before, "it was committed before its window was over");
        Ok(())
    })
    .await?;
    operator.program().kill()?;
    let short = json!({ "spec": { "commit": { "window": "1s" } } });
    providers.patch("origin", &PatchParams::default(), &Patch::Merge(short)).await?;
    let _next = stage.operator().await?;
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    stage.ready().await?;
    ensure!(stage.commits()? == before + 1, "{:?}", stage.origin.log()?);
    Ok(())
}

#[tokio::test]
async fn f51_a_server_that_dies_in_the_middle_of_a_push_gets_each_change_once() -> Result<()> {
    let stage = Stage::open("f51-dies").await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    let before = stage.commits()?;
    stage.server.fault(Fault::DieAfterPush);
    stage.put("pay", "one", "debug").await?;
    eventually("the push was begun", async || {
        ensure!(stage.server.pushes() > 0, "not yet");
        Ok(())
    })
    .await?;
    stage.server.fault(Fault::None);
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    stage.ready().await?;
    ensure!(stage.commits()? == before + 1, "{:?}", stage.origin.log()?);
    Ok(())
}

#[tokio::test]
async fn f57_a_person_who_pushes_while_objects_change_loses_nothing() -> Result<()> {
    let stage = Stage::open("f57-person").await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    stage.ready().await?;
    let person = stage.origin.person("jane")?;
    for round in 0..10 {
        stage.put("pay", "one", &format!("v{round}")).await?;
        person.write("README.md", &format!("Round {round}.\n"))?;
        person.push(&format!("Round {round}"))?;
    }
    stage.file_says("apps/settings.yaml", "level: v9 # or debug").await?;
    let log = stage.origin.log()?;
    ensure!(log.iter().filter(|commit| commit.subject.starts_with("Round ")).count() == 10, "{log:?}");
    ensure!(stage.origin.files()?["README.md"] == "Round 9.\n", "the person's last word is gone");
    Ok(())
}

#[tokio::test]
async fn f23_f50_a_group_whose_server_is_away_flips_no_verdict_drops_nothing_and_comes_back_by_itself() -> Result<()> {
    let stage = Stage::open("f23-away").await?;
    let (group, namespace) = (stage.group(), stage.name("pay"));
    stage.cp.apply_yaml(&definition(&group).to_string()).await?;
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(&group, "v1", "Widget"));
    let widgets: Api<DynamicObject> = Api::namespaced_with(stage.cp.admin(), &namespace, &kind);
    let widget = async |level: &str| {
        let object = json!({
            "apiVersion": format!("{group}/v1"), "kind": "Widget", "metadata": { "name": "big" }, "spec": { "level": level },
        });
        widgets.patch("big", &PatchParams::apply("somebody").force(), &Patch::Apply(object)).await.context("not served")
    };
    eventually("the kind is served", async || widget("one").await).await?;
    let _operator = stage.operator().await?;
    stage.wire().await?;
    let widgets_too = json!({
        "targetRef": { "name": "apps" }, "author": { "user": "test-admin", "groups": ["system:masters"] },
        "rules": [{ "apiGroups": [group], "resources": ["widgets"] }],
    });
    stage.make::<WatchRule>("pay", "widgets", widgets_too).await?;
    let path = format!("apps/{namespace}/{group}/widgets/big.yaml");
    stage.file_says(&path, "level: one").await?;
    stage.ready().await?;

    // The API server is told that somebody else serves the group, who is not there.
    let away = json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": { "name": format!("v1.{group}") },
        "spec": {
            "group": group, "version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 100, "insecureSkipTLSVerify": true,
            "service": { "namespace": "default", "name": "nowhere", "port": 443 },
        },
    });
    let services = ApiResource::from_gvk(&GroupVersionKind::gvk("apiregistration.k8s.io", "v1", "APIService"));
    let services: Api<DynamicObject> = Api::all_with(stage.cp.admin(), &services);
    let name = format!("v1.{group}");
    let local = services.get(&name).await?;
    let mut taken: DynamicObject = serde_json::from_value(away)?;
    taken.metadata.resource_version = local.metadata.resource_version;
    services.replace(&name, &PostParams::default(), &taken).await?;
    eventually("the group is away", async || {
        let conditions = services.get(&name).await?.data["status"]["conditions"].clone();
        let is_away = |is: &Value| is["type"] == "Available" && is["status"] == "False";
        ensure!(conditions.as_array().is_some_and(|all| all.iter().any(is_away)), "{conditions}");
        Ok(())
    })
    .await?;
    // A rule that names what nobody serves has everything looked at again.
    let nothing = json!({
        "targetRef": { "name": "apps" }, "author": { "user": "test-admin", "groups": ["system:masters"] },
        "rules": [{ "apiGroups": [format!("no-{group}")], "resources": ["gadgets"] }],
    });
    stage.make::<WatchRule>("pay", "gadgets", nothing).await?;
    stage.put("pay", "one", "debug").await?;
    stage.file_says("apps/settings.yaml", "level: debug # or debug").await?;
    holds_for(Duration::from_secs(8), "the folder stays valid, and its document there", async || {
        let status = stage.status("GitTarget", "pay", "apps").await?;
        let conditions = status["conditions"].as_array().context("no conditions")?;
        let valid = conditions.iter().find(|is| is["type"] == "RepositoryValid").context("no such condition")?;
        ensure!(valid["status"] == "True", "{valid}");
        ensure!(stage.origin.files()?.contains_key(&path), "the document is gone");
        Ok(())
    })
    .await?;

    services.delete(&name, &DeleteParams::default()).await?;
    eventually("the group is served again", async || widget("two").await).await?;
    stage.file_says(&path, "level: two").await?;
    Ok(())
}
