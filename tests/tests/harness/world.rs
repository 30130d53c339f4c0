//! Worlds of namespaces and classes.

use anyhow::{Result, bail, ensure};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::ResourceExt;
use nsclass_shared::names::CLASS_LABEL;
use nsclass_tests::{ControlPlane, World, eventually};
use serde_json::json;

/// The name of our kind with no rules: these tests are about the harness.
async fn install_class_kind(cp: &ControlPlane) -> Result<()> {
    let crd: CustomResourceDefinition = serde_json::from_value(json!({
        "metadata": { "name": "namespaceclasses.nsclass.io" },
        "spec": {
            "group": "nsclass.io",
            "scope": "Cluster",
            "names": { "plural": "namespaceclasses", "singular": "namespaceclass", "kind": "NamespaceClass" },
            "versions": [{
                "name": "v1alpha1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    }))?;
    cp.install_crds(&[crd]).await
}

#[tokio::test]
async fn worlds_of_the_same_prefix_stay_apart() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    let (one, other) = (World::new(cp, "apart"), World::new(cp, "apart"));
    let (a, b) = (one.namespace("pay").create().await?, other.namespace("pay").create().await?);
    ensure!(a.name_any() == one.name("pay") && b.name_any() == other.name("pay"), "{a:?} {b:?}");
    ensure!(a.name_any() != b.name_any() && a.name_any().starts_with("apart-pay-"), "{a:?} {b:?}");
    Ok(())
}

#[tokio::test]
async fn a_namespace_joins_and_leaves_classes_of_its_world() -> Result<()> {
    let world = World::new(ControlPlane::shared().await?, "labels");
    let made = world.namespace("pay").of_class("base").label("team", "a").annotation("note", "b").create().await?;
    ensure!(made.labels().get(CLASS_LABEL) == Some(&world.name("base")), "{made:?}");
    ensure!(made.labels()["team"] == "a" && made.annotations()["note"] == "b", "{made:?}");
    let joined = world.join("pay", "other").await?;
    ensure!(
        joined.labels().get(CLASS_LABEL) == Some(&world.name("other")) && joined.labels()["team"] == "a",
        "{joined:?}"
    );
    let left = world.leave("pay").await?;
    ensure!(!left.labels().contains_key(CLASS_LABEL) && left.labels()["team"] == "a", "{left:?}");
    Ok(())
}

#[tokio::test]
async fn a_class_is_made_edited_and_deleted_in_a_line_each() -> Result<()> {
    let cp = ControlPlane::shared().await?;
    install_class_kind(cp).await?;
    let world = World::new(cp, "classes");
    let made = world.class("base", json!({ "one": 1, "two": 2 })).await?;
    let edited = world.class("base", json!({ "two": 3 })).await?;
    ensure!(made.uid() == edited.uid() && edited.data["spec"] == json!({ "two": 3 }), "{edited:?}");
    world.delete_class("base").await?;
    eventually("the class is gone", async || match world.classes().get_opt(&world.name("base")).await? {
        None => Ok(()),
        Some(class) => bail!("{:?}", class.metadata),
    })
    .await
}
