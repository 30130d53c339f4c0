//! Additions beside ours, where nobody may add (class.md C34; the tenant's part of bad input 12).

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::rbac::v1::RoleBinding;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use nsclass_tests::{World, eventually, holds_for};
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, for_objects, items, maps, objects};

fn policy() -> Value {
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": { "name": "deny" },
        "spec": { "podSelector": {}, "policyTypes": ["Ingress"] },
    })
}

fn quota() -> Value {
    json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "small" },
        "spec": { "hard": { "pods": "10" } },
    })
}

/// A tenant with the stock role `edit` in the namespace `short`.
async fn editor(world: &Stage, short: &str) -> Result<Client> {
    let user = world.name("editor");
    let binding: RoleBinding = serde_json::from_value(json!({
        "metadata": { "name": "editors" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user }],
    }))?;
    let bindings: Api<RoleBinding> = Api::namespaced(world.client(), &world.name(short));
    bindings.create(&PostParams::default(), &binding).await?;
    Ok(world.cp.impersonate(&user, &[]))
}

fn policies(world: &World, client: Client, short: &str) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("networking.k8s.io", "v1", "NetworkPolicy");
    let resource = ApiResource::from_gvk_with_plural(&kind, "networkpolicies");
    Api::namespaced_with(client, &world.name(short), &resource)
}

/// Waits until the policy is as the class says; returns it.
async fn as_rendered(policies: &Api<DynamicObject>, what: &str) -> Result<DynamicObject> {
    eventually(what, async || {
        let now = policies.get("deny").await?;
        ensure!(now.data["spec"] == json!({ "podSelector": {}, "policyTypes": ["Ingress"] }), "{}", now.data["spec"]);
        Ok(now)
    })
    .await
}

#[tokio::test]
async fn bad12_an_allow_all_rule_that_a_tenant_adds_beside_ours_is_removed() -> Result<()> {
    let world = Stage::open("bad12-exact").await?;
    world.class("std", items(&[policy(), quota(), config_map("a", &json!({ "k": "1" }))])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let recorded = world.binding("pay").await?.context("no binding")?.status.context("no status")?.inventory;
    let tenant = editor(&world, "pay").await?;
    let (theirs, mark) = (policies(&world, tenant.clone(), "pay"), world.mark().await?);
    let open = Patch::Merge(json!({ "spec": { "ingress": [{}] } }));
    theirs.patch("deny", &PatchParams::default(), &open).await?;
    as_rendered(&theirs, "the rule is gone").await?;
    let asked = for_objects(&world.asked(mark, "pay").await?);
    ensure!(asked.writes().len() == 1, "one patch takes it away:\n{asked}");

    // With our ownership taken along, and with the tracks covered in one request.
    let reset = json!({ "metadata": { "managedFields": [{}] }, "spec": { "ingress": [{}] } });
    theirs.patch("deny", &PatchParams::default(), &Patch::Merge(reset)).await?;
    as_rendered(&theirs, "the rule is gone although nobody's fields were told").await?;
    let instead = json!({ "spec": { "policyTypes": ["Egress"], "egress": [{}], "ingress": [{}] } });
    theirs.patch("deny", &PatchParams::default(), &Patch::Merge(instead)).await?;
    as_rendered(&theirs, "what was changed and what was added are gone").await?;

    let quotas = objects(&world, "pay", "v1", "ResourceQuota", "resourcequotas");
    let more = json!({ "spec": { "hard": { "pods": "99", "services": "1" } } });
    quotas.patch("small", &PatchParams::default(), &Patch::Merge(more)).await?;
    eventually("the quota is as small as it was", async || {
        let spec = quotas.get("small").await?.data["spec"].clone();
        ensure!(spec == json!({ "hard": { "pods": "10" } }), "{spec}");
        Ok(())
    })
    .await?;
    // A config map is the tenant's to extend.
    let extend = Patch::Merge(json!({ "data": { "more": "2" } }));
    maps(&world, "pay").patch("a", &PatchParams::default(), &extend).await?;
    // The quota's own controller writes its status meanwhile, so that a repair may need a second try; then there is rest.
    eventually("rest", async || {
        let mark = world.mark().await?;
        holds_for(Duration::from_secs(3), "the tenant's addition stays", async || {
            let data = maps(&world, "pay").get("a").await?.data.context("no data")?;
            ensure!(data["more"] == "2", "{data:?}");
            Ok(())
        })
        .await?;
        let asked = world.asked(mark, "pay").await?;
        ensure!(asked.is_empty(), "all is set back, and yet:\n{asked}");
        Ok(())
    })
    .await?;
    let after = world.binding("pay").await?.context("no binding")?.status.context("no status")?.inventory;
    ensure!(recorded == after, "what is recorded changed: {recorded:?} to {after:?}");
    Ok(())
}

#[tokio::test]
async fn c34_an_item_may_say_that_nobody_adds_to_it() -> Result<()> {
    let world = Stage::open("c34-exact").await?;
    let annotated = |name: &str, exact: &str| {
        let mut item = config_map(name, &json!({ "k": "1" }));
        item["metadata"]["annotations"] = json!({ "nsclass.io/exact": exact });
        item
    };
    world.class("std", items(&[annotated("closed", "true"), annotated("open", "false")])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let add = Patch::Merge(json!({ "data": { "more": "2" }, "metadata": { "labels": { "theirs": "x" } } }));
    for name in ["open", "closed"] {
        maps(&world, "pay").patch(name, &PatchParams::default(), &add).await?;
    }
    eventually("the addition to the closed one is gone", async || {
        let map = maps(&world, "pay").get("closed").await?;
        ensure!(map.data.as_ref().is_some_and(|data| data.len() == 1), "{:?}", map.data);
        ensure!(map.labels().contains_key("theirs"), "a label is nobody's drift: {:?}", map.labels());
        Ok(())
    })
    .await?;
    let data = maps(&world, "pay").get("open").await?.data.context("no data")?;
    ensure!(data["more"] == "2", "{data:?}");
    Ok(())
}
