//! What these tests stand on.

use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow};
use nsclass_tests::helm::{Helm, RELEASE};
use serde_json::Value;

/// Helm without a cluster, one for all tests.
pub(crate) fn helm() -> Result<&'static Helm> {
    static HELM: OnceLock<Result<Helm, String>> = OnceLock::new();
    let helm = HELM.get_or_init(|| Helm::find().map_err(|error| format!("{error:#}")));
    helm.as_ref().map_err(|error| anyhow!("{error}"))
}

/// What the chart renders to.
pub(crate) struct Rendered(Vec<Value>);

impl Rendered {
    /// With these values.
    pub(crate) fn with(values: &[&str]) -> Result<Self> {
        Self::of(RELEASE, values)
    }

    /// As this release, with these values.
    pub(crate) fn of(release: [&str; 2], values: &[&str]) -> Result<Self> {
        Self::parse(&helm()?.template_as(release, values)?.ok()?).with_context(|| values.join(" "))
    }

    pub(crate) fn parse(text: &str) -> Result<Self> {
        let documents: Vec<Value> = serde_saphyr::from_multiple(text).context("it is no YAML")?;
        Ok(Self(documents.into_iter().filter(|document| !document.is_null()).collect()))
    }

    pub(crate) fn all(&self) -> &[Value] {
        &self.0
    }

    /// Those of a kind.
    pub(crate) fn kind(&self, kind: &str) -> Vec<&Value> {
        self.0.iter().filter(|object| object["kind"] == kind).collect()
    }

    /// The one of that kind and name.
    pub(crate) fn get(&self, kind: &str, name: &str) -> Result<&Value> {
        let found = self.kind(kind).into_iter().find(|object| object["metadata"]["name"] == name);
        found.with_context(|| format!("no {kind} {name} among {}", self.names().join(", ")))
    }

    /// `Kind namespace/name` of each.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(title).collect()
    }

    /// The configuration file.
    pub(crate) fn config(&self) -> Result<String> {
        let maps = self.kind("ConfigMap");
        let text = maps.iter().find_map(|map| map["data"]["nsclass.yaml"].as_str());
        text.map(str::to_owned).context("no configuration file")
    }
}

/// `Kind namespace/name`.
pub(crate) fn title(object: &Value) -> String {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    format!("{} {}/{}", text("/kind"), text("/metadata/namespace"), text("/metadata/name"))
}
