//! The webhook configuration of `deploy/`, as it is but for the URL and the names that it is asked about.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use k8s_openapi::ByteString;
use kube::Api;
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::install::TEST_ADMIN;
use crate::{ControlPlane, until_it_bites};

const TEMPLATE: &str = include_str!("../../../deploy/webhook-configuration.yaml");

/// A webhook configuration on a control plane.
#[derive(Debug, Clone)]
pub struct Asked {
    configurations: Api<DynamicObject>,
    name: String,
}

impl Asked {
    /// Removes it.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn remove(&self) -> Result<()> {
        self.configurations.delete(&self.name, &DeleteParams::default()).await?;
        Ok(())
    }
}

/// The template of `deploy/`, for a webhook that the API server reaches at `address` and not through a Service.
///
/// # Errors
/// When the file is not what it was.
pub fn template_at(address: SocketAddr) -> Result<Value> {
    let mut template: Value = serde_saphyr::from_str(TEMPLATE)?;
    for hook in template["webhooks"].as_array_mut().context("no webhooks")? {
        let path = hook["clientConfig"]["service"]["path"].as_str().context("no path")?;
        hook["clientConfig"] = json!({ "url": format!("https://{address}{path}") });
    }
    Ok(template)
}

/// Has the API server ask the webhook at `address` about the classes whose names begin with `prefix`, and waits until it does.
///
/// # Errors
/// When it does not.
pub async fn ask_about_classes(cp: &ControlPlane, prefix: &str, address: SocketAddr, ca: &str) -> Result<Asked> {
    let mut configuration = template_at(address)?;
    let name = format!("nsclass-{}", prefix.trim_end_matches('-'));
    configuration["metadata"]["name"] = json!(name);
    for hook in configuration["webhooks"].as_array_mut().context("no webhooks")? {
        hook["clientConfig"]["caBundle"] = json!(ByteString(ca.as_bytes().to_vec()));
        // A debug build on a loaded machine.
        hook["timeoutSeconds"] = json!(20);
        // One of a collection that is deleted has its name only in itself.
        let of = "(has(request.name) ? request.name : oldObject.metadata.name)";
        let mine = json!({ "name": "mine", "expression": format!("{of}.startsWith('{prefix}')") });
        hook["matchConditions"].as_array_mut().context("no conditions")?.push(mine);
    }
    let kind = GroupVersionKind::gvk("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration");
    let configurations: Api<DynamicObject> = Api::all_with(cp.admin(), &ApiResource::from_gvk(&kind));
    configurations.patch(&name, &PatchParams::apply(TEST_ADMIN).force(), &Patch::Apply(configuration)).await?;
    let classes = ApiResource::from_gvk_with_plural(
        &GroupVersionKind::gvk("nsclass.io", "v1alpha1", "NamespaceClass"),
        "namespaceclasses",
    );
    let classes: Api<DynamicObject> = Api::all_with(cp.admin(), &classes);
    let probe: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass", "metadata": { "name": format!("{prefix}probe") },
        "spec": { "resources": [{ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "probe" } }] },
    }))?;
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    until_it_bites("keeps a class from making namespaces", async || classes.create(&dry, &probe).await).await?;
    Ok(Asked { configurations, name })
}
