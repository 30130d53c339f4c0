//! From items to objects (class.md C10–C17), as far as the server has to agree.

use anyhow::{Result, ensure};
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, ensure_maps, follows, items, maps, objects, refused, says};

#[tokio::test]
async fn c12_missing_variables_are_all_named_and_nothing_is_applied() -> Result<()> {
    let world = Stage::open("c12").await?;
    let first =
        config_map("first", &json!({ "team": "{{ .Namespace.Labels.team }}", "known": "{{ .Namespace.Name }}" }));
    let second = config_map("second", &json!({ "owner": "x-{{ .Namespace.Annotations.example.com/owner }}" }));
    let third = config_map("third", &json!({ "tier": "{{ .Namespace.Labels.tier | default \"small\" }}" }));
    world.class("std", items(&[first, second, third])).await?;
    world.namespace("pay").of_class("std").create().await?;
    let message = world.not_ready("pay", "RenderFailed").await?;
    says(
        &message,
        &[
            "spec.resources[0].data.team (v1/ConfigMap first)",
            "the namespace has no .Namespace.Labels.team",
            "spec.resources[1].data.owner (v1/ConfigMap second)",
            "the namespace has no .Namespace.Annotations.example.com/owner",
        ],
    )?;
    ensure!(!message.contains("tier") && !message.contains("third"), "{message}");
    ensure_maps(&world, "pay", &[]).await?;
    world.label("pay", "team", Some("blue")).await?;
    let annotation = json!({ "metadata": { "annotations": { "example.com/owner": "dora" } } });
    let merge = Patch::Merge(annotation);
    world.namespaces().patch(&world.name("pay"), &PatchParams::default(), &merge).await?;
    world.ready("pay", "std").await?;
    ensure_maps(&world, "pay", &["first", "second", "third"]).await
}

#[tokio::test]
async fn c12_braces_can_be_written_and_an_item_can_be_left_as_it_is() -> Result<()> {
    let world = Stage::open("c12-braces").await?;
    let braces = config_map("braces", &json!({ "helm": "{{ \"{{\" }} .Values.x }}" }));
    let mut raw = config_map("raw", &json!({ "helm": "{{ .Values.x }} {{ if }}" }));
    raw["metadata"]["annotations"] = json!({ "nsclass.io/template": "false" });
    world.class("std", items(&[braces, raw])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    for (name, text) in [("braces", "{{ .Values.x }}"), ("raw", "{{ .Values.x }} {{ if }}")] {
        let map = maps(&world, "pay").get(name).await?;
        ensure!(map.data.as_ref().is_some_and(|d| d["helm"] == text), "{map:?}");
    }
    Ok(())
}

#[tokio::test]
async fn c13_a_whole_value_becomes_a_number_or_a_boolean() -> Result<()> {
    let world = Stage::open("c13").await?;
    let account = json!({
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "worker" },
        "automountServiceAccountToken": "{{ .Namespace.Labels.mount | bool }}",
    });
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": { "name": "web" },
        "spec": { "ports": [{ "port": "{{ .Namespace.Labels.port | default \"80\" | int }}" }] },
    });
    world.class("std", items(&[account, service])).await?;
    world.namespace("pay").of_class("std").label("mount", "false").label("port", "8080").create().await?;
    world.namespace("bad").of_class("std").label("mount", "no").label("port", "high").create().await?;
    world.ready("pay", "std").await?;
    let account = objects(&world, "pay", "v1", "ServiceAccount", "serviceaccounts").get("worker").await?;
    ensure!(account.data["automountServiceAccountToken"] == false, "{:?}", account.data);
    let service = objects(&world, "pay", "v1", "Service", "services").get("web").await?;
    ensure!(service.data["spec"]["ports"][0]["port"] == 8080, "{:?}", service.data);
    let message = world.not_ready("bad", "RenderFailed").await?;
    says(
        &message,
        &["automountServiceAccountToken", "\"no\"", ".Namespace.Labels.mount", "\"high\"", "ports[0].port"],
    )?;
    let account = objects(&world, "bad", "v1", "ServiceAccount", "serviceaccounts").get_opt("worker").await?;
    ensure!(account.is_none(), "{account:?}");
    Ok(())
}

#[tokio::test]
async fn c15_what_a_server_adds_to_a_manifest_is_stripped() -> Result<()> {
    let world = Stage::open("c15").await?;
    let dumped = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": { "name": "web", "creationTimestamp": null },
        "spec": { "minAvailable": 1, "selector": { "matchLabels": { "app": "web" } } },
        "status": { "disruptionsAllowed": 7, "currentHealthy": 7, "desiredHealthy": 7, "expectedPods": 7 },
    });
    world.class("std", items(&[dumped])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let budget = objects(&world, "pay", "policy/v1", "PodDisruptionBudget", "poddisruptionbudgets").get("web").await?;
    ensure!(budget.data["status"]["disruptionsAllowed"] != 7, "{:?}", budget.data);
    ensure!(budget.data["spec"]["minAvailable"] == 1, "{:?}", budget.data);
    let ours = budget.metadata.managed_fields.unwrap_or_default();
    let ours = ours.iter().find(|e| e.manager.as_deref() == Some("nsclass-controller"));
    let fields = ours.and_then(|e| e.fields_v1.as_ref()).map(|f| f.0.to_string()).unwrap_or_default();
    ensure!(fields.contains("f:minAvailable") && !fields.contains("f:status"), "{fields}");
    Ok(())
}

#[tokio::test]
async fn c16_a_name_from_a_variable_must_be_a_name_for_its_kind() -> Result<()> {
    let world = Stage::open("c16").await?;
    let map = config_map("of-{{ .Namespace.Labels.team }}", &json!({}));
    world.class("std", items(&[map])).await?;
    world.namespace("pay").of_class("std").label("team", "Blue_1").create().await?;
    let message = world.not_ready("pay", "RenderFailed").await?;
    says(&message, &["spec.resources[0].metadata.name", "\"of-Blue_1\"", "DNS subdomain"])?;
    ensure_maps(&world, "pay", &[]).await?;
    world.label("pay", "team", Some("blue")).await?;
    world.ready("pay", "std").await?;
    ensure_maps(&world, "pay", &["of-blue"]).await
}

#[tokio::test]
async fn c17_two_items_that_become_one_object_are_duplicates() -> Result<()> {
    let world = Stage::open("c17").await?;
    let variable = config_map("{{ .Namespace.Labels.app }}", &json!({ "from": "variable" }));
    let class = items(&[config_map("fixed", &json!({ "from": "text" })), variable]);
    let class = world.class("std", class).await?;
    world.namespace("pay").of_class("std").label("app", "fixed").create().await?;
    world.namespace("tax").of_class("std").label("app", "other").create().await?;
    let message = world.not_ready("pay", "DuplicateResource").await?;
    says(&message, &["spec.resources[1]", "is the same object as spec.resources[0] (v1/ConfigMap fixed)"])?;
    ensure_maps(&world, "pay", &[]).await?;
    follows(&world, "tax", &class).await?;
    ensure_maps(&world, "tax", &["fixed", "other"]).await
}

#[tokio::test]
async fn c17_another_version_is_the_same_object_and_the_class_says_so() -> Result<()> {
    let world = Stage::open("c17-version").await?;
    let scaler = |version: &str, spec: Value| {
        let target = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" });
        let mut item = json!({ "apiVersion": format!("autoscaling/{version}"), "kind": "HorizontalPodAutoscaler",
            "metadata": { "name": "web" }, "spec": spec });
        item["spec"]["scaleTargetRef"] = target;
        item
    };
    let spec = json!({ "maxReplicas": 3 });
    world.class("std", items(&[scaler("v1", spec.clone()), scaler("v2", spec), config_map("a", &json!({}))])).await?;
    world.namespace("pay").of_class("std").create().await?;
    let parts =
        ["spec.resources[1] (autoscaling/v2/HorizontalPodAutoscaler web)", "is the same object as spec.resources[0]"];
    says(&refused(&world, "std").await?, &parts)?;
    says(&world.not_ready("pay", "ClassInvalid").await?, &parts)?;
    ensure_maps(&world, "pay", &[]).await
}

#[tokio::test]
async fn bad10_values_of_tenants_come_out_as_they_went_in() -> Result<()> {
    let world = Stage::open("bad10").await?;
    let values = [
        "\"double\" and 'single'",
        "{{ .Namespace.Name }}",
        "{{ \"{{\" }}",
        "${HOME} $(id) `id`",
        "one\ntwo\r\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: forged}\n",
        "!!binary aGFsbG8=",
        "&anchor *alias",
        "yes",
        "0644",
        "null",
        "\u{feff}\u{202e}end",
        "",
    ];
    let names: Vec<String> = (0..values.len()).map(|i| format!("note-{i}")).collect();
    let data: serde_json::Map<String, Value> =
        names.iter().map(|n| (n.clone(), json!(format!("{{{{ .Namespace.Annotations.{n} }}}}")))).collect();
    let mut map = config_map("verbatim", &Value::Object(data));
    map["metadata"]["annotations"] = json!({ "copied": "<{{ .Namespace.Annotations.note-4 }}>" });
    world.class("std", items(&[map])).await?;
    let mut namespace = world.namespace("pay").of_class("std");
    for (name, value) in names.iter().zip(values) {
        namespace = namespace.annotation(name, value);
    }
    namespace.create().await?;
    world.ready("pay", "std").await?;
    let map = maps(&world, "pay").get("verbatim").await?;
    let data = map.data.clone().unwrap_or_default();
    for (name, value) in names.iter().zip(values) {
        ensure!(data[name] == value, "{name}: {:?} instead of {value:?}", data[name]);
    }
    ensure!(map.metadata.annotations.is_some_and(|a| a["copied"] == format!("<{}>", values[4])), "annotation");
    ensure_maps(&world, "pay", &["verbatim"]).await
}
