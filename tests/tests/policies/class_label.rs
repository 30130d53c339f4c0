//! `namespace-class.yaml`: the label nsclass.io/name takes the verb `use`.

use anyhow::{Context, Result, ensure};
use nsclass_shared::names::CLASS_LABEL;
use serde_json::json;

use crate::ask::Ask;
use crate::stage::{Stage, at};
use crate::ways::Change;

const POLICY: &str = "namespace-class";

#[tokio::test]
async fn bad06_without_the_right_no_way_leads_into_a_class_out_of_one_or_to_another() -> Result<()> {
    let stage = Stage::open("bad06").await?;
    let (mine, theirs) = (stage.name("mine"), stage.name("theirs"));
    let nobody = stage.somebody("nobody").await?;
    let half = stage.somebody("half").await?;
    half.may_use(&["mine"]).await?;

    let into = ["metadata.labels[nsclass.io/name]", &*nobody.user, "verb use", &*mine, "to put", "ClusterRoleBinding"];
    for birth in Change::class(Some(&mine)).births(&stage.name("new")) {
        birth.denied(&nobody.client, POLICY, &into).await?;
    }
    let free = stage.namespace_with("free", json!({})).await?;
    let before = stage.live(&at(&free, "")).await?;
    for way in Change::class(Some(&mine)).ways(&before) {
        way.denied(&nobody.client, POLICY, &into).await?;
    }
    ensure!(stage.live(&at(&free, "")).await? == before, "something was written");

    let bound = stage.namespace_with("bound", json!({ "labels": { CLASS_LABEL: theirs } })).await?;
    let before = stage.live(&at(&bound, "")).await?;
    let out = [&*half.user, "verb use", &*theirs, "out of it", "resourceNames"];
    for way in [Change::class(Some(&mine)), Change::class(None)].iter().flat_map(|change| change.ways(&before)) {
        way.denied(&half.client, POLICY, &out).await?;
    }
    let ours = stage.namespace_with("ours", json!({ "labels": { CLASS_LABEL: mine } })).await?;
    let before_ours = stage.live(&at(&ours, "")).await?;
    for way in Change::class(Some(&theirs)).ways(&before_ours) {
        way.denied(&half.client, POLICY, &[&half.user, "verb use", &theirs, "to put"]).await?;
    }
    ensure!(stage.live(&at(&bound, "")).await? == before, "something was written");
    ensure!(stage.live(&at(&ours, "")).await? == before_ours, "something was written");
    Ok(())
}

#[tokio::test]
async fn bad06_an_apply_that_no_longer_names_the_class_is_a_removal_like_any_other() -> Result<()> {
    let stage = Stage::open("bad06-apply").await?;
    let class = stage.name("class");
    let nobody = stage.somebody("nobody").await?;
    for (short, rest) in [("main", ""), ("status", "/status")] {
        let name = stage.namespace_with(short, json!({})).await?;
        let path = at(&name, rest);
        Change::class(Some(&class)).by_apply(&name, &path, "setter").done(&stage.admin).await?;
        let removal = Change::class(None).by_apply(&name, &path, "setter");
        removal.denied(&nobody.client, POLICY, &[&class, "out of it"]).await?;
        let left = removal.done(&stage.admin).await?;
        ensure!(left["metadata"]["labels"].get(CLASS_LABEL).is_none(), "the same apply takes it away: {left}");
    }
    Ok(())
}

#[tokio::test]
async fn bad06_with_the_right_every_way_leads_there() -> Result<()> {
    let stage = Stage::open("bad06-may").await?;
    let (first, second) = (stage.name("first"), stage.name("second"));
    let member = stage.somebody("member").await?;
    member.may_use(&["first", "second"]).await?;
    for birth in Change::class(Some(&first)).births(&stage.name("new")) {
        birth.dry().done(&member.client).await?;
    }
    let name = stage.name("pay");
    Ask::post("/api/v1/namespaces", crate::stage::namespace(json!({ "name": name, "labels": { CLASS_LABEL: first } })))
        .done(&member.client)
        .await?;
    let live = stage.live(&at(&name, "")).await?;
    for change in [Change::class(Some(&second)), Change::class(None)] {
        for way in change.ways(&live) {
            let written = way.clone().dry().done(&member.client).await?;
            let label = written["metadata"]["labels"].get(CLASS_LABEL).and_then(|label| label.as_str());
            ensure!(label == change.value, "{way} made it {label:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn writes_that_leave_the_label_alone_need_no_right() -> Result<()> {
    let stage = Stage::open("leave-alone").await?;
    let name = stage.namespace_with("pay", json!({ "labels": { CLASS_LABEL: stage.name("class") } })).await?;
    let nobody = stage.somebody("nobody").await?;
    let live = stage.live(&at(&name, "")).await?;
    for map in ["labels", "annotations"] {
        for way in (Change { map, key: "team", value: Some("blue") }).ways(&live) {
            way.dry().done(&nobody.client).await?;
        }
    }
    // The same value again, by another manager.
    let class = live["metadata"]["labels"][CLASS_LABEL].as_str().context("the label is there")?;
    for way in Change::class(Some(class)).ways(&live) {
        way.dry().done(&nobody.client).await?;
    }
    Ok(())
}
