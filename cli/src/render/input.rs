use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Namespace;

/// What there is to render, for whom.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) class_name: String,
    pub(super) spec: Value,
    pub(super) namespace: Namespace,
}

/// Reads the class and the namespace, from two files or from one.
pub(super) fn read(class: &Path, namespace: Option<&Path>) -> Result<Input> {
    let documents = documents(class)?;
    let others = match namespace {
        None => None,
        Some(path) if path == class => None,
        Some(path) => Some(self::documents(path)?),
    };
    let found = the_only("NamespaceClass", &documents).with_context(|| shown(class))?;
    let class_name = name(found, "NamespaceClass").with_context(|| shown(class))?;
    let spec = found["spec"].clone();
    let place = namespace.unwrap_or(class);
    let found = the_only("Namespace", others.as_ref().unwrap_or(&documents)).with_context(|| shown(place))?;
    Ok(Input { class_name, spec, namespace: namespace_of(found).with_context(|| shown(place))? })
}

/// The text of a file, or of standard input.
pub(super) fn text(path: &Path) -> Result<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).context("standard input cannot be read")?;
        return Ok(text);
    }
    fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

fn documents(path: &Path) -> Result<Vec<Value>> {
    // As the API server reads YAML: 0644 is a number.
    let options = serde_saphyr::options! { legacy_octal_numbers: true };
    serde_saphyr::from_multiple_with_options(&text(path)?, options).with_context(|| shown(path))
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

fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}
