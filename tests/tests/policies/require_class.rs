//! `optional/require-class.yaml`: namespaces that match have a class (admission.md A07). Here its binding is narrowed to namespaces that
//! this test labels.

use anyhow::{Result, ensure};
use nsclass_shared::names::CLASS_LABEL;
use nsclass_tests::eventually;
use serde_json::json;

use crate::ask::Ask;
use crate::lock::switch_on;
use crate::stage::{Stage, at, namespace};
use crate::ways::Change;

const POLICY: &str = "require-class";

#[tokio::test]
async fn a07_a_matching_namespace_is_neither_made_nor_kept_without_a_class() -> Result<()> {
    let stage = Stage::open("a07").await?;
    let class = stage.name("class");
    let member = stage.somebody("member").await?;
    member.may_use(&["class"]).await?;
    // There before the rule.
    let old = stage.namespace_with("old", json!({ "labels": { "a07": "yes" } })).await?;
    let plain = stage.namespace_with("plain", json!({})).await?;
    switch_on(&stage, POLICY, json!({ "matchLabels": { "a07": "yes" } })).await?;

    let (new, fresh) = (stage.name("new"), stage.name("fresh"));
    let post = |labels: serde_json::Value| {
        Ask::post("/api/v1/namespaces", namespace(json!({ "name": new, "labels": labels })))
    };
    let says = ["metadata.labels[nsclass.io/name]", &*new, "must have a class", &*member.user];
    let without = post(json!({ "a07": "yes" }));
    eventually("the rule bites", async || without.clone().dry().denied(&member.client, POLICY, &says).await).await?;
    without.denied(&member.client, POLICY, &says).await?;
    // Whoever asks.
    without.denied(&stage.admin, POLICY, &["must have a class"]).await?;
    post(json!({ "a07": "yes", CLASS_LABEL: "" })).denied(&stage.admin, POLICY, &["must have a class"]).await?;
    Ask::apply(at(&fresh, ""), "somebody", namespace(json!({ "name": fresh, "labels": { "a07": "yes" } })))
        .denied(&member.client, POLICY, &[&fresh])
        .await?;
    post(json!({ "a07": "no" })).dry().done(&member.client).await?;
    post(json!({ "a07": "yes", CLASS_LABEL: class })).done(&member.client).await?;

    // Taking the class away, in any way, though the right is there.
    let live = stage.live(&at(&new, "")).await?;
    for way in Change::class(None).ways(&live) {
        way.denied(&member.client, POLICY, &says).await?;
    }
    // Coming under the rule, and staying under it.
    let matching = Change { map: "labels", key: "a07", value: Some("yes") };
    matching.by_apply(&plain, &at(&plain, ""), "somebody").denied(&member.client, POLICY, &[&plain]).await?;
    let note = json!({ "metadata": { "annotations": { "note": "x" } } });
    Ask::merge(at(&old, ""), note.clone()).denied(&member.client, POLICY, &[&old]).await?;
    Ask::merge(at(&new, ""), note).done(&member.client).await?;
    Change::class(Some(&class)).by_apply(&old, &at(&old, ""), "somebody").dry().done(&member.client).await?;

    // Delete plus create is no way out; a namespace without a class ends as any.
    for (short, name) in [("new", &new), ("old", &old)] {
        Ask::delete(at(name, "")).done(&member.client).await?;
        stage.gone(short).await?;
    }
    without.denied(&member.client, POLICY, &says).await?;
    ensure!(Ask::get(at(&new, "")).send(&stage.admin).await?.is_err(), "it is there again");
    Ok(())
}
