//! How RBAC names the objects of a kind.

use std::path::Path;

use anyhow::{Context, Result};
use kube::{Client, Discovery};
use nsclass_manifests::kinds::{KindTable, Kinds, Scope};
use nsclass_shared::identity::Gvk;

use crate::input;

/// The resources that are known.
pub(super) struct Resources(KindTable);

impl Resources {
    /// As the API server lists them.
    pub(super) async fn of_cluster(client: &Client) -> Result<Self> {
        let mut table = KindTable::default();
        for group in Discovery::new(client.clone()).run_aggregated().await?.groups() {
            for (resource, _) in group.recommended_resources() {
                table.insert(&resource.group, &resource.kind, &resource.plural, Scope::Namespaced);
            }
        }
        Ok(Self(table))
    }

    /// Kubernetes' own, and those of a file.
    pub(super) fn of_file(path: Option<&Path>) -> Result<Self> {
        let mut table = KindTable::builtin();
        if let Some(path) = path {
            table.add_api_resources(&input::text(path)?).with_context(|| input::shown(path))?;
        }
        Ok(Self(table))
    }

    pub(super) fn find(&self, gvk: &Gvk) -> Option<String> {
        self.0.find(&gvk.group, &gvk.kind).map(|kind| kind.resource.to_string())
    }
}
