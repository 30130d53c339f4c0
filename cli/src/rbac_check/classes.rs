//! The classes that are checked.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use kube::api::{ApiResource, DynamicObject};
use kube::{Api, Client, ResourceExt};
use nsclass_shared::api::NamespaceClass;
use nsclass_shared::class::{CompiledClass, ReadClass};
use serde_json::Value;

use crate::input;
use crate::pages;

/// A class, compiled.
pub(super) struct Class {
    pub(super) name: String,
    pub(super) compiled: CompiledClass<'static>,
}

impl Class {
    fn of(name: &str, spec: Value) -> Result<Self> {
        let read = ReadClass::of_value(name, spec).with_context(|| format!("class {name}"))?;
        Ok(Self { name: name.to_owned(), compiled: read.compiled })
    }
}

/// Every class in these files.
pub(super) fn of_files(files: &[PathBuf]) -> Result<Vec<Class>> {
    let mut classes = Vec::new();
    for file in files {
        for document in input::documents(file)?.iter().filter(|document| document["kind"] == "NamespaceClass") {
            let name = document["metadata"]["name"].as_str().context("a NamespaceClass without metadata.name");
            let name = name.with_context(|| input::shown(file))?;
            classes.push(Class::of(name, document["spec"].clone()).with_context(|| input::shown(file))?);
        }
    }
    if classes.is_empty() {
        bail!(
            "there is no NamespaceClass in {}",
            files.iter().map(|file| input::shown(file)).collect::<Vec<_>>().join(", ")
        );
    }
    Ok(classes)
}

/// Every class of the cluster. Untyped: one that cannot be read is named, and hides no other.
pub(super) async fn of_cluster(client: &Client) -> Result<Vec<Class>> {
    let api = Api::<DynamicObject>::all_with(client.clone(), &ApiResource::erase::<NamespaceClass>(&()));
    let all = pages::all(async |page| api.list(&page).await).await?;
    all.into_iter().map(|class| Class::of(&class.name_any(), class.data["spec"].clone())).collect()
}
