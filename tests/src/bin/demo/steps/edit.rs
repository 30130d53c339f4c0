//! A class is edited, and its namespaces follow.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use http::Request;
use http::header::CONTENT_TYPE;
use kube::ResourceExt;
use kube::api::DynamicObject;
use nsclass_shared::api::NamespaceClass;
use serde_json::{Value, json};

use crate::contents::{Contents, value};
use crate::demo::Demo;

/// The namespaces that have the class.
const FOLLOWERS: [&str; 2] = ["payments", "playground"];

pub async fn play(demo: &Demo<'_>) -> Result<()> {
    let name = demo.name("sandbox");
    demo.screen.step(
        "A class is edited, and every namespace follows",
        &format!("Two namespaces have {name}. It gets more pods in its quota, a ConfigMap more and a quota less."),
    );
    let mut before = BTreeMap::new();
    for short in FOLLOWERS {
        before.insert(short, (demo.contents(short, "sandbox").await?, version_of_namespace(demo, short).await?));
    }
    edit(demo, &name).await?;
    for short in FOLLOWERS {
        let (old, old_version) = &before[short];
        let new = follows(demo, short).await?;
        let untouched = ["LimitRange defaults", "NetworkPolicy allow-dns", "NetworkPolicy deny-egress"];
        let claim = format!("{}: the three objects that did not change were not written", demo.name(short));
        demo.fact(claim, async || {
            for title in untouched {
                let version = |contents: &Contents| contents.get(title).and_then(|it| it.object.resource_version());
                ensure!(version(&new).is_some() && version(&new) == version(old), "{title} was written");
            }
            Ok(())
        })
        .await?;
        demo.fact(format!("{}: nobody touched the namespace itself", demo.name(short)), async || {
            let version = version_of_namespace(demo, short).await?;
            ensure!(version == *old_version, "its resourceVersion went from {old_version:?} to {version:?}");
            Ok(())
        })
        .await?;
    }
    Ok(())
}

async fn edit(demo: &Demo<'_>, name: &str) -> Result<()> {
    let class = demo.cluster.class(name).await?.context("the class is gone")?;
    let (compute, public) = (index(&class, "compute")?, index(&class, "nothing-public")?);
    let welcome = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "welcome" },
        "data": { "text": "Welcome to {{ .Namespace.Name }}" },
    });
    let operations = [
        json!({ "op": "replace", "path": format!("/spec/resources/{compute}/spec/hard/pods"), "value": "30" }),
        json!({ "op": "add", "path": "/spec/resources/-", "value": welcome }),
        json!({ "op": "remove", "path": format!("/spec/resources/{public}") }),
    ];
    let lines: Vec<String> = operations.iter().map(|operation| format!("       {operation}")).collect();
    demo.screen.command(&format!("kubectl patch namespaceclass {name} --type json -p '[\n{} ]'", lines.join(",\n")));
    let path = format!("/apis/nsclass.io/v1alpha1/namespaceclasses/{name}");
    let request = Request::patch(path).header(CONTENT_TYPE, "application/json-patch+json");
    let request = request.body(Value::from(operations.to_vec()).to_string().into_bytes())?;
    demo.cluster.client().request::<DynamicObject>(request).await?;
    Ok(())
}

fn index(class: &NamespaceClass, item: &str) -> Result<usize> {
    let is_it = |manifest: &Value| manifest.pointer("/metadata/name").is_some_and(|name| name == item);
    let found = class.spec.resources.iter().position(|manifest| is_it(&manifest.0));
    found.with_context(|| format!("the class has no item {item}"))
}

async fn follows(demo: &Demo<'_>, short: &str) -> Result<Contents> {
    let namespace = demo.name(short);
    demo.claim(
        format!("{namespace}: quota compute says 30 pods, welcome is there, nothing-public is gone"),
        async || {
            let contents = demo.contents(short, "sandbox").await?;
            let pods = value(&contents, "ResourceQuota compute", "/spec/hard/pods")?;
            ensure!(pods == "30", "{pods} pods");
            let text = value(&contents, "ConfigMap welcome", "/data/text")?;
            ensure!(*text == format!("Welcome to {namespace}"), "{text}");
            ensure!(!contents.contains_key("ResourceQuota nothing-public"), "nothing-public is there");
            Ok(contents)
        },
    )
    .await
}

async fn version_of_namespace(demo: &Demo<'_>, short: &str) -> Result<Option<String>> {
    let namespace = demo.cluster.namespace(&demo.name(short)).await?.context("the namespace is gone")?;
    Ok(namespace.resource_version())
}
