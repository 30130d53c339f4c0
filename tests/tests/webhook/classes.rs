//! What is judged about classes, and what is not.

use anyhow::{Context, Result, ensure};
use http::{Request, header::CONTENT_TYPE};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use nsclass_shared::names::CONFIRM_ANNOTATION;
use nsclass_tests::eventually;
use serde_json::{Value, json};

use crate::stage::{Stage, config_map, denied, says};

#[tokio::test]
async fn a05_a_class_with_five_faults_is_refused_with_five_findings_in_one_answer() -> Result<()> {
    let stage = Stage::open("a05-five").await?;
    let faults = [
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "other" } }),
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "finalizers": ["x/y"] } }),
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "b" }, "data": { "x": "{{ .Namespace.Nmae }}" } }),
        config_map("twice"),
        config_map("twice"),
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "Not_A_Name" } }),
    ];
    let status = stage.refused("std", &faults).await?;
    let places = [
        "spec.resources[0].kind",
        "spec.resources[1].metadata.finalizers",
        "spec.resources[2].data.x",
        "spec.resources[4]",
        "spec.resources[5].metadata.name",
    ];
    says(&status.message, &places)?;
    says(&status.message, &["namespaceclasses.nsclass.io", "take the item out", "give it another name"])?;
    let causes = &status.details.as_ref().context("no details")?.causes;
    let fields: Vec<&str> = causes.iter().map(|cause| cause.field.as_str()).collect();
    ensure!((status.code, fields.as_slice()) == (422, &places), "{} {fields:?}", status.code);
    Ok(())
}

#[tokio::test]
async fn a05_a_long_answer_arrives_whole() -> Result<()> {
    let stage = Stage::open("a05-long").await?;
    let items: Vec<Value> = (0..100)
        .map(|i| json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": format!("n{i}") } }))
        .collect();
    let status = stage.refused("std", &items).await?;
    says(&status.message, &["spec.resources[0].kind", "spec.resources[60].kind", "more)"])?;
    ensure!(status.message.len() > 15_000, "{} bytes", status.message.len());
    Ok(())
}

#[tokio::test]
async fn a05_what_is_suspicious_is_a_warning_of_at_most_120_characters() -> Result<()> {
    let stage = Stage::open("a05-warn").await?;
    let widget = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "w" } });
    let class = stage.new_class("std", &[widget, config_map("a")])?;
    let uri = "/apis/nsclass.io/v1alpha1/namespaceclasses?dryRun=All";
    let request =
        Request::post(uri).header(CONTENT_TYPE, "application/json").body(serde_json::to_vec(&class)?.into())?;
    let answer = stage.client().send(request).await?;
    ensure!(answer.status() == 201, "{answer:?}");
    let warnings: Vec<&str> = answer.headers().get_all("warning").iter().filter_map(|w| w.to_str().ok()).collect();
    says(&warnings.join(" "), &["spec.resources[0].kind: the API server does not serve it"])?;
    ensure!(warnings.len() == 1 && warnings[0].len() <= 130, "{warnings:?}");
    Ok(())
}

#[tokio::test]
async fn a05_a_kind_whose_definition_comes_is_known_soon() -> Result<()> {
    let stage = Stage::open("a05-late").await?;
    let gadget = json!({ "apiVersion": "late.example.com/v1", "kind": "Gadget", "metadata": { "name": "same" } });
    let class = stage.new_class("std", &[gadget])?;
    let body = serde_json::to_vec(&class)?;
    let warnings = async || {
        let uri = "/apis/nsclass.io/v1alpha1/namespaceclasses?dryRun=All";
        let request = Request::post(uri).header(CONTENT_TYPE, "application/json").body(body.clone().into())?;
        let answer = stage.client().send(request).await?;
        let warnings = answer.headers().get_all("warning").iter().map(|w| Ok(w.to_str()?.to_owned())).collect();
        let warnings: Result<Vec<String>> = warnings;
        anyhow::Ok(warnings?.join(" "))
    };
    says(&warnings().await?, &["does not serve it"])?;
    stage.cp.apply_yaml(GADGETS).await?;
    eventually("the kind is known as a cluster-scoped one", async || {
        says(&warnings().await?, &["only one namespace can have"])
    })
    .await
}

const GADGETS: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.late.example.com }
spec:
  group: late.example.com
  names: { kind: Gadget, plural: gadgets, singular: gadget }
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
";

#[tokio::test]
async fn a06_bad14_a_class_that_became_invalid_can_be_released_and_deleted_but_not_edited() -> Result<()> {
    let stage = Stage::unasked("a06").await?;
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "other" } });
    stage.create("std", &[namespace]).await??;
    stage.ask().await?;
    let (classes, name) = (stage.classes(), stage.name("std"));
    let patch = async |patch: Value| classes.patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await;
    patch(json!({ "metadata": { "finalizers": ["nsclass.io/finalizer"], "labels": { "a": "b" } } })).await?;
    says(&denied(patch(json!({ "spec": { "drift": "Report" } })).await)?.message, &["spec.resources[0].kind"])?;
    let status = json!({ "status": { "observedGeneration": 1 } });
    classes.patch_status(&name, &PatchParams::default(), &Patch::Merge(status)).await?;
    classes.delete(&name, &DeleteParams::default()).await?;
    patch(json!({ "metadata": { "finalizers": null } })).await?;
    eventually("the class is gone", async || {
        ensure!(classes.get_opt(&name).await?.is_none(), "it is there");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn bad08_items_that_a_class_may_not_hold_are_refused_at_admission() -> Result<()> {
    let stage = Stage::open("bad08").await?;
    let map = |metadata: Value| {
        let mut map = config_map("a");
        for (key, value) in metadata.as_object().into_iter().flatten() {
            map["metadata"][key] = value.clone();
        }
        map
    };
    let kind = |api_version: &str, kind: &str| json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": "a" }, "items": [] });
    let owner = json!([{ "apiVersion": "v1", "kind": "ConfigMap", "name": "b", "uid": "u" }]);
    let refused = [
        (kind("v1", "List"), "spec.resources[0]"),
        (kind("v1", "Namespace"), "spec.resources[0].kind"),
        (kind("nsclass.io/v1alpha1", "NamespaceClass"), "spec.resources[0].kind"),
        (kind("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"), "spec.resources[0].kind"),
        (map(json!({ "ownerReferences": owner })), "spec.resources[0].metadata.ownerReferences"),
        (map(json!({ "finalizers": ["x/y"] })), "spec.resources[0].metadata.finalizers"),
        (map(json!({ "generateName": "a-" })), "spec.resources[0].metadata.generateName"),
    ];
    for (item, place) in refused {
        says(&stage.refused("std", &[item]).await?.message, &[place])?;
    }
    let mut status = config_map("b");
    status["status"] = json!({ "x": 1 });
    // Worth a warning at most.
    let foreign = map(json!({ "namespace": "elsewhere" }));
    stage.create("std", &[kind("example.com/v1", "Widget"), status, foreign]).await??;
    Ok(())
}

#[tokio::test]
async fn c47_a_class_that_four_namespaces_have_is_deleted_only_with_the_confirmation_that_the_refusal_names()
-> Result<()> {
    let stage = Stage::open("c47").await?;
    let (classes, name) = (stage.classes(), stage.name("std"));
    stage.create("std", &[config_map("a")]).await??;
    // No controller is here to count.
    let counts = json!({ "bound": 4, "ready": 4, "failing": 0 });
    let status = json!({ "status": { "observedGeneration": 1, "namespaces": counts } });
    classes.patch_status(&name, &PatchParams::default(), &Patch::Merge(status)).await?;
    let refusal = denied(classes.delete(&name, &DeleteParams::default()).await)?;
    says(&refusal.message, &[&name, "in use", "4 namespaces", "kubectl annotate"])?;
    ensure!(refusal.code == 403, "{}", refusal.code);
    denied(classes.delete(&name, &DeleteParams { dry_run: true, ..DeleteParams::default() }).await)?;
    // One of many, it is no less in use.
    let only = ListParams::default().fields(&format!("metadata.name={name}"));
    denied(classes.delete_collection(&DeleteParams::default(), &only).await)?;

    let confirm = async |digest: &str| {
        let patch = json!({ "metadata": { "annotations": { CONFIRM_ANNOTATION: digest } } });
        classes.patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await
    };
    confirm("of-another").await?;
    denied(classes.delete(&name, &DeleteParams::default()).await)?;
    let (_, after) =
        refusal.message.split_once(&format!("{CONFIRM_ANNOTATION}=")).context("no confirmation is named")?;
    confirm(after.split_whitespace().next().context("nothing to confirm with")?).await?;
    classes.delete(&name, &DeleteParams::default()).await?;
    ensure!(classes.get_opt(&name).await?.is_none(), "it is there");
    Ok(())
}
