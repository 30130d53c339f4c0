//! What these tests stand on: one control plane with the policies in force, and a world for each.

use std::ops::Deref;

use anyhow::Result;
use kube::Client;
use nsclass_shared::api::crds;
use nsclass_tests::{ControlPlane, World};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::ask::Ask;

/// A test's world on the shared control plane.
pub(crate) struct Stage {
    pub(crate) cp: &'static ControlPlane,
    pub(crate) admin: Client,
    world: World,
}

impl Deref for Stage {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Stage {
    pub(crate) async fn open(prefix: &str) -> Result<Self> {
        static IN_FORCE: OnceCell<()> = OnceCell::const_new();
        let cp = ControlPlane::shared().await?;
        IN_FORCE
            .get_or_try_init(async || {
                cp.install_crds(&crds()).await?;
                cp.install_policies().await
            })
            .await?;
        Ok(Self { cp, admin: cp.admin(), world: World::new(cp, prefix) })
    }

    /// Creates a namespace as the admin, with this metadata, and returns its name.
    pub(crate) async fn namespace_with(&self, short: &str, mut metadata: Value) -> Result<String> {
        let name = self.name(short);
        metadata["name"] = json!(name);
        Ask::post("/api/v1/namespaces", namespace(metadata)).done(&self.admin).await?;
        Ok(name)
    }

    /// What the server has at a path.
    pub(crate) async fn live(&self, path: &str) -> Result<Value> {
        Ask::get(path).done(&self.admin).await
    }
}

/// A namespace with this metadata.
pub(crate) fn namespace(metadata: Value) -> Value {
    let mut object = json!({ "apiVersion": "v1", "kind": "Namespace" });
    object["metadata"] = metadata;
    object
}

/// The path of a namespace, and of what is in it.
pub(crate) fn at(namespace: &str, rest: &str) -> String {
    format!("/api/v1/namespaces/{namespace}{rest}")
}
