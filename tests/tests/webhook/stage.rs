//! What these tests stand on: one control plane and one webhook for all, a world and a configuration for each.

use std::ops::Deref;

use anyhow::{Context, Result, bail};
use kube::api::{DynamicObject, PostParams};
use kube::core::Status;
use nsclass_tests::webhook::{Asked, ServingFiles, Webhook, ask_about_classes};
use nsclass_tests::{ControlPlane, World};
use serde_json::{Value, json};

/// A test's world on the shared control plane.
pub(crate) struct Stage {
    pub(crate) cp: &'static ControlPlane,
    pub(crate) webhook: &'static Webhook,
    files: &'static ServingFiles,
    prefix: String,
    world: World,
}

impl Deref for Stage {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Stage {
    /// Nobody is asked about its classes yet.
    pub(crate) async fn unasked(prefix: &str) -> Result<Self> {
        let (cp, webhook, files) = Webhook::shared().await?;
        Ok(Self { cp, webhook, files, prefix: format!("{prefix}-"), world: World::new(cp, prefix) })
    }

    /// The webhook is asked about its classes.
    pub(crate) async fn open(prefix: &str) -> Result<Self> {
        let stage = Self::unasked(prefix).await?;
        stage.ask().await?;
        Ok(stage)
    }

    pub(crate) async fn ask(&self) -> Result<Asked> {
        ask_about_classes(self.cp, &self.prefix, self.webhook.address(), self.files.ca()).await
    }

    /// A class of this world.
    pub(crate) fn new_class(&self, short: &str, items: &[Value]) -> Result<DynamicObject> {
        Ok(serde_json::from_value(json!({
            "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass", "metadata": { "name": self.name(short) },
            "spec": { "resources": items },
        }))?)
    }

    /// Creates a class; what the server says of it.
    pub(crate) async fn create(&self, short: &str, items: &[Value]) -> Result<kube::Result<DynamicObject>> {
        Ok(self.classes().create(&PostParams::default(), &self.new_class(short, items)?).await)
    }

    /// Creates a class that must be refused by a webhook.
    pub(crate) async fn refused(&self, short: &str, items: &[Value]) -> Result<Status> {
        denied(self.create(short, items).await?)
    }
}

/// The denial of a webhook.
pub(crate) fn denied<T>(answer: kube::Result<T>) -> Result<Status> {
    match answer {
        Ok(_) => bail!("it was allowed"),
        Err(kube::Error::Api(status)) if status.message.contains("denied the request") => Ok(*status),
        Err(error) => Err(error).context("it failed for another reason"),
    }
}

pub(crate) fn config_map(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } })
}

/// Fails unless `text` holds all of `parts`.
pub(crate) fn says(text: &str, parts: &[&str]) -> Result<()> {
    let missing: Vec<_> = parts.iter().filter(|part| !text.contains(**part)).collect();
    anyhow::ensure!(missing.is_empty(), "{missing:?} are not in: {text}");
    Ok(())
}
