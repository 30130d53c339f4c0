//! Our definitions on a real API server: what it stores, what it refuses and in which words, and what `kubectl get` shows.

mod binding;
mod class;
mod columns;
mod delay;
mod git;
mod item;
mod size;

use anyhow::{Result, bail, ensure};
use http::header::WARNING;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{PostParams, Request};
use kube::client::Body;
use kube::core::Status;
use kube::{Client, Resource, ResourceExt};
use nsclass_shared::api::{NamespaceClass, NamespaceClassBinding, crds};
use nsclass_tests::ControlPlane;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

/// A client of the shared server, our kinds served.
async fn client() -> Result<Client> {
    static SERVED: OnceCell<()> = OnceCell::const_new();
    let plane = ControlPlane::shared().await?;
    SERVED.get_or_try_init(async || plane.install_crds(&crds()).await).await?;
    Ok(plane.admin())
}

/// A class with these resources and nothing else.
fn class(name: &str, resources: &[Value]) -> Value {
    class_of(name, &json!({ "resources": resources }))
}

fn class_of(name: &str, spec: &Value) -> Value {
    json!({ "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass", "metadata": { "name": name }, "spec": spec })
}

/// An item that nobody can object to.
fn config_map(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "a": "b" } })
}

/// Creates it as it is written here, not as our types would write it, and returns it as it is stored.
async fn create<K: Resource<DynamicType = ()>>(client: &Client, object: &Value) -> kube::Result<Value> {
    let request = Request::new(K::url_path(&(), None)).create(&PostParams::default(), object.to_string().into_bytes());
    client.request(request.map_err(kube::Error::BuildRequest)?).await
}

async fn create_class(client: &Client, object: &Value) -> kube::Result<Value> {
    create::<NamespaceClass>(client, object).await
}

async fn create_binding(client: &Client, object: &Value) -> kube::Result<Value> {
    create::<NamespaceClassBinding>(client, object).await
}

/// What the server said when it refused.
fn refusal<T>(answer: kube::Result<T>) -> Result<Status> {
    match answer {
        Ok(_) => bail!("it was accepted"),
        Err(kube::Error::Api(status)) => Ok(*status),
        Err(other) => bail!("not the server's answer: {other}"),
    }
}

/// Fails unless it was refused as invalid with all of these words in the message.
fn ensure_refused<T>(answer: kube::Result<T>, words: &[&str]) -> Result<()> {
    let status = refusal(answer)?;
    ensure!(status.code == 422 && status.reason == "Invalid", "{} {}: {}", status.code, status.reason, status.message);
    for word in words {
        ensure!(status.message.contains(word), "{word:?} is not in {:?}", status.message);
    }
    Ok(())
}

#[tokio::test]
async fn the_server_takes_our_definitions_without_a_warning() -> Result<()> {
    let client = client().await?;
    for mut crd in crds() {
        // Under another group nothing of that name is there yet, and a dry run judges it as new.
        crd.spec.group = "dry-run.nsclass.io".to_owned();
        crd.metadata.name = Some(format!("{}.{}", crd.spec.names.plural, crd.spec.group));
        let params = PostParams { dry_run: true, ..PostParams::default() };
        let request =
            Request::new(CustomResourceDefinition::url_path(&(), None)).create(&params, serde_json::to_vec(&crd)?)?;
        let answer = client.send(request.map(Body::from)).await?;
        let warnings: Vec<_> = answer.headers().get_all(WARNING).iter().collect();
        ensure!(answer.status() == 201 && warnings.is_empty(), "{}: {} {warnings:?}", crd.name_any(), answer.status());
    }
    Ok(())
}
