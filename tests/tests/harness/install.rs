//! CRDs, manifests and policies.

use anyhow::{Result, bail, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ObjectMeta, PostParams};
use kube::{Api, ResourceExt};
use nsclass_tests::{ControlPlane, World, until_it_bites};
use serde_json::{Value, json};

/// A namespaced kind that keeps every field.
fn crd(plural: &str, kind: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.harness.example") },
        "spec": {
            "group": "harness.example",
            "scope": "Namespaced",
            "names": { "plural": plural, "singular": kind.to_lowercase(), "kind": kind, "listKind": format!("{kind}List") },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    })
}

#[tokio::test]
async fn an_installed_kind_is_served_at_once() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let crds: Vec<CustomResourceDefinition> =
        vec![serde_json::from_value(crd("bolts", "Bolt"))?, serde_json::from_value(crd("nuts", "Nut"))?];
    cp.install_crds(&crds).await?;
    for kind in ["Bolt", "Nut"] {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("harness.example", "v1", kind));
        let object = DynamicObject::new("one", &resource);
        Api::<DynamicObject>::namespaced_with(cp.admin(), "default", &resource)
            .create(&PostParams::default(), &object)
            .await?;
    }
    Ok(())
}

#[tokio::test]
async fn manifests_may_bring_the_kind_they_use_and_are_read_as_kubernetes_reads_them() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let namespace = World::new(cp, "manifests").namespace("a").create().await?.name_any();
    let manifests = format!(
        "# a comment\n---\n{}\n---\napiVersion: harness.example/v1\nkind: Screw\nmetadata: {{name: m4, namespace: {namespace}}}\n\
         mode: 0644\n---\n",
        crd("screws", "Screw")
    );
    let applied = cp.apply_yaml(&manifests).await?;
    ensure!(applied.len() == 2 && applied[1].namespace().as_deref() == Some(&*namespace), "{applied:?}");
    ensure!(applied[1].data["mode"] == 420, "{:?}", applied[1].data);
    let managers: Vec<_> = applied[1].managed_fields().iter().map(|entry| entry.manager.as_deref()).collect();
    ensure!(managers == [Some("test-admin")], "{managers:?}");
    Ok(())
}

#[tokio::test]
async fn a_manifest_that_cannot_be_applied_is_named_by_its_place() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let kind = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: harness-place}\n---\napiVersion: nowhere/v1\nkind: Nothing\nmetadata: {name: a}";
    let Err(error) = cp.apply_yaml(kind).await else { bail!("it was applied") };
    let message = format!("{error:#}");
    ensure!(message.starts_with("document 2: nowhere/v1 Nothing is not served"), "{message}");
    Ok(())
}

#[tokio::test]
async fn a_new_policy_is_waited_for_until_it_denies() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let world = World::new(cp, "policy");
    let (namespace, policy) = (world.namespace("a").create().await?.name_any(), world.name("no-red"));
    cp.apply_yaml(&format!(
        "
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: {policy}}}
spec:
  matchConstraints:
    namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {namespace}}}}}
    resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}}]
  validations: [{{expression: \"object.metadata.name != 'red'\", message: no red here}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: {policy}}}
spec: {{policyName: {policy}, validationActions: [Deny]}}
"
    ))
    .await?;
    let objects: Api<ConfigMap> = Api::namespaced(cp.admin(), &namespace);
    let create = async |name: &str| {
        let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
        let dry_run = PostParams { dry_run: true, ..PostParams::default() };
        objects.create(&dry_run, &ConfigMap { metadata, ..ConfigMap::default() }).await
    };
    let denial = until_it_bites(&policy, async || create("red").await).await?;
    ensure!(denial.message.contains("no red here"), "{denial:?}");
    create("green").await?;
    Ok(())
}
