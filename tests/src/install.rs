//! Putting things into a cluster and waiting until they are in force: CRDs until they are served, policies until they bite.
//!
//! These take a client, so that the demo can use them on a cluster that it did not start.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::core::Status;
use kube::discovery::{Scope, pinned_kind};
use kube::{Api, Client, ResourceExt};
use serde_json::Value;

use crate::ControlPlane;
use crate::eventually::eventually;

/// Field manager of whatever a test applies: somebody other than the operator.
pub const TEST_ADMIN: &str = "test-admin";

impl ControlPlane {
    /// [`install_crds`] as the admin.
    ///
    /// # Errors
    /// As there.
    pub async fn install_crds(&self, crds: &[CustomResourceDefinition]) -> Result<()> {
        install_crds(&self.admin(), crds).await
    }

    /// [`apply_yaml`] as the admin.
    ///
    /// # Errors
    /// As there.
    pub async fn apply_yaml(&self, manifests: &str) -> Result<Vec<DynamicObject>> {
        apply_yaml(&self.admin(), manifests).await
    }

    /// [`apply_file`] as the admin.
    ///
    /// # Errors
    /// As there.
    pub async fn apply_file(&self, path: impl AsRef<Path>) -> Result<Vec<DynamicObject>> {
        apply_file(&self.admin(), path).await
    }
}

/// Applies `crds` and waits until every served version of each of them answers.
///
/// # Errors
/// When the server refuses one, or does not serve it in time: with its conditions.
pub async fn install_crds(client: &Client, crds: &[CustomResourceDefinition]) -> Result<()> {
    for crd in crds {
        let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
        let params = PatchParams::apply(TEST_ADMIN).force();
        definitions
            .patch(&crd.name_any(), &params, &Patch::Apply(crd))
            .await
            .with_context(|| format!("CustomResourceDefinition {} was refused", crd.name_any()))?;
    }
    for crd in crds {
        until_served(client, crd).await?;
    }
    Ok(())
}

/// Makes the namespace `name` be there: the operator's own, for instance, where its lease is.
///
/// # Errors
/// When the server refuses.
pub async fn ensure_namespace(client: &Client, name: &str) -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    match namespaces.create(&PostParams::default(), &Namespace { metadata, ..Namespace::default() }).await {
        Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(()),
        created => created.map(drop).with_context(|| format!("namespace {name} was refused")),
    }
}

async fn until_served(client: &Client, crd: &CustomResourceDefinition) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = crd.name_any();
    eventually(format!("CustomResourceDefinition {name} is established"), async || {
        let status = definitions.get(&name).await?.status.unwrap_or_default();
        let conditions = status.conditions.unwrap_or_default();
        let established = conditions.iter().any(|it| it.type_ == "Established" && it.status == "True");
        ensure!(established, "conditions {conditions:?}");
        Ok(())
    })
    .await?;
    for version in crd.spec.versions.iter().filter(|version| version.served) {
        let gvk = GroupVersionKind::gvk(&crd.spec.group, &version.name, &crd.spec.names.kind);
        let objects: Api<DynamicObject> =
            Api::all_with(client.clone(), &ApiResource::from_gvk_with_plural(&gvk, &crd.spec.names.plural));
        eventually(format!("{name} {} is in discovery and answers", version.name), async || {
            pinned_kind(client, &gvk).await?;
            objects.list(&ListParams::default().limit(1)).await?;
            Ok(())
        })
        .await?;
    }
    Ok(())
}

/// Applies every document of a YAML file; see [`apply_yaml`].
///
/// # Errors
/// When the file cannot be read, or as [`apply_yaml`].
pub async fn apply_file(client: &Client, path: impl AsRef<Path>) -> Result<Vec<DynamicObject>> {
    let path = path.as_ref();
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    apply_yaml(client, &text).await.with_context(|| format!("{} cannot be applied", path.display()))
}

/// Applies every document of `manifests` in order, server-side, as [`TEST_ADMIN`], taking fields over from whoever has them: an
/// admin who means it. A `CustomResourceDefinition` is waited for, so that its objects can follow in the same text. A namespaced
/// object without a namespace goes to `default`.
///
/// # Errors
/// At the first document that is not an object, whose kind is not served, or that the server refuses.
pub async fn apply_yaml(client: &Client, manifests: &str) -> Result<Vec<DynamicObject>> {
    let options = serde_saphyr::options! { legacy_octal_numbers: true };
    let documents: Vec<Value> = serde_saphyr::from_multiple_with_options(manifests, options)?;
    let mut applied = Vec::new();
    for (index, document) in documents.into_iter().enumerate().filter(|(_, document)| !document.is_null()) {
        let place = || format!("document {}", index + 1);
        let object: DynamicObject = serde_json::from_value(document.clone()).with_context(place)?;
        let params = PatchParams::apply(TEST_ADMIN).force();
        applied.push(apply(client, &object, &params).await.with_context(place)?);
        if object.types.is_some_and(|types| types.kind == "CustomResourceDefinition") {
            until_served(client, &serde_json::from_value(document)?).await?;
        }
    }
    Ok(applied)
}

/// Whether the server would take an object as [`apply_yaml`] applies it: it is asked, and changes nothing.
///
/// # Errors
/// When it is no object, its kind is not served, or the server would refuse it.
pub async fn ensure_taken(client: &Client, object: &Value) -> Result<()> {
    let object: DynamicObject = serde_json::from_value(object.clone())?;
    let params = PatchParams { dry_run: true, ..PatchParams::apply(TEST_ADMIN).force() };
    apply(client, &object, &params).await.map(drop)
}

async fn apply(client: &Client, object: &DynamicObject, params: &PatchParams) -> Result<DynamicObject> {
    let types = object.types.as_ref().context("no apiVersion and kind")?;
    let name = object.metadata.name.as_deref().with_context(|| format!("{}: no metadata.name", types.kind))?;
    let gvk = GroupVersionKind::try_from(types)?;
    let (resource, capabilities) = pinned_kind(client, &gvk)
        .await
        .with_context(|| format!("{} {} is not served", types.api_version, types.kind))?;
    let api: Api<DynamicObject> = match capabilities.scope {
        Scope::Cluster => Api::all_with(client.clone(), &resource),
        Scope::Namespaced => {
            let namespace = object.namespace().unwrap_or_else(|| "default".to_owned());
            Api::namespaced_with(client.clone(), &namespace, &resource)
        }
    };
    api.patch(name, params, &Patch::Apply(object)).await.with_context(|| format!("{} {name} was refused", types.kind))
}

/// Tries `action` until the rule called `rule` denies it, and returns the denial: a new policy takes a moment to be in force.
///
/// The action is tried many times, so let it be a dry run, or one that may succeed any number of times.
///
/// # Errors
/// When it is still allowed, or fails for another reason, at the deadline.
pub async fn until_it_bites<T, F>(rule: &str, mut action: F) -> Result<Status>
where
    F: AsyncFnMut() -> kube::Result<T>,
{
    eventually(format!("{rule:?} denies it"), async || match action().await {
        Ok(_) => bail!("it was allowed"),
        Err(kube::Error::Api(status)) if matches!(status.code, 400..=499) && status.message.contains(rule) => {
            Ok(*status)
        }
        Err(other) => Err(other).context("it failed for another reason"),
    })
    .await
}
