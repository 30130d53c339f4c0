//! What a class may not hold (class.md C14, C15, C19–C23), where admission did not say so first.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::configuration::Configured;
use crate::stage::{Stage, config_map, ensure_maps, follows, items, objects, refused, says};

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// A class with one bad item beside a good one, and what must be said of it.
async fn ensure_each_is_refused(world: &Stage, reason: &str, cases: &[(&str, Value, &[&str])]) -> Result<()> {
    for (short, item, _) in cases {
        world.class(short, items(&[config_map("beside", &json!({})), item.clone()])).await?;
        world.namespace(short).of_class(short).create().await?;
    }
    for (short, _, parts) in cases {
        let message = world.not_ready(short, reason).await?;
        says(&message, &[&["spec.resources[1]"], *parts].concat())?;
        says(&refused(world, short).await?, parts)?;
        ensure_maps(world, short, &[]).await?;
    }
    Ok(())
}

fn with(mut item: Value, field: &str, value: &Value) -> Value {
    item["metadata"][field] = value.clone();
    item
}

#[tokio::test]
async fn bad08_metadata_that_a_class_cannot_set_stops_all_of_the_class() -> Result<()> {
    let world = Stage::open("bad08").await?;
    let map = || config_map("bad", &json!({}));
    let owner = json!([{ "apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "6e2a5f4c-0000-4000-8000-000000000000" }]);
    let role = json!({ "apiVersion": RBAC, "kind": "ClusterRole", "metadata": { "name": "x-{{ .Namespace.Name }}" } });
    ensure_each_is_refused(
        &world,
        "ClassInvalid",
        &[
            ("owner", with(map(), "ownerReferences", &owner), &["metadata.ownerReferences", "remove the field"]),
            (
                "finalizer",
                with(map(), "finalizers", &json!(["example.com/x"])),
                &["metadata.finalizers", "remove the field"],
            ),
            ("generate", with(map(), "generateName", &json!("x-")), &["metadata.generateName", "remove the field"]),
            ("uid", with(map(), "uid", &json!("6e2a5f4c")), &["metadata.uid", "remove the field"]),
            ("version", with(map(), "resourceVersion", &json!("1")), &["metadata.resourceVersion", "remove the field"]),
            ("forged", with(map(), "labels", &json!({ "nsclass.io/managed": "true" })), &["the operator's"]),
            ("scope", with(role, "namespace", &json!("default")), &["metadata.namespace", "is cluster-scoped"]),
        ],
    )
    .await
}

#[tokio::test]
async fn bad08_an_item_in_another_namespace_is_not_rendered() -> Result<()> {
    let world = Stage::open("bad08-ns").await?;
    world
        .class(
            "std",
            items(&[config_map("a", &json!({})), with(config_map("b", &json!({})), "namespace", &json!("default"))]),
        )
        .await?;
    world.namespace("pay").of_class("std").create().await?;
    let message = world.not_ready("pay", "RenderFailed").await?;
    says(&message, &["spec.resources[1].metadata.namespace", "\"default\" is not the namespace", &world.name("pay")])?;
    ensure_maps(&world, "pay", &[]).await
}

#[tokio::test]
async fn c22_no_class_holds_what_is_denied_from_the_start() -> Result<()> {
    let world = Stage::open("c22").await?;
    let object = |api_version: &str, kind: &str, name: &str, fields: Value| {
        let mut item = fields;
        item["apiVersion"] = json!(api_version);
        item["kind"] = json!(kind);
        item["metadata"]["name"] = json!(name);
        item
    };
    let aggregated = json!({ "metadata": { "labels": { "rbac.authorization.k8s.io/aggregate-to-view": "true" } } });
    ensure_each_is_refused(
        &world,
        "GVKDenied",
        &[
            ("binding", object(RBAC, "ClusterRoleBinding", "x", json!({})), &["ClusterRoleBinding x", "built-in rule"]),
            (
                "list",
                object("v1", "ConfigMapList", "x", json!({ "items": [] })),
                &["v1/ConfigMapList", "not in a list"],
            ),
            ("namespace", object("v1", "Namespace", "x", json!({})), &["v1/Namespace", "making namespaces"]),
            (
                "own",
                object("nsclass.io/v1alpha1", "NamespaceClass", "x", json!({})),
                &["nsclass.io/v1alpha1/NamespaceClass"],
            ),
            (
                "webhook",
                object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "x", json!({})),
                &["ValidatingWebhookConfiguration", "requests of the whole cluster"],
            ),
            (
                "priority",
                object("scheduling.k8s.io/v1", "PriorityClass", "x", json!({ "value": 1 })),
                &["PriorityClass", "built-in rule"],
            ),
            (
                "view",
                object(RBAC, "ClusterRole", "x-{{ .Namespace.Name }}", aggregated),
                &["ClusterRole", "such as view"],
            ),
            ("account", object("v1", "ServiceAccount", "default", json!({})), &["ServiceAccount default"]),
            ("root-ca", object("v1", "ConfigMap", "kube-root-ca.crt", json!({})), &["ConfigMap kube-root-ca.crt"]),
        ],
    )
    .await
}

#[tokio::test]
async fn c23_what_only_its_values_make_a_denied_object_is_denied_before_anything_is_applied() -> Result<()> {
    let world = Stage::open("c23-value").await?;
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s", "annotations": { "kubernetes.io/service-account.name": "default" } },
        "type": "{{ .Namespace.Annotations.type | default \"Opaque\" }}",
    });
    world.class("std", items(&[config_map("a", &json!({})), secret])).await?;
    world.namespace("bad").of_class("std").annotation("type", "kubernetes.io/service-account-token").create().await?;
    world.namespace("good").of_class("std").create().await?;
    world.ready("good", "std").await?;
    says(
        &world.not_ready("bad", "GVKDenied").await?,
        &["spec.resources[1].kind (v1/Secret s)", "tokens that do not expire"],
    )?;
    ensure_maps(&world, "bad", &[]).await
}

#[tokio::test]
async fn c23_a_kind_denied_later_keeps_what_is_there_and_says_so() -> Result<()> {
    let world = Stage::open("c23").await?;
    let budget = |min: u8| {
        json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": "web" },
            "spec": { "minAvailable": min, "selector": { "matchLabels": { "app": "web" } } },
        })
    };
    // Only while this test lasts: its kind is in no other one that runs meanwhile.
    let map = |v: &str| config_map("a", &json!({ "v": v }));
    let configured = Configured::begin(&world).await?;
    world.class("std", items(&[map("1"), budget(1)])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let budgets = objects(&world, "pay", "policy/v1", "PodDisruptionBudget", "poddisruptionbudgets");
    let before = budgets.get("web").await?;
    configured.set("policy: { deny: [policy/v1/PodDisruptionBudget] }")?;
    let message = world.not_ready("pay", "GVKDenied").await?;
    says(
        &message,
        &[
            "spec.resources[1].kind (policy/v1/PodDisruptionBudget web)",
            "\"policy/v1/PodDisruptionBudget\" of policy.deny",
        ],
    )?;
    ensure!(budgets.get("web").await? == before, "it was touched");
    // An edit waits with it.
    let edited = world.class("std", items(&[map("2"), budget(2)])).await?;
    says(&refused(&world, "std").await?, &["policy/v1/PodDisruptionBudget is denied"])?;
    ensure!(budgets.get("web").await? == before, "it was touched");
    configured.set("")?;
    follows(&world, "pay", &edited).await?;
    ensure!(budgets.get("web").await?.data["spec"]["minAvailable"] == 2, "the edit is not there");
    configured.end().await
}

fn team_binding(group: &str) -> Value {
    json!({
        "apiVersion": RBAC, "kind": "RoleBinding", "metadata": { "name": "team" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group }],
    })
}

#[tokio::test]
async fn c19_no_grant_is_built_from_what_a_tenant_can_set() -> Result<()> {
    let world = Stage::open("c19").await?;
    let cluster_role = json!({
        "apiVersion": RBAC, "kind": "ClusterRole", "metadata": { "name": "x-{{ .Namespace.Labels.team }}" }, "rules": [],
    });
    ensure_each_is_refused(
        &world,
        "ClassInvalid",
        &[
            (
                "subject",
                team_binding("{{ .Namespace.Labels.team | default \"x\" }}"),
                &["subjects[0].name", ".Namespace.Labels.team"],
            ),
            ("name", cluster_role, &["metadata.name", "the name of a cluster-scoped object"]),
        ],
    )
    .await
}

#[tokio::test]
async fn c19_a_guarded_value_makes_a_grant_but_nobody_of_the_system() -> Result<()> {
    let world = Stage::open("c19-guarded").await?;
    let group = "{{ .Namespace.Annotations.var.nsclass.io/group }}";
    world.class("std", items(&[config_map("a", &json!({})), team_binding(group)])).await?;
    world.namespace("pay").of_class("std").annotation("var.nsclass.io/group", "team:blue").create().await?;
    world.namespace("bad").of_class("std").annotation("var.nsclass.io/group", "system:masters").create().await?;
    world.ready("pay", "std").await?;
    let binding = objects(&world, "pay", RBAC, "RoleBinding", "rolebindings").get("team").await?;
    ensure!(binding.data["subjects"][0]["name"] == "team:blue", "{:?}", binding.data);
    let message = world.not_ready("bad", "RenderFailed").await?;
    says(&message, &["spec.resources[1].subjects[0].name", "\"system:masters\" is a user or group of the system"])?;
    ensure_maps(&world, "bad", &[]).await
}
