//! The end of the installation.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::admissionregistration::v1::{ValidatingAdmissionPolicy, ValidatingWebhookConfiguration};
use k8s_openapi::api::core::v1::{Namespace, ResourceQuota, Secret};
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::api::{DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams};
use kube::discovery::pinned_kind;
use kube::{Api, ResourceExt};
use nsclass_shared::api::NamespaceClassBinding;
use nsclass_shared::names::{CLASS_LABEL, FINALIZER};
use serde_json::json;

use crate::components::NAMESPACE;
use crate::load::of_items;
use crate::stage::Stage;

/// Namespaces that change to a class of a `ConfigMap` and a `ClusterRole`: what only their old classes have goes at once, and the role in
/// the cluster's room has the operator hold the namespace, which the removal must end.
const CHANGERS: [&str; 4] = ["meanwhile", "storefront", "checkout", "registry"];
const LAST_CLASS: &str = "keeper";
/// A namespace that leaves its class, which waits for ten seconds.
const LEAVER: &str = "playground";
/// Namespaces that are bound until the end; the first has left the scope.
const STAYERS: [&str; 2] = ["payments", "registry"];

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage
        .screen
        .step("The operator is removed", "What is to go is let go of before; what is bound then keeps what it has.");
    let_go(stage).await?;
    stage.helm_uninstall().await?;
    nothing_left(stage).await?;
    kept(stage).await?;
    deletable(stage).await
}

/// While the operator is there: every kind of object is deleted once.
async fn let_go(stage: &Stage<'_>) -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(stage.client.clone());
    let bindings: Api<NamespaceClassBinding> = Api::all(stage.client.clone());
    let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "kept" } });
    let role = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": "kept-{{ .Namespace.Name }}" }, "rules": [] });
    stage.classes().create(&PostParams::default(), &of_items(LAST_CLASS, &[map, role])?).await?;
    let label = async |namespace: &str, class: Option<&str>| {
        let patch = Patch::Merge(json!({ "metadata": { "labels": { CLASS_LABEL: class } } }));
        namespaces.patch(namespace, &PatchParams::default(), &patch).await
    };
    label(LEAVER, None).await?;
    for namespace in CHANGERS {
        label(namespace, Some(LAST_CLASS)).await?;
    }
    for namespace in CHANGERS {
        stage
            .claim(format!("{namespace} has what its last class says, and nothing else of ours"), async || {
                let inventory = stage.ensure_ready(namespace, LAST_CLASS).await?.status.unwrap_or_default().inventory;
                let names: BTreeSet<_> = inventory.iter().map(|entry| entry.name.clone()).collect();
                ensure!(names == BTreeSet::from(["kept".to_owned(), format!("kept-{namespace}")]), "{names:?}");
                let held = namespaces.get_metadata(namespace).await?.finalizers().iter().any(|it| it == FINALIZER);
                ensure!(held, "the namespace could go without its ClusterRole");
                Ok(())
            })
            .await?;
    }
    stage
        .claim(format!("{LEAVER} has no class, and nothing of ours"), async || {
            ensure!(bindings.get_opt(LEAVER).await?.is_none(), "it has a binding");
            let quotas: Api<ResourceQuota> = Api::namespaced(stage.client.clone(), LEAVER);
            let ours = quotas.list(&ListParams::default().labels("nsclass.io/managed")).await?.items;
            ensure!(ours.is_empty(), "{} ResourceQuotas", ours.len());
            Ok(())
        })
        .await
}

/// Of the installation, but for the definitions.
async fn nothing_left(stage: &Stage<'_>) -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(stage.client.clone());
    let configurations: Api<ValidatingWebhookConfiguration> = Api::all(stage.client.clone());
    let policies: Api<ValidatingAdmissionPolicy> = Api::all(stage.client.clone());
    let roles: Api<ClusterRole> = Api::all(stage.client.clone());
    stage
        .screen
        .fact("no webhook, policy or role of ours is left", async || {
            let mut left: Vec<String> =
                configurations.list(&ListParams::default()).await?.iter().map(ResourceExt::name_any).collect();
            left.extend(policies.list(&ListParams::default()).await?.iter().map(ResourceExt::name_any));
            let roles = roles.list(&ListParams::default()).await?;
            left.extend(roles.iter().map(ResourceExt::name_any).filter(|role| role.starts_with("nsclass-")));
            ensure!(left.is_empty(), "{left:?}");
            Ok(())
        })
        .await?;
    let secrets: Api<Secret> = Api::namespaced(stage.client.clone(), NAMESPACE);
    stage
        .screen
        .fact("no key is left", async || {
            let left: Vec<_> = secrets.list(&ListParams::default()).await?.iter().map(ResourceExt::name_any).collect();
            ensure!(left.is_empty(), "{left:?}");
            Ok(())
        })
        .await?;
    stage
        .screen
        .fact("no finalizer of ours is left, on a namespace or on a class", async || {
            let namespaces = namespaces.list(&ListParams::default()).await?;
            let held = namespaces
                .iter()
                .filter(|it| it.finalizers().iter().any(|it| it == FINALIZER))
                .map(ResourceExt::name_any);
            let classes = stage.classes().list(&ListParams::default()).await?;
            let classes =
                classes.iter().filter(|it| it.finalizers().iter().any(|it| it == FINALIZER)).map(ResourceExt::name_any);
            let held: Vec<String> = held.chain(classes).collect();
            ensure!(held.is_empty(), "{held:?}");
            Ok(())
        })
        .await
}

/// Everything that namespaces had when the operator went.
async fn kept(stage: &Stage<'_>) -> Result<()> {
    let bindings: Api<NamespaceClassBinding> = Api::all(stage.client.clone());
    for namespace in STAYERS {
        stage
            .screen
            .fact(format!("{namespace} keeps what it had"), async || {
                let status = bindings.get(namespace).await?.status.context("no status")?;
                for entry in &status.inventory {
                    let gvk = GroupVersionKind::gvk(&entry.group, &entry.version, &entry.kind);
                    let (resource, _) = pinned_kind(&stage.client, &gvk).await?;
                    let client = stage.client.clone();
                    let objects: Api<DynamicObject> = match &*entry.namespace {
                        "" => Api::all_with(client, &resource),
                        namespace => Api::namespaced_with(client, namespace, &resource),
                    };
                    let live = objects.get(&entry.name).await?;
                    ensure!(live.uid().as_deref() == Some(&entry.uid), "{} {} is another one", entry.kind, entry.name);
                }
                ensure!(!status.inventory.is_empty(), "an empty inventory");
                Ok(())
            })
            .await?;
    }
    Ok(())
}

/// Nothing is stuck.
async fn deletable(stage: &Stage<'_>) -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(stage.client.clone());
    let names = CHANGERS.into_iter().chain(["first", "payments", LEAVER, NAMESPACE]).collect::<Vec<_>>();
    for namespace in &names {
        stage.delete(&namespaces, namespace).await?;
    }
    stage
        .claim("every namespace that was managed can be deleted, and the operator's own", async || {
            let left = namespaces.list(&ListParams::default()).await?;
            let left: Vec<_> = left.iter().map(ResourceExt::name_any).filter(|it| names.contains(&&**it)).collect();
            ensure!(left.is_empty(), "{left:?}");
            Ok(())
        })
        .await?;
    for class in stage.classes().list(&ListParams::default()).await? {
        stage.delete(&stage.classes(), &class.name_any()).await?;
    }
    stage
        .claim("every class can be deleted", async || {
            let left = stage.classes().list(&ListParams::default()).await?.items.len();
            ensure!(left == 0, "{left}");
            Ok(())
        })
        .await
}
