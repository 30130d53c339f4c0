//! What is not there: the object, its kind, its namespace. Only the first proves anything about the object (class.md C03, C41).

use anyhow::{Result, ensure};
use nsclass_tests::{Identity, eventually};
use serde_json::json;

use crate::server::{Object, Server};

#[tokio::test]
async fn c03_only_the_name_asked_for_is_a_definite_not_found() -> Result<()> {
    let server = Server::open("c03").await?;
    let settings = server.config_map("settings");
    settings.check("read-missing", settings.read().await?)?;
    settings.check("delete-missing", settings.delete("6e2a5f4c-0000-4000-8000-000000000000").await?)?;
    let role = server.cluster_object("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", "c03:reader");
    role.check("read-missing-cluster-scoped", role.read().await?)?;
    let elsewhere = server.config_map("settings").in_namespace("no-such-namespace");
    elsewhere.check("read-in-missing-namespace", elsewhere.read().await?)?;
    elsewhere.check("delete-in-missing-namespace", elsewhere.delete("6e2a5f4c-0000-4000-8000-000000000000").await?)
}

#[tokio::test]
async fn c03_a_removed_kind_is_not_a_missing_object() -> Result<()> {
    let server = Server::open("c03-kind").await?;
    let widget = server.object("c03.example.com/v1", "Widget", "widgets", "one");
    widget.check("unknown-group", widget.read().await?)?;
    widget.check("create-unknown-group", widget.create(json!({})).await?)?;
    let thing = server.object("v1", "Thing", "things", "one");
    thing.check("unknown-kind-of-core", thing.read().await?)?;
    let old = server.object("apps/v1beta1", "Deployment", "deployments", "web");
    old.check("unknown-version", old.create(json!({})).await?)?;

    let relic = serve(&server, "Relic", "relics").await?;
    let keeper = relic.named("keeper");
    keeper.check("read-missing-custom", keeper.read().await?)?;
    keeper.made(json!({ "metadata": { "finalizers": ["c03.example.com/held"] }, "spec": { "size": 1 } })).await?;
    let definition = definition(&server, "relics");
    let (_, found) = definition.read().await?;
    let uid = found?["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
    let (_, gone) = definition.delete(&uid).await?;
    gone?;
    relic.check("kind-terminating", relic.refused_at_last(json!({ "spec": { "size": 1 } })).await?)?;
    keeper.merge(json!({ "metadata": { "finalizers": null } })).await?;
    eventually("the definition is gone", async || {
        let (_, read) = definition.read().await?;
        ensure!(read.is_err(), "it is still there");
        // The handler of the kind goes a little later.
        let (_, read) = relic.read().await?;
        let message = read.err().map(|status| status.message).unwrap_or_default();
        ensure!(!message.contains("\"one\""), "it is still served: {message}");
        Ok(())
    })
    .await?;
    relic.check("kind-removed", relic.read().await?)?;
    relic.check("delete-kind-removed", relic.delete(&uid).await?)
}

#[tokio::test]
async fn c37_a_missing_or_terminating_namespace_is_named_as_such() -> Result<()> {
    let server = Server::open("c37-namespace").await?;
    let elsewhere = server.config_map("settings").in_namespace("no-such-namespace");
    elsewhere.check("namespace-missing", elsewhere.create(json!({})).await?)?;
    let namesake = server.config_map("no-such-namespace").in_namespace("no-such-namespace");
    namesake.check("namespace-missing-namesake", namesake.create(json!({})).await?)?;

    let held = server.config_map("held");
    held.made(json!({ "metadata": { "finalizers": ["c03.example.com/held"] } })).await?;
    let namespace = server.cluster_object("v1", "Namespace", "namespaces", &server.namespace);
    let (_, found) = namespace.read().await?;
    let uid = found?["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
    let (_, going) = namespace.delete(&uid).await?;
    going?;
    let settings = server.config_map("settings");
    settings.check("namespace-terminating", settings.refused_at_last(json!({})).await?)?;
    held.merge(json!({ "metadata": { "finalizers": null } })).await?;
    Ok(())
}

#[tokio::test]
async fn c37_what_nobody_answers_for_is_tried_again() -> Result<()> {
    let server = Server::open("c37-retry").await?;
    let nobody = Server::of(&Identity::Token("nobody".to_owned()), &server.namespace).await?;
    let settings = nobody.config_map("settings");
    settings.check("bad-token", settings.read().await?)?;
    let service =
        server.cluster_object("apiregistration.k8s.io/v1", "APIService", "apiservices", "v1.away.example.com");
    service
        .made(json!({ "spec": {
            "group": "away.example.com",
            "version": "v1",
            "groupPriorityMinimum": 1000,
            "versionPriority": 10,
            "insecureSkipTLSVerify": true,
            "service": { "namespace": server.namespace, "name": "away" },
        } }))
        .await?;
    let away = server.object("away.example.com/v1", "Thing", "things", "one");
    eventually("the aggregated API is known", async || {
        let (_, read) = away.read().await?;
        let status = read.err().map(|status| status.code);
        ensure!(status == Some(503), "{status:?}");
        Ok(())
    })
    .await?;
    away.check("aggregated-api-away", away.read().await?)
}

/// Serves a new kind of the group `c03.example.com`, and waits until the server knows it.
pub(crate) async fn serve(server: &Server, kind: &str, plural: &str) -> Result<Object> {
    let spec = json!({
        "type": "object",
        "required": ["size"],
        "properties": { "size": { "type": "integer", "maximum": 9 }, "zone": { "type": "string" } },
        "x-kubernetes-validations": [
            { "rule": "self.size != 7", "message": "seven is taken" },
            {
                "rule": "!has(oldSelf.zone) || !has(self.zone) || self.zone == oldSelf.zone",
                "message": "Value is immutable",
                "fieldPath": ".zone",
            },
        ],
    });
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    definition(server, plural)
        .made(json!({ "spec": {
            "group": "c03.example.com",
            "scope": "Namespaced",
            "names": { "kind": kind, "plural": plural, "singular": kind.to_lowercase(), "listKind": format!("{kind}List") },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        } }))
        .await?;
    let object = server.object("c03.example.com/v1", kind, plural, "one");
    eventually("the new kind is served", async || {
        let (_, read) = object.read().await?;
        let message = read.err().map(|status| status.message).unwrap_or_default();
        ensure!(message.contains("\"one\""), "{message}");
        Ok(())
    })
    .await?;
    Ok(object)
}

fn definition(server: &Server, plural: &str) -> Object {
    let name = format!("{plural}.c03.example.com");
    server.cluster_object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", &name)
}
