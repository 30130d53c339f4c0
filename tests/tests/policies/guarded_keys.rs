//! `namespace-keys.yaml`: what stands under nsclass.io/ on a namespace, and the configured keys, take the verb `manage`.

use anyhow::{Result, ensure};
use nsclass_shared::names::FINALIZER;
use nsclass_tests::{eventually, policies};
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::stage::{Stage, at};
use crate::ways::Change;

const POLICY: &str = "namespace-keys";

fn key<'a>(map: &'a str, key: &'a str, value: Option<&'a str>) -> Change<'a> {
    Change { map, key, value }
}

#[tokio::test]
async fn bad12_a_tenant_neither_suspends_nor_sets_guarded_keys_in_any_way() -> Result<()> {
    let stage = Stage::open("bad12-keys").await?;
    let tenant = stage.somebody("tenant").await?;
    let name = stage.namespace_with("pay", json!({})).await?;
    let live = stage.live(&at(&name, "")).await?;
    let guarded = [
        ("annotations", "nsclass.io/suspend"),
        ("labels", "nsclass.io/suspend"),
        ("annotations", "nsclass.io/name"),
        ("labels", "var.nsclass.io/team"),
        ("annotations", "var.nsclass.io/team"),
        ("labels", "a.b.nsclass.io/c"),
    ];
    for (map, guarded) in guarded {
        let set = key(map, guarded, Some("true"));
        let place = format!("metadata.{map}[{guarded}]");
        let says = [&*place, &*tenant.user, "verb manage", "NamespaceClassBinding", "ClusterRoleBinding"];
        for way in set.ways(&live) {
            way.denied(&tenant.client, POLICY, &[&says[..], &[&*name]].concat()).await?;
        }
        for birth in set.births(&stage.name("new")) {
            birth.denied(&tenant.client, POLICY, &says).await?;
        }
    }
    ensure!(stage.live(&at(&name, "")).await? == live, "something was written");

    let trusted = json!({ "annotations": { "nsclass.io/suspend": "true", "var.nsclass.io/team": "blue" } });
    let name = stage.namespace_with("tax", trusted).await?;
    let live = stage.live(&at(&name, "")).await?;
    for way in
        [None, Some("red")].iter().flat_map(|value| key("annotations", "var.nsclass.io/team", *value).ways(&live))
    {
        way.denied(&tenant.client, POLICY, &["metadata.annotations[var.nsclass.io/team]"]).await?;
    }
    let all = Ask::merge(at(&name, ""), json!({ "metadata": { "annotations": null } }));
    all.denied(&tenant.client, POLICY, &["and 1 more"]).await?;
    ensure!(stage.live(&at(&name, "")).await? == live, "something was written");
    Ok(())
}

#[tokio::test]
async fn bad12_our_finalizer_is_no_tenants_to_set_or_take_off() -> Result<()> {
    let stage = Stage::open("bad12-final").await?;
    let tenant = stage.somebody("tenant").await?;
    let name = stage.namespace_with("pay", json!({ "finalizers": ["example.com/theirs"] })).await?;
    let finalizers = |list: Value| Ask::merge(at(&name, ""), json!({ "metadata": { "finalizers": list } }));
    let says = ["metadata.finalizers[nsclass.io/finalizer]", "verb manage"];
    finalizers(json!(["example.com/theirs", FINALIZER])).denied(&tenant.client, POLICY, &says).await?;
    let mut whole = stage.live(&at(&name, "")).await?;
    whole["spec"]["finalizers"] = json!(["kubernetes", "nsclass.io/stay"]);
    Ask::put(at(&name, "/finalize"), whole).denied(&tenant.client, POLICY, &["nsclass.io/stay"]).await?;
    finalizers(json!(["example.com/theirs", FINALIZER])).done(&stage.admin).await?;
    finalizers(json!(["example.com/theirs"])).denied(&tenant.client, POLICY, &says).await?;
    // Everybody else's are not our business.
    finalizers(json!([FINALIZER])).done(&tenant.client).await?;
    finalizers(json!([])).done(&stage.admin).await?;
    Ok(())
}

#[tokio::test]
async fn the_right_on_one_binding_opens_one_namespace_and_the_right_on_all_opens_all() -> Result<()> {
    let stage = Stage::open("manage").await?;
    let (pay, tax) = (stage.namespace_with("pay", json!({})).await?, stage.namespace_with("tax", json!({})).await?);
    let one = stage.somebody("one").await?;
    one.may_manage(&[&pay]).await?;
    let all = stage.somebody("all").await?;
    all.may_manage(&[]).await?;
    let set = key("annotations", "nsclass.io/suspend", Some("true"));
    for (name, mine) in [(&pay, true), (&tax, false)] {
        for way in set.ways(&stage.live(&at(name, "")).await?) {
            way.clone().dry().done(&all.client).await?;
            if mine {
                way.dry().done(&one.client).await?;
            } else {
                way.denied(&one.client, POLICY, &[name]).await?;
            }
        }
    }
    for birth in set.births(&stage.name("new")) {
        birth.clone().dry().done(&all.client).await?;
        birth.denied(&one.client, POLICY, &[]).await?;
    }
    Ok(())
}

#[tokio::test]
async fn c19_keys_listed_in_the_policy_are_guarded_as_well() -> Result<()> {
    let stage = Stage::open("c19-keys").await?;
    let tenant = stage.somebody("tenant").await?;
    let name = stage.namespace_with("pay", json!({})).await?;
    // A key of this test's own, so that no other meets it.
    let owner = format!("{}.example.com/owner", stage.name("keys"));
    let listed = policies::policy(POLICY)?.replace("expression: \"[]\"", &format!("expression: \"['{owner}']\""));
    ensure!(listed.contains(&owner), "the policy has no empty list of guarded keys any more");
    stage.cp.apply_yaml(&listed).await?;
    let set = Ask::merge(at(&name, ""), json!({ "metadata": { "labels": { &*owner: "blue" } } }));
    let place = format!("metadata.labels[{owner}]");
    eventually("the key is guarded", async || set.clone().dry().denied(&tenant.client, POLICY, &[&place]).await)
        .await?;
    let live = stage.live(&at(&name, "")).await?;
    for way in ["labels", "annotations"].iter().flat_map(|map| key(map, &owner, Some("blue")).ways(&live)) {
        way.denied(&tenant.client, POLICY, &[&owner]).await?;
    }
    set.done(&stage.admin).await?;
    Ok(())
}
