//! `bindings.yaml`: the operator's record is written by who holds the verb `manage`.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::stage::Stage;

const POLICY: &str = "bindings";
const BINDINGS: &str = "/apis/nsclass.io/v1alpha1/namespaceclassbindings";

fn binding(name: &str, class: &str) -> Value {
    json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClassBinding", "metadata": { "name": name },
        "spec": { "namespaceName": name, "className": class, "instance": "nobodys" },
    })
}

/// Every request that changes this much of a binding.
fn ways(live: &Value, fields: &Value) -> Vec<Ask> {
    let path = format!("{BINDINGS}/{}", live["metadata"]["name"].as_str().unwrap_or_default());
    let mut whole = live.clone();
    let mut operations = Vec::new();
    for (part, inner) in fields.as_object().into_iter().flatten() {
        for (key, value) in inner.as_object().into_iter().flatten() {
            whole[part][key] = value.clone();
        }
        operations.push(json!({ "op": "add", "path": format!("/{part}"), "value": whole[part] }));
    }
    let mut applied = binding(live["metadata"]["name"].as_str().unwrap_or_default(), "");
    applied["spec"] = whole["spec"].clone();
    applied["status"] = fields["status"].clone();
    applied["metadata"]["labels"] = whole["metadata"]["labels"].clone();
    vec![
        Ask::put(&path, whole.clone()),
        Ask::merge(&path, fields.clone()),
        Ask::operations(&path, json!(operations)),
        Ask::apply(&path, "somebody", applied),
    ]
}

#[tokio::test]
async fn bad12_a_tenant_writes_no_binding_and_no_status_of_one() -> Result<()> {
    let stage = Stage::open("bad12-binding").await?;
    let tenant = stage.somebody("tenant").await?;
    let name = stage.name("pay");
    let says = [&*name, "record of the operator", &*tenant.user, "verb manage", "nsclass.io/name"];
    let path = format!("{BINDINGS}/{name}");
    Ask::post(BINDINGS, binding(&name, "")).denied(&tenant.client, POLICY, &says).await?;
    Ask::apply(&path, "somebody", binding(&name, "")).denied(&tenant.client, POLICY, &says).await?;

    let mut made = binding(&name, "team");
    made["status"] = json!({ "requestedClass": "team", "inventory": [] });
    Ask::post(BINDINGS, made).done(&stage.admin).await?;
    let live = stage.live(&path).await?;
    for fields in [
        json!({ "spec": { "className": "other" } }),
        json!({ "status": { "requestedClass": "other" } }),
        json!({ "status": { "inventory": [
            { "group": "", "version": "v1", "kind": "Secret", "namespace": name, "name": "theirs", "uid": "u", "applied": "a" },
        ] } }),
    ] {
        for way in ways(&live, &fields) {
            way.denied(&tenant.client, POLICY, &says).await?;
        }
    }
    Ask::delete(&path).denied(&tenant.client, POLICY, &says).await?;
    let all_of_it = format!("{BINDINGS}?fieldSelector=metadata.name={name}");
    Ask::delete(&all_of_it).denied(&tenant.client, POLICY, &says).await?;
    ensure!(stage.live(&path).await? == live, "something was written");

    // Neither spec nor status: anybody whom RBAC lets.
    for way in ways(&live, &json!({ "metadata": { "labels": { "team": "blue" } } })) {
        way.dry().done(&tenant.client).await?;
    }
    Ok(())
}

#[tokio::test]
async fn who_may_manage_a_binding_writes_that_one() -> Result<()> {
    let stage = Stage::open("manager").await?;
    let manager = stage.somebody("manager").await?;
    let name = stage.name("pay");
    manager.may_manage(&[&name]).await?;
    let path = format!("{BINDINGS}/{name}");
    Ask::post(BINDINGS, binding(&name, "team")).done(&manager.client).await?;
    Ask::merge(&path, json!({ "status": { "requestedClass": "team" } })).done(&manager.client).await?;
    let other = stage.name("tax");
    Ask::post(BINDINGS, binding(&other, "team")).denied(&manager.client, POLICY, &[&other]).await?;
    Ask::delete(&path).done(&manager.client).await?;
    Ok(())
}
