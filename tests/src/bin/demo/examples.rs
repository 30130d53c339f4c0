//! The files of `deploy/examples`, as they are on disk; on a cluster that is not ours their names get a prefix.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use nsclass_shared::names::{CLASS_LABEL, GROUP};
use serde_json::{Value, json};

const DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/examples");

/// The files of classes, in the order of their README.
pub const CLASSES: [&str; 5] =
    ["baseline.yaml", "sandbox.yaml", "shared-services.yaml", "observability.yaml", "typed-values.yaml"];
/// The file of namespaces.
pub const NAMESPACES: &str = "namespaces.yaml";
/// The definition that comes later than the class which uses it.
pub const PROBES: &str = "probes-crd.yaml";

/// The examples under the names that they get.
#[derive(Debug, Clone)]
pub struct Examples {
    prefix: &'static str,
}

impl Examples {
    /// Under their own names.
    pub fn plain() -> Self {
        Self { prefix: "" }
    }

    /// Under names that nobody else uses.
    pub fn prefixed() -> Self {
        Self { prefix: "nsclass-demo-" }
    }

    /// What is put before the names of namespaces and classes.
    pub fn prefix(&self) -> &'static str {
        self.prefix
    }

    /// What the namespace or class `short` is called.
    pub fn name(&self, short: &str) -> String {
        format!("{}{short}", self.prefix)
    }

    /// The documents of a file.
    pub fn documents(&self, file: &str) -> Result<Vec<Value>> {
        let path = Path::new(DIR).join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let options = serde_saphyr::options! { legacy_octal_numbers: true };
        let mut documents: Vec<Value> = serde_saphyr::from_multiple_with_options(&text, options)
            .with_context(|| format!("{} is no YAML", path.display()))?;
        documents.retain(|document| !document.is_null());
        for document in &mut documents {
            self.rename(document);
        }
        Ok(documents)
    }

    /// The names of a kind's objects in a file.
    pub fn names_in(&self, file: &str) -> Result<Vec<String>> {
        let name = |document: Value| document.pointer("/metadata/name").and_then(Value::as_str).map(ToOwned::to_owned);
        Ok(self.documents(file)?.into_iter().filter_map(name).collect())
    }

    fn rename(&self, document: &mut Value) {
        let is_class = document["apiVersion"].as_str().is_some_and(|version| version.starts_with(GROUP));
        if !is_class && document["kind"] != "Namespace" {
            return;
        }
        let prefixed = |value: &Value| json!(self.name(value.as_str().unwrap_or_default()));
        let metadata = &mut document["metadata"];
        metadata["name"] = prefixed(&metadata["name"]);
        if let Some(label) = metadata.get_mut("labels").and_then(|labels| labels.get_mut(CLASS_LABEL)) {
            *label = prefixed(label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_reaches_names_and_class_labels_and_nothing_else() -> Result<()> {
        let (plain, prefixed) = (Examples::plain(), Examples::prefixed());
        let mut expected = plain.documents(NAMESPACES)?;
        for namespace in &mut expected {
            let name = format!("nsclass-demo-{}", namespace["metadata"]["name"].as_str().unwrap());
            let class = format!("nsclass-demo-{}", namespace["metadata"]["labels"][CLASS_LABEL].as_str().unwrap());
            namespace["metadata"]["name"] = json!(name);
            namespace["metadata"]["labels"][CLASS_LABEL] = json!(class);
        }
        assert_eq!(prefixed.documents(NAMESPACES)?, expected);
        assert_eq!(prefixed.documents(PROBES)?, plain.documents(PROBES)?);
        for file in CLASSES {
            let (plain, prefixed) = (plain.documents(file)?, prefixed.documents(file)?);
            assert_eq!(plain[0]["spec"], prefixed[0]["spec"], "{file}");
        }
        Ok(())
    }
}
