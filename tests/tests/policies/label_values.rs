//! Values and keys that are nearly those of a class (faults.md, bad input 7). What the operator makes of them is its own suite's.

use anyhow::{Result, ensure};
use nsclass_shared::names::CLASS_LABEL;
use serde_json::json;

use crate::ask::Ask;
use crate::stage::{Stage, at};
use crate::ways::Change;

#[tokio::test]
async fn bad07_an_empty_class_is_nobodys_to_set_but_who_may_use_all() -> Result<()> {
    let stage = Stage::open("bad07-empty").await?;
    let member = stage.somebody("member").await?;
    member.may_use(&["team"]).await?;
    let all = stage.somebody("all").await?;
    all.may(&["use"], "nsclass.io", "namespaceclasses", &[]).await?;
    let says = ["an empty value names no class", "remove the label"];
    for birth in Change::class(Some("")).births(&stage.name("new")) {
        birth.denied(&member.client, "namespace-class", &says).await?;
        birth.dry().done(&all.client).await?;
    }
    let name = stage.namespace_with("pay", json!({ "labels": { CLASS_LABEL: stage.name("team") } })).await?;
    let live = stage.live(&at(&name, "")).await?;
    for way in Change::class(Some("")).ways(&live) {
        way.denied(&member.client, "namespace-class", &says).await?;
    }
    // Leaving is removing.
    Change::class(None).ways(&live)[0].done(&member.client).await?;
    Ok(())
}

#[tokio::test]
async fn bad07_only_the_exact_name_is_granted() -> Result<()> {
    let stage = Stage::open("bad07-names").await?;
    let team = stage.name("team");
    let member = stage.somebody("member").await?;
    member.may_use(&["team"]).await?;
    let name = stage.namespace_with("pay", json!({})).await?;
    let live = stage.live(&at(&name, "")).await?;
    for near in
        [team.to_uppercase(), format!("{team}x"), format!("{team}.x"), team[1..].to_owned(), team.replace('-', "_")]
    {
        for way in Change::class(Some(&near)).ways(&live) {
            way.denied(&member.client, "namespace-class", &[&near]).await?;
        }
    }
    // No label value at all, whoever asks.
    for impossible in ["a".repeat(64), format!("{team} "), format!("{team}/"), "téam".to_owned()] {
        let refused = Change::class(Some(&impossible)).ways(&live)[1].send(&stage.admin).await?;
        ensure!(refused.is_err_and(|status| status.code == 422), "{impossible:?} was taken");
    }
    ensure!(stage.live(&at(&name, "")).await? == live, "something was written");
    Ok(())
}

#[tokio::test]
async fn bad07_keys_that_look_like_ours_are_the_tenants_own() -> Result<()> {
    let stage = Stage::open("bad07-keys").await?;
    let name = stage.namespace_with("pay", json!({})).await?;
    let nobody = stage.somebody("nobody").await?;
    for key in
        ["xnsclass.io/name", "nsclass.io.example.com/name", "nsclass.iox/name", "nsclass.io", "nsclass/name", "name"]
    {
        for map in ["labels", "annotations"] {
            let patch = json!({ "metadata": { map: { key: "value" } } });
            Ask::merge(at(&name, ""), patch).done(&nobody.client).await?;
        }
    }
    // A subdomain is ours.
    let patch = json!({ "metadata": { "labels": { "x.nsclass.io/name": "value" } } });
    Ask::merge(at(&name, ""), patch).denied(&nobody.client, "namespace-keys", &["x.nsclass.io/name"]).await?;
    Ok(())
}
