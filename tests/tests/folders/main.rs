//! The folder engine against the real API server: what is written back into a folder is what runs, and nothing else changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube::api::{Patch, PatchParams};
use kube::{Api, Client};
use nsclass_manifests::kinds::{KindTable, Kinds, Scope};
use nsclass_tests::{ControlPlane, Program, World, assets};
use serde_json::{Value, json};

const KUSTOMIZATION: &str = "\
# What team A runs.
namespace: NAMESPACE
resources:
  - apps.yaml # both of them
  # - later.yaml
  - config/settings.yaml
";

const APPS: &str = "\
# Owned by team A.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: { app: web } # the label that the service selects
spec:
  # Two are enough at night.
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: web   # the only one
        image: 'registry.example/web:1.0'
        args: [ \"--quiet\" ]
---
# A second document, which nobody changes.
apiVersion: v1
kind: ConfigMap
metadata: {name: untouched}
data: {a: '1'} # as it stands
";

const SETTINGS: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  level: info      # or debug
  banner: |
    hello
    world
";

fn write_folder(dir: &Path, namespace: &str) -> Result<()> {
    fs::create_dir(dir.join("config"))?;
    fs::write(dir.join("kustomization.yaml"), KUSTOMIZATION.replace("NAMESPACE", namespace))?;
    fs::write(dir.join("apps.yaml"), APPS)?;
    fs::write(dir.join("config/settings.yaml"), SETTINGS)?;
    Ok(())
}

/// Every file below a directory, with its bytes.
fn files(dir: &Path) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(next) = todo.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                todo.push(path);
            } else {
                found.insert(path.strip_prefix(dir)?.display().to_string(), fs::read_to_string(&path)?);
            }
        }
    }
    Ok(found)
}

/// What `kubectl apply -k` would send: the real kustomize's output.
fn kustomize(dir: &Path) -> Result<String> {
    let program = assets::find(&assets::KUSTOMIZE)?.join("kustomize");
    let output = Command::new(program).arg("build").arg(dir).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// Runs `nsclass folder put` with these live objects.
async fn put(dir: &Path, live: &[Value]) -> Result<()> {
    let list = tempfile::NamedTempFile::new()?;
    fs::write(list.path(), serde_json::to_vec(&json!({ "apiVersion": "v1", "kind": "List", "items": live }))?)?;
    let tool = Program::named("nsclass").args(["folder", "put"]).arg(dir).arg("-f").arg(list.path()).start().await?;
    let status = tool.wait(Duration::from_secs(60)).await?;
    ensure!(status.success(), "{status}: {}{}", tool.stdout()?, tool.stderr()?);
    Ok(())
}

#[tokio::test]
async fn f43_changed_live_objects_come_back_into_the_folder_and_nothing_else_changes() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let world = World::new(cp, "f43");
    world.namespace("a").create().await?;
    let namespace = world.name("a");
    let folder = tempfile::tempdir()?;
    let dir = folder.path();
    write_folder(dir, &namespace)?;
    cp.apply_yaml(&kustomize(dir)?).await?;
    let before = files(dir)?;

    let deployments: Api<Deployment> = Api::namespaced(world.client(), &namespace);
    let maps: Api<ConfigMap> = Api::namespaced(world.client(), &namespace);
    let scale = json!({ "spec": { "replicas": 5 } });
    deployments.patch("web", &PatchParams::default(), &Patch::Merge(scale)).await?;
    let level = json!({ "data": { "level": "debug" } });
    maps.patch("settings", &PatchParams::default(), &Patch::Merge(level)).await?;
    let live = live_objects(&world.client(), &namespace).await?;

    put(dir, &live).await?;
    let after = files(dir)?;
    let mut expected = before.clone();
    expected.insert("config/settings.yaml".into(), SETTINGS.replace("level: info ", "level: debug "));
    ensure!(after["config/settings.yaml"] == expected["config/settings.yaml"], "{}", after["config/settings.yaml"]);
    ensure!(after["kustomization.yaml"] == before["kustomization.yaml"], "the kustomization changed");
    ensure!(after.keys().eq(before.keys()), "files came or went: {:?}", after.keys());
    let apps = &after["apps.yaml"];
    ensure!(apps.contains("  # Two are enough at night.\n  replicas: 5\n"), "{apps}");
    ensure!(!apps.contains("namespace:"), "a namespace was written:\n{apps}");
    let (_, second_before) = APPS.split_once("---\n").context("two documents")?;
    let (first, second) = apps.split_once("---\n").context("two documents")?;
    ensure!(second == second_before, "the sibling changed:\n{second}");
    for comment in ["# Owned by team A.", "# the label that the service selects", "# the only one"] {
        ensure!(first.contains(comment), "{comment} is lost:\n{first}");
    }

    put(dir, &live).await?;
    ensure!(files(dir)? == after, "a second run changed something");
    // And the folder now says what runs: applying it changes nothing.
    let versions = |objects: &[Value]| objects.iter().map(|o| o["metadata"]["generation"].clone()).collect::<Vec<_>>();
    cp.apply_yaml(&kustomize(dir)?).await?;
    let again = live_objects(&world.client(), &namespace).await?;
    ensure!(versions(&again) == versions(&live), "applying the folder changed the objects");
    ensure!(again[1]["data"] == live[1]["data"], "{} became {}", live[1], again[1]);
    Ok(())
}

async fn live_objects(client: &Client, namespace: &str) -> Result<Vec<Value>> {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), namespace);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let typed = |kind: &str, api_version: &str, mut value: Value| {
        value["kind"] = json!(kind);
        value["apiVersion"] = json!(api_version);
        value
    };
    Ok(vec![
        typed("Deployment", "apps/v1", serde_json::to_value(deployments.get("web").await?)?),
        typed("ConfigMap", "v1", serde_json::to_value(maps.get("settings").await?)?),
    ])
}

#[tokio::test]
async fn f03_the_built_in_kinds_are_those_of_the_api_server() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let client = cp.admin();
    let mut lists = vec![(String::new(), client.list_core_api_resources("v1").await?)];
    for group in client.list_api_groups().await?.groups {
        for version in &group.versions {
            lists.push((group.name.clone(), client.list_api_group_resources(&version.group_version).await?));
        }
    }
    let table = KindTable::builtin();
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for (group, list) in lists {
        for resource in list.resources.iter().filter(|resource| !resource.name.contains('/')) {
            let scope = if resource.namespaced { Scope::Namespaced } else { Scope::Cluster };
            let known = table.find(&group, &resource.kind);
            seen += 1;
            if known.is_none_or(|known| *known.resource != *resource.name || known.scope != scope) {
                wrong.push(format!("{group}/{} ({}): {known:?}", resource.kind, resource.name));
            }
        }
    }
    ensure!(seen > 50 && wrong.is_empty(), "of {seen}: {wrong:#?}");
    Ok(())
}

#[tokio::test]
async fn f38_outside_a_graph_every_string_means_to_the_api_server_what_it_meant_live() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let world = World::new(cp, "f38");
    world.namespace("a").create().await?;
    let namespace = world.name("a");
    let words = [
        "yes",
        "no",
        "on",
        "y",
        "N",
        "true",
        "False",
        "null",
        "~",
        "",
        " ",
        "0644",
        "0o17",
        "0x1F",
        "1_000",
        "012",
        "1:2",
        "1e3",
        "1.0",
        ".5",
        ".inf",
        "-.NaN",
        "2026-11-29",
        "2026-11-29T10:00:00Z",
        "=",
        "<<",
        "*a",
        "&a",
        "!x",
        "%y",
        "@z",
        "`w",
        "- a",
        "a: b",
        "a #b",
        "#c",
        "\"q\"",
        "it's",
        "tab\there",
        "line\nbreak",
        "ends\n",
        "\n\nleads",
        " spaces ",
        "é ü 漢字",
        "a\\b",
        "{x}",
        "[y]",
        "---",
    ];
    let data: BTreeMap<String, &str> = words.iter().enumerate().map(|(i, word)| (format!("k{i:02}"), *word)).collect();
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("words.yaml");
    fs::write(
        &file,
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: words\n  namespace: {namespace}\ndata:\n  k00: x # stays\n"
        ),
    )?;
    let live = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "words", "namespace": namespace }, "data": data,
    });
    put(folder.path(), std::slice::from_ref(&live)).await?;
    // The API server's own decoder reads the bytes that were written.
    let text = fs::read_to_string(&file)?;
    let url = format!("/api/v1/namespaces/{namespace}/configmaps");
    let request =
        http::Request::post(url).header("content-type", "application/yaml").body(text.clone().into_bytes())?;
    let stored: ConfigMap = world.client().request(request).await.with_context(|| text.clone())?;
    ensure!(serde_json::to_value(stored.data)? == json!(data), "{text}");
    ensure!(text.contains("# stays"), "{text}");
    Ok(())
}
