//! Manifests that the server cannot read or does not accept, whatever is there already.

use anyhow::Result;
use serde_json::{Value, json};

use crate::server::Server;

#[tokio::test]
async fn c37_a_manifest_that_does_not_fit_its_schema_is_invalid() -> Result<()> {
    let server = Server::open("c37-schema").await?;
    let settings = server.config_map("settings");
    settings.check("unknown-field", settings.create(json!({ "dta": { "a": "1" } })).await?)?;
    settings.check("wrong-type", settings.create(json!({ "data": { "a": 1 } })).await?)?;
    let web = server.object("v1", "Service", "services", "web");
    let twice = json!({ "spec": { "ports": [{ "port": 80 }, { "port": 80 }] } });
    web.check("duplicate-key", web.create(twice).await?)?;
    // Not with an unknown field: the server stops there, having looked at the others in the order of a Go map.
    let several = json!({ "spec": { "ports": [{ "port": "80" }], "sessionAffinity": 2, "type": 1 } });
    web.check("several-schema-errors", web.create(several).await?)
}

#[tokio::test]
async fn c37_a_manifest_that_breaks_a_rule_of_its_kind_is_invalid() -> Result<()> {
    let server = Server::open("c37-rules").await?;
    let web = server.object("apps/v1", "Deployment", "deployments", "web");
    web.check("missing-required", web.create(json!({ "spec": { "replicas": 1 } })).await?)?;
    let limits = server.object("v1", "LimitRange", "limitranges", "limits");
    let amount = json!({ "spec": { "limits": [{ "type": "Container", "max": { "memory": "lots" } }] } });
    limits.check("bad-quantity", limits.create(amount).await?)?;
    let settings = server.config_map("settings");
    let label = json!({ "metadata": { "labels": { "team": "no spaces: field is immutable" } } });
    settings.check("bad-label", settings.create(label).await?)?;
    let misnamed = server.config_map("Settings");
    misnamed.check("bad-name", misnamed.create(json!({})).await?)?;
    let other = json!({ "metadata": { "name": "other" } });
    settings.check("body-names-another", settings.create(other).await?)?;
    let elsewhere = json!({ "metadata": { "namespace": "default" } });
    settings.check("body-in-another-namespace", settings.create(elsewhere).await?)?;
    let kind = json!({ "kind": "Secret" });
    settings.check("body-of-another-kind", settings.create(kind).await?)?;
    let large = json!({ "data": { "a": "x".repeat(1_100_000) } });
    settings.check("too-long", settings.create(large).await?)?;
    let huge = json!({ "data": { "a": "x".repeat(3_200_000) } });
    settings.check("body-too-large", settings.create(huge).await?)?;
    let review = server.cluster_object("authorization.k8s.io/v1", "SubjectAccessReview", "subjectaccessreviews", "x");
    review.check("no-such-verb", review.create(json!({ "spec": { "user": "x" } })).await?)
}

#[tokio::test]
async fn c37_a_custom_resource_that_does_not_fit_its_schema_is_invalid() -> Result<()> {
    let server = Server::open("c37-custom").await?;
    let gadget = crate::absence::serve(&server, "Gadget", "gadgets").await?;
    let spec = |spec: Value| json!({ "spec": spec });
    gadget.check("custom-unknown-field", gadget.create(spec(json!({ "colour": "red" }))).await?)?;
    gadget.check("custom-wrong-type", gadget.create(spec(json!({ "size": "big" }))).await?)?;
    gadget.check("custom-out-of-range", gadget.create(spec(json!({ "size": 900 }))).await?)?;
    gadget.check("custom-missing-required", gadget.create(spec(json!({}))).await?)?;
    gadget.check("custom-rule", gadget.create(spec(json!({ "size": 7 }))).await?)
}
