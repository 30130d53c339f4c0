//! Whether the demo may play on a cluster that is not its own: it must be in nobody's way, and must know afterwards what was there.

use anyhow::{Result, bail};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::rbac::v1::ClusterRole;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DynamicObject, ListParams};
use kube::core::ApiResource;
use kube::{Api, Client, ResourceExt};
use nsclass_shared::api::{NamespaceClass, NamespaceClassBinding, crds};
use nsclass_shared::names::CLASS_LABEL;
use nsclass_tests::OPERATOR_NAMESPACE;

use crate::cluster::find;
use crate::examples::{Examples, NAMESPACES, PROBES};

/// What was there before.
#[derive(Debug, Clone)]
pub struct Preflight {
    /// Definitions of our kinds that were not there.
    pub missing: Vec<CustomResourceDefinition>,
    /// Whether the operator's namespace was there.
    pub has_operator_namespace: bool,
}

impl Preflight {
    /// Looks, and changes nothing.
    ///
    /// # Errors
    /// In one sentence, what is in the way; or that the cluster does not answer.
    pub async fn look(client: &Client) -> Result<Self> {
        let examples = Examples::prefixed();
        let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
        let mut missing = Vec::new();
        for crd in crds() {
            if find(&definitions, &crd.name_any()).await?.is_none() {
                missing.push(crd);
            }
        }
        if !missing.iter().any(|crd| crd.spec.names.kind == "NamespaceClass") {
            refuse_any(client, &ApiResource::erase::<NamespaceClass>(&())).await?;
        }
        if !missing.iter().any(|crd| crd.spec.names.kind == "NamespaceClassBinding") {
            refuse_any(client, &ApiResource::erase::<NamespaceClassBinding>(&())).await?;
        }
        let namespaces: Api<Namespace> = Api::all(client.clone());
        for name in examples.names_in(NAMESPACES)? {
            if find(&namespaces, &name).await?.is_some() {
                bail!(in_the_way("Namespace", &name));
            }
            let roles: Api<ClusterRole> = Api::all(client.clone());
            let role = cluster_role(&name);
            if find(&roles, &role).await?.is_some() {
                bail!(in_the_way("ClusterRole", &role));
            }
        }
        let labelled = namespaces.list_metadata(&ListParams::default().labels(CLASS_LABEL).limit(1)).await?;
        if let Some(namespace) = labelled.items.first() {
            bail!(
                "Namespace {} has the label {CLASS_LABEL}, and the demo's controller would write a binding for it: remove the \
                 label, or choose another cluster",
                namespace.name_any()
            );
        }
        for name in examples.names_in(PROBES)? {
            if find(&definitions, &name).await?.is_some() {
                bail!(in_the_way("CustomResourceDefinition", &name));
            }
        }
        let has_operator_namespace = find(&namespaces, OPERATOR_NAMESPACE).await?.is_some();
        Ok(Self { missing, has_operator_namespace })
    }
}

/// The name that class `observability` gives the `ClusterRole` of a namespace.
pub fn cluster_role(namespace: &str) -> String {
    format!("observe-{namespace}")
}

fn in_the_way(kind: &str, name: &str) -> String {
    format!("{kind} {name} is there already, and the demo would make one: delete it, or choose another cluster")
}

async fn refuse_any(client: &Client, resource: &ApiResource) -> Result<()> {
    let all: Api<DynamicObject> = Api::all_with(client.clone(), resource);
    if let Some(found) = all.list_metadata(&ListParams::default().limit(1)).await?.items.first() {
        bail!(
            "{} {} is there, so a controller seems to be at work in this cluster, and the demo's would be a second one: choose a \
             cluster without",
            resource.kind,
            found.name_any()
        );
    }
    Ok(())
}
