//! A binding: whole in one write, small, and named like its namespace.

use anyhow::{Context, Result, ensure};
use kube::Api;
use kube::api::{ListParams, PostParams};
use nsclass_shared::api::NamespaceClassBinding;
use serde_json::{Value, json};

use super::{client, create_binding, ensure_refused, refusal};

/// What a class of a platform team is made of, in equal parts, under names as long as theirs.
const KINDS: [(&str, &str, &str); 5] = [
    ("networking.k8s.io", "NetworkPolicy", "allow-from-monitoring"),
    ("", "ResourceQuota", "compute-resources"),
    ("rbac.authorization.k8s.io", "RoleBinding", "team-may-edit"),
    ("", "ConfigMap", "trusted-certificates"),
    ("", "ServiceAccount", "deployer"),
];

/// Ready, of class `team-standard`, with so many objects.
pub(crate) fn binding(namespace: &str, objects: usize) -> Value {
    let entry = |(index, (group, kind, name)): (usize, (&str, &str, &str))| {
        let mut entry = json!({
            "version": "v1", "kind": kind, "namespace": namespace, "name": format!("{name}-{index}"),
            "uid": format!("5e2b1d84-0c1f-4a55-9d2e-1f0d3c9a7{index:03}"),
            "applied": "a1b2c3d4e5f60718-18f6e5d4c3b2a107",
        });
        if !group.is_empty() {
            entry["group"] = json!(group);
        }
        entry
    };
    let inventory: Value = KINDS.into_iter().cycle().take(objects).enumerate().map(entry).collect();
    json!({
        "apiVersion": "nsclass.io/v1alpha1",
        "kind": "NamespaceClassBinding",
        "metadata": { "name": namespace },
        "spec": { "namespaceName": namespace, "className": "team-standard", "instance": "default" },
        "status": {
            "requestedClass": "team-standard",
            "onDelete": "Delete",
            "observedNamespaceUID": "5e2b1d84-0c1f-4a55-9d2e-1f0d3c9a7fff",
            "observedClassGeneration": 3,
            "values": { ".Namespace.Labels.team": "blue" },
            "inventory": inventory,
            "objects": objects,
            "conditions": [{
                "type": "Ready", "status": "True", "reason": "BindingRecorded",
                "message": "the namespace has everything that class team-standard says",
                "lastTransitionTime": "2026-11-29T12:00:00Z", "observedGeneration": 3,
            }, {
                "type": "InScope", "status": "True", "reason": "Selected", "message": "the selector picks the namespace",
                "lastTransitionTime": "2026-11-29T12:00:00Z", "observedGeneration": 3,
            }],
        },
    })
}

#[tokio::test]
async fn a_status_sent_with_a_create_is_kept() -> Result<()> {
    let sent = binding("kept", 2);
    let stored = create_binding(&client().await?, &sent).await?;
    ensure!(stored["status"] == sent["status"] && stored["spec"] == sent["spec"], "{stored:#}");
    Ok(())
}

#[tokio::test]
async fn a_binding_has_no_status_subresource_so_nothing_is_written_in_two_halves() -> Result<()> {
    let client = client().await?;
    create_binding(&client, &binding("one-write", 1)).await?;
    let bindings: Api<NamespaceClassBinding> = Api::all(client);
    let status = refusal(bindings.get_status("one-write").await)?;
    ensure!(status.code == 404, "{status:?}");

    let mut next = bindings.get("one-write").await?;
    next.spec.class_name = "sandbox".to_owned();
    next.status.as_mut().context("the status is kept")?.inventory.clear();
    let replaced = bindings.replace("one-write", &PostParams::default(), &next).await?;
    let inventory = replaced.status.context("the status is kept")?.inventory;
    ensure!(replaced.spec.class_name == "sandbox" && inventory.is_empty(), "{:?} {inventory:?}", replaced.spec);
    Ok(())
}

#[tokio::test]
async fn a_binding_is_named_like_its_namespace_or_refused() -> Result<()> {
    let mut object = binding("pay", 0);
    object["metadata"]["name"] = json!("somebody-else");
    let answer = create_binding(&client().await?, &object).await;
    ensure_refused(
        answer,
        &[
            "spec.namespaceName: Invalid value: must equal metadata.name",
            "set the label nsclass.io/name on the namespace",
        ],
    )?;
    Ok(())
}

#[tokio::test]
async fn bad09_an_inventory_of_301_objects_is_refused_and_one_of_300_is_not() -> Result<()> {
    let client = client().await?;
    ensure_refused(
        create_binding(&client, &binding("inventory-301", 301)).await,
        &["status.inventory", "at most 300 items"],
    )?;
    create_binding(&client, &binding("inventory-300", 300)).await?;
    Ok(())
}

#[tokio::test]
async fn a_binding_of_80_objects_stays_under_20_kilobytes() -> Result<()> {
    let stored = create_binding(&client().await?, &binding("payments-production", 80)).await?;
    let bytes = stored.to_string().len();
    println!("a binding of 80 objects is {bytes} bytes");
    ensure!(bytes < 20_000, "{bytes} bytes");
    Ok(())
}

#[tokio::test]
async fn the_namespaces_of_a_class_are_listed_by_a_field_selector() -> Result<()> {
    let client = client().await?;
    let mut object = binding("selected", 0);
    object["spec"]["className"] = json!("only-here");
    create_binding(&client, &object).await?;
    let bindings: Api<NamespaceClassBinding> = Api::all(client);
    let listed = bindings.list(&ListParams::default().fields("spec.className=only-here")).await?;
    let names: Vec<_> = listed.items.iter().map(|it| it.spec.namespace_name.as_str()).collect();
    ensure!(names == ["selected"], "{names:?}");
    Ok(())
}
