//! Into the scope and out of it, by a label.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kube::{ResourceExt, api::DeleteParams};
use nsclass_shared::names::CLASS_LABEL;
use nsclass_tests::{eventually, holds_for};

use crate::stage::{Stage, class, debug, verdict};

#[tokio::test]
async fn c08_s33_a_label_takes_a_namespace_in_and_out_with_nothing_restarted_and_nothing_deleted() -> Result<()> {
    let world = Stage::open("s33").await?;
    let operator = world.operator("one", &["in"]).await?;
    world.class("std", class(&["kept", "lost"], "1")).await?;
    world.namespace("pay").of_class("std").create().await?;
    let name = world.name("pay");
    eventually("it is seen", async || {
        ensure!(verdict(&operator, &name).await? == "OutOfScope", "not yet");
        Ok(())
    })
    .await?;
    let mark = world.cp.audit().mark().await?;
    holds_for(Duration::from_secs(1), "out of scope, it gets nothing", async || {
        ensure!(world.binding("pay").await?.is_none(), "it is bound");
        Ok(())
    })
    .await?;
    let requests = world.cp.audit().since(mark).await?.filter(|r| r.name == name || r.namespace == name);
    ensure!(requests.by_agent("nsclass-controller").is_empty(), "{requests}");

    world.mark("pay", Some("in")).await?;
    world.kept_by("pay", "one").await?;
    let kept = world.maps("pay").get("kept").await?;
    let shown = debug(&operator, &format!("?namespace={name}")).await?;
    ensure!(shown["namespaces"][0]["lastFlip"]["direction"] == "Entered", "{shown}");

    world.mark("pay", Some("elsewhere")).await?;
    world.given_up("pay").await?;
    // What happens while it is away is nobody's business: a lost object, an edit of the class, even the label that asks for it.
    let mark = world.cp.audit().mark().await?;
    world.maps("pay").delete("lost", &DeleteParams::default()).await?;
    world.class("std", class(&["kept", "lost"], "2")).await?;
    world.leave("pay").await?;
    holds_for(Duration::from_secs(3), "nothing changes while it is away", async || {
        let there = world.maps("pay").get("kept").await?;
        ensure!(there.resource_version() == kept.resource_version(), "{there:?}");
        ensure!(world.maps("pay").get_opt("lost").await?.is_none(), "it was repaired");
        Ok(())
    })
    .await?;
    let requests = world.cp.audit().since(mark).await?.filter(|r| r.name == name || r.namespace == name);
    let ours = requests.by_agent("nsclass-controller");
    ensure!(ours.is_empty(), "out of scope, and yet:\n{ours}");

    world.label("pay", CLASS_LABEL, Some(&world.name("std"))).await?;
    world.mark("pay", Some("in")).await?;
    eventually("it is as its class says now", async || {
        for map in ["kept", "lost"] {
            let data = world.maps("pay").get(map).await?.data.context("no data")?;
            ensure!(data["value"] == "2", "{map}: {data:?}");
        }
        Ok(())
    })
    .await?;
    world.kept_by("pay", "one").await?;
    ensure!(world.maps("pay").get("kept").await?.uid() == kept.uid(), "made anew");
    operator.program().ensure_running()
}

#[tokio::test]
async fn s33_leaving_class_and_scope_in_one_edit_deletes_nothing() -> Result<()> {
    let world = Stage::open("s33-both").await?;
    let operator = world.operator("one", &["in"]).await?;
    world.class("std", class(&["a"], "1")).await?;
    for round in 0..5 {
        let namespace = format!("n{round}");
        world.namespace(&namespace).of_class("std").label(crate::stage::LABEL, world.value("in")).create().await?;
        world.kept_by(&namespace, "one").await?;
        let labels = serde_json::json!({ CLASS_LABEL: null, crate::stage::LABEL: null });
        let patch = kube::api::Patch::Merge(serde_json::json!({ "metadata": { "labels": labels } }));
        world.namespaces().patch(&world.name(&namespace), &kube::api::PatchParams::default(), &patch).await?;
        world.given_up(&namespace).await?;
        world.maps(&namespace).get("a").await.context("the class says optOutDelay: 0s, but the scope was left too")?;
    }
    operator.program().ensure_running()
}

#[tokio::test]
async fn c42_what_is_owed_of_a_namespace_that_left_the_scope_is_collected_when_it_goes() -> Result<()> {
    let world = Stage::open("c42-out").await?;
    let operator = world.operator("one", &["in"]).await?;
    let mut spec = class(&["a"], "1");
    let role = serde_json::json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": "{{ .Namespace.Name }}-reader" },
        "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }],
    });
    spec["resources"].as_array_mut().context("items")?.push(role);
    world.class("std", spec).await?;
    world.namespace("pay").of_class("std").label(crate::stage::LABEL, world.value("in")).create().await?;
    world.kept_by("pay", "one").await?;
    world.mark("pay", None).await?;
    world.given_up("pay").await?;
    world.delete_namespace("pay").await?;
    world.gone("pay").await?;
    world.unbound("pay").await?;
    let roles: kube::Api<k8s_openapi::api::rbac::v1::ClusterRole> = kube::Api::all(world.client());
    let left = roles.get_opt(&format!("{}-reader", world.name("pay"))).await?;
    ensure!(left.is_none(), "{left:?}");
    operator.program().ensure_running()
}
