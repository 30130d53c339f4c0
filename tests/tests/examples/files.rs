//! `deploy/examples`, read as a user's tools read it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use serde_json::Value;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/examples");

/// The classes, each in a file of its name.
pub(crate) const CLASSES: [&str; 5] = ["baseline", "sandbox", "shared-services", "observability", "typed-values"];

/// Every document of a file.
pub(crate) fn documents<T: DeserializeOwned>(file: &str) -> Result<Vec<T>> {
    let text = fs::read_to_string(Path::new(EXAMPLES).join(file)).with_context(|| format!("{file} cannot be read"))?;
    let options = serde_saphyr::options! { legacy_octal_numbers: true };
    serde_saphyr::from_multiple_with_options(&text, options).with_context(|| format!("{file} cannot be parsed"))
}

/// The one class of a file.
pub(crate) fn class<T: DeserializeOwned>(name: &str) -> Result<T> {
    let mut documents = documents(&format!("{name}.yaml"))?;
    ensure!(documents.len() == 1, "{name}.yaml has {} documents, not one class", documents.len());
    Ok(documents.remove(0))
}

/// What an item is, as it is written.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) name: String,
}

pub(crate) fn identities(class: &Value) -> Result<BTreeSet<Item>> {
    let items = class["spec"]["resources"].as_array().context("a class has resources")?;
    let text = |value: &Value| Ok::<_, anyhow::Error>(value.as_str().context("not a string")?.to_owned());
    let item = |item: &Value| {
        let api_version = text(&item["apiVersion"])?;
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group).to_owned();
        Ok(Item { group, kind: text(&item["kind"])?, name: text(&item["metadata"]["name"])? })
    };
    items.iter().map(item).collect()
}
