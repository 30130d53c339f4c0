//! The example classes: each file is what it says it is, the API server takes it, and takes what it becomes in a namespace.

mod files;
mod rendered;

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{PostParams, Request};
use kube::{Api, Client, Resource, ResourceExt};
use nsclass_shared::api::{NamespaceClass, crds};
use nsclass_shared::names::CLASS_LABEL;
use nsclass_tests::ControlPlane;
use serde_json::Value;
use tokio::sync::OnceCell;

use files::{CLASSES, class, documents, identities};

/// A client of the shared server, our kinds served and the example namespaces there. They keep their own names, so they are made
/// once for all tests.
async fn client() -> Result<Client> {
    static SERVED: OnceCell<()> = OnceCell::const_new();
    let plane = ControlPlane::shared().await?;
    SERVED
        .get_or_try_init(async || {
            plane.install_crds(&crds()).await?;
            let namespaces: Api<Namespace> = Api::all(plane.admin());
            for namespace in documents::<Namespace>("namespaces.yaml")? {
                let made = namespaces.create(&PostParams::default(), &namespace).await;
                made.with_context(|| format!("namespace {} is refused", namespace.name_any()))?;
            }
            Ok::<_, anyhow::Error>(())
        })
        .await?;
    Ok(plane.admin())
}

fn dry_run() -> PostParams {
    PostParams { dry_run: true, ..PostParams::default() }
}

#[tokio::test]
async fn every_class_is_stored_as_it_is_written() -> Result<()> {
    let client = client().await?;
    for name in CLASSES {
        let written: Value = class(name)?;
        let request =
            Request::new(NamespaceClass::url_path(&(), None)).create(&dry_run(), serde_json::to_vec(&written)?)?;
        let stored: Value = client.request(request).await.with_context(|| format!("{name} is refused"))?;
        for (field, value) in written["spec"].as_object().context("a class has a spec")? {
            ensure!(stored["spec"][field] == *value, "{name}: spec.{field} is stored as {:#}", stored["spec"][field]);
        }
    }
    Ok(())
}

#[tokio::test]
async fn every_namespace_asks_for_an_example_and_every_example_has_one() -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(client().await?);
    let mut asked = BTreeSet::new();
    for written in documents::<Namespace>("namespaces.yaml")? {
        let namespace = namespaces.get(&written.name_any()).await?;
        asked.insert(namespace.labels().get(CLASS_LABEL).context("a namespace asks for a class")?.clone());
    }
    ensure!(asked == CLASSES.map(str::to_owned).into(), "{asked:?}");
    Ok(())
}

#[tokio::test]
async fn the_kind_that_comes_later_is_the_one_that_observability_uses() -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client().await?);
    let [crd] = &documents::<CustomResourceDefinition>("probes-crd.yaml")?[..] else { anyhow::bail!("not one CRD") };
    definitions.create(&dry_run(), crd).await?;
    let class = class("observability")?;
    let used = identities(&class)?.into_iter().find(|identity| identity.group == crd.spec.group);
    ensure!(used.as_ref().is_some_and(|identity| identity.kind == crd.spec.names.kind), "{used:?}");
    Ok(())
}

#[test]
fn a_switch_between_baseline_and_sandbox_keeps_some_objects_and_changes_others() -> Result<()> {
    let (baseline, sandbox) = (identities(&class("baseline")?)?, identities(&class("sandbox")?)?);
    let names = |set: BTreeSet<&files::Item>| set.into_iter().map(|item| item.name.clone()).collect::<Vec<_>>();
    let shared = names(baseline.intersection(&sandbox).collect());
    ensure!(shared == ["defaults", "compute", "allow-dns"], "{shared:?}");
    ensure!(names(baseline.difference(&sandbox).collect()) == ["default-deny", "team-edit"]);
    ensure!(names(sandbox.difference(&baseline).collect()) == ["nothing-public", "deny-egress"]);
    Ok(())
}
