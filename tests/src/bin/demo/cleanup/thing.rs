//! One object that goes, by kind and name.

use anyhow::{Context, Result};
use kube::api::{DeleteParams, DynamicObject};
use kube::core::ApiResource;
use kube::{Api, Client};

/// It may or may not be there.
#[derive(Debug, Clone)]
pub struct Thing {
    pub api: Api<DynamicObject>,
    pub kind: String,
    pub name: String,
}

impl Thing {
    pub fn new(client: &Client, resource: &ApiResource, name: String) -> Self {
        Self { api: Api::all_with(client.clone(), resource), kind: resource.kind.to_lowercase(), name }
    }

    /// As an argument of kubectl.
    pub fn argument(&self) -> String {
        format!("{}/{}", self.kind, self.name)
    }

    /// The object. One whose kind is not served is not there either.
    pub async fn find(&self) -> Result<Option<DynamicObject>> {
        self.api.get_opt(&self.name).await.with_context(|| self.argument())
    }

    /// Asks for it to be deleted; the answer may be that it is gone.
    pub async fn delete(&self) -> Result<()> {
        match self.api.delete(&self.name, &DeleteParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            answer => answer.map(drop).with_context(|| format!("{} cannot be deleted", self.argument())),
        }
    }
}
