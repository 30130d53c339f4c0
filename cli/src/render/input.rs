use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Namespace;
use crate::input::{documents, shown};

/// What there is to render, for whom.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) class_name: String,
    pub(super) spec: Value,
    pub(super) namespace: Namespace,
}

/// Reads the class and the namespace, from two files or from one.
pub(super) fn read(class: &Path, namespace: Option<&Path>) -> Result<Input> {
    let own = documents(class)?;
    let others = match namespace {
        None => None,
        Some(path) if path == class => None,
        Some(path) => Some(documents(path)?),
    };
    let found = the_only("NamespaceClass", &own).with_context(|| shown(class))?;
    let class_name = name(found, "NamespaceClass").with_context(|| shown(class))?;
    let spec = found["spec"].clone();
    let place = namespace.unwrap_or(class);
    let found = the_only("Namespace", others.as_ref().unwrap_or(&own)).with_context(|| shown(place))?;
    Ok(Input { class_name, spec, namespace: namespace_of(found).with_context(|| shown(place))? })
}

fn the_only<'a>(kind: &str, documents: &'a [Value]) -> Result<&'a Value> {
    let found: Vec<&Value> = documents.iter().filter(|document| document["kind"] == kind).collect();
    match found[..] {
        [only] => Ok(only),
        [] => bail!("there is no {kind} in it"),
        _ => bail!("there are {} of kind {kind} in it; pass one", found.len()),
    }
}

fn name(object: &Value, kind: &str) -> Result<String> {
    let name = object["metadata"]["name"].as_str().filter(|name| !name.is_empty());
    Ok(name.with_context(|| format!("the {kind} has no metadata.name"))?.to_owned())
}

fn namespace_of(object: &Value) -> Result<Namespace> {
    let map = |field: &str| {
        let value = &object["metadata"][field];
        if value.is_null() {
            return Ok(std::collections::BTreeMap::new());
        }
        serde_json::from_value(value.clone()).with_context(|| format!("metadata.{field}: not a map of strings"))
    };
    Ok(Namespace {
        name: name(object, "Namespace")?,
        uid: object["metadata"]["uid"].as_str().map(str::to_owned),
        labels: map("labels")?,
        annotations: map("annotations")?,
    })
}
