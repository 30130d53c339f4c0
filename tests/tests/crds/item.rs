//! Items are stored as they were written, and one that cannot be an object is refused with the path of what it lacks.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::{class, client, config_map, create_class, ensure_refused};

#[tokio::test]
async fn a_templated_item_is_stored_and_read_back_unchanged() -> Result<()> {
    let item = json!({
        "apiVersion": "example.com/v1",
        "kind": "Anything",
        "metadata": {
            "name": "about-{{ .Namespace.Name }}",
            "labels": { "team": "{{ .Namespace.Labels.team | default \"none\" }}", "example.com/long": "{{ .Class.Name }}" },
            "annotations": {
                "nsclass.io/exact": "true",
                "example.com/json": "{\"a\": [1, 2]}",
                "example.com/lines": "one\n---\ntwo: {{ \"{{\" }}",
            },
            "unknownToAnybody": { "kept": true },
        },
        "spec": {
            "replicas": 3, "big": 9_007_199_254_740_993_i64, "ratio": 0.25, "negative": -1, "on": true, "off": false,
            "typed": "{{ .Namespace.Annotations.replicas | default \"2\" | int }}",
            "none": null, "empty": {}, "list": [], "nested": [[{ "deep": [null, "x", 1, false] }]],
        },
        "data": { "script": "#!/bin/sh\nexit 0\n" },
    });
    let stored = create_class(&client().await?, &class("templated", std::slice::from_ref(&item))).await?;
    ensure!(stored["spec"]["resources"][0] == item, "{:#}", stored["spec"]["resources"][0]);
    Ok(())
}

#[tokio::test]
async fn an_item_without_what_makes_it_an_object_is_refused_by_path() -> Result<()> {
    let client = client().await?;
    let without = |path: &str| {
        let mut item = config_map("a");
        let (parent, key) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = item.pointer_mut(parent).and_then(Value::as_object_mut).expect("the item has it");
        parent.remove(key).expect("the item has it");
        item
    };
    for (item, path) in [
        (without("/apiVersion"), "spec.resources[1].apiVersion: Required value"),
        (without("/kind"), "spec.resources[1].kind: Required value"),
        (without("/metadata"), "spec.resources[1].metadata: Required value"),
        (without("/metadata/name"), "spec.resources[1].metadata.name: Required value"),
        (
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "" } }),
            "spec.resources[1].metadata.name",
        ),
        (
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": 7 } }),
            "spec.resources[1].metadata.name",
        ),
        (json!("kind: ConfigMap"), "spec.resources[1]"),
    ] {
        let answer = create_class(&client, &class("incomplete", &[config_map("a"), item])).await;
        ensure_refused(answer, &[path])?;
    }
    Ok(())
}

#[tokio::test]
async fn bad09_a_hundred_and_one_items_are_refused_with_the_limit() -> Result<()> {
    let client = client().await?;
    let items = |count: usize| (0..count).map(|index| config_map(&format!("item-{index}"))).collect::<Vec<_>>();
    ensure_refused(
        create_class(&client, &class("items-101", &items(101))).await,
        &["spec.resources", "at most 100 items"],
    )?;
    ensure_refused(create_class(&client, &class("items-0", &items(0))).await, &["spec.resources", "at least 1 items"])?;
    create_class(&client, &class("items-100", &items(100))).await?;
    Ok(())
}
