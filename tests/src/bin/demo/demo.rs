//! What every step has at hand: the cluster, the examples, the screen, and claims.

use std::fmt::Display;
use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::Api;
use kube::api::{Patch, PatchParams};
use nsclass_shared::api::{NamespaceClassBinding, get_condition};
use nsclass_shared::names::CLASS_LABEL;
use nsclass_tests::Screen;
use nsclass_tests::install::apply_yaml;
use serde_json::json;

use crate::cluster::Cluster;
use crate::examples::Examples;

/// The play's means.
pub struct Demo<'a> {
    /// Where the person looks.
    pub screen: &'a Screen,
    /// Where it happens.
    pub cluster: Cluster,
    /// What is applied.
    pub examples: Examples,
    /// How long a claim may take to become true.
    pub patience: Duration,
}

impl Demo<'_> {
    /// Claims something: looks until `probe` succeeds, ticks the claim off, and returns what was found. A probe that fails is "not
    /// yet", and says what it saw.
    ///
    /// # Errors
    /// When it has not become true in time: the claim is false.
    pub async fn claim<T>(&self, claim: impl Display, probe: impl AsyncFnMut() -> Result<T>) -> Result<T> {
        self.claim_after(Duration::ZERO, claim, probe).await
    }

    /// [`Demo::claim`] of something that is to come after a delay.
    ///
    /// # Errors
    /// As there.
    pub async fn claim_after<T>(
        &self,
        delay: Duration,
        claim: impl Display,
        probe: impl AsyncFnMut() -> Result<T>,
    ) -> Result<T> {
        self.screen.claim_within(delay + self.patience, claim, probe).await
    }

    /// Claims something that is so already: looks once.
    ///
    /// # Errors
    /// When it is not so.
    pub async fn fact<T>(&self, claim: impl Display, probe: impl AsyncFnOnce() -> Result<T>) -> Result<T> {
        self.screen.fact(claim, probe).await
    }

    /// What the namespace or class `short` is called here.
    pub fn name(&self, short: &str) -> String {
        self.examples.name(short)
    }

    /// `kubectl apply` of files of the examples.
    pub async fn apply(&self, files: &[&str]) -> Result<()> {
        let named = files.iter().map(|file| format!("-f deploy/examples/{file}")).collect::<Vec<_>>();
        // Two to a line, as a person would break it.
        let lines: Vec<String> = named.chunks(2).map(|files| files.join(" ")).collect();
        self.screen.command(&format!("kubectl apply {}", lines.join(" \\\n       ")));
        for file in files {
            for document in self.examples.documents(file)? {
                // JSON is YAML.
                apply_yaml(&self.cluster.client(), &document.to_string()).await.with_context(|| (*file).to_owned())?;
            }
        }
        Ok(())
    }

    /// `kubectl label` of a namespace with a class, or with none.
    pub async fn label(&self, namespace: &str, class: Option<&str>) -> Result<()> {
        let (namespace, class) = (self.name(namespace), class.map(|class| self.name(class)));
        let change = class.as_ref().map_or_else(|| format!("{CLASS_LABEL}-"), |class| format!("{CLASS_LABEL}={class}"));
        let overwrite = if class.is_some() { " --overwrite" } else { "" };
        self.screen.command(&format!("kubectl label namespace {namespace} {change}{overwrite}"));
        let patch = json!({ "metadata": { "labels": { CLASS_LABEL: class } } });
        let namespaces: Api<Namespace> = Api::all(self.cluster.client());
        namespaces.patch(&namespace, &PatchParams::default(), &Patch::Merge(patch)).await?;
        Ok(())
    }
}

/// The condition `Ready` of a binding.
pub fn ready(binding: &NamespaceClassBinding) -> Result<Condition> {
    let conditions = binding.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
    get_condition(conditions, "Ready").cloned().context("its binding has no condition Ready yet")
}
