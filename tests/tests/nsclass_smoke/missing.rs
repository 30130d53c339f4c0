//! Installations that are none, or half of one.

use anyhow::Result;
use nsclass_shared::api::crds;
use nsclass_shared::names::{RELEASED_ANNOTATION, controller_lease};
use nsclass_tests::install::ensure_namespace;
use nsclass_tests::{ControlPlane, OPERATOR_NAMESPACE, Options};
use serde_json::{Value, json};

use crate::stage::{ensure_clean, ensure_says, smoke};

fn lease(annotations: &Value, spec: &Value) -> String {
    let name = controller_lease("default");
    let metadata = json!({ "name": name, "namespace": OPERATOR_NAMESPACE, "annotations": annotations });
    json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec }).to_string()
}

#[tokio::test]
async fn what_is_missing_is_named_with_what_brings_it_and_nothing_is_left() -> Result<()> {
    let cp = ControlPlane::start(Options::default()).await?;
    let result = smoke(&cp, &[]).await?;
    ensure_says(
        &result,
        1,
        &["does not serve NamespaceClass", "Remedy: install the chart, or kubectl apply -f deploy/crds."],
    )?;

    cp.install_crds(&crds()).await?;
    let result = smoke(&cp, &[]).await?;
    ensure_says(
        &result,
        1,
        &["no controller of instance default has ever run in nsclass-system", "--operator-namespace"],
    )?;

    // As the chart makes it, before anybody leads.
    ensure_namespace(&cp.admin(), OPERATOR_NAMESPACE).await?;
    cp.apply_yaml(&lease(&json!({}), &json!({}))).await?;
    let result = smoke(&cp, &["--timeout", "2"]).await?;
    ensure_says(&result, 1, &["no controller leads instance default", "nobody holds it", "component=controller"])?;

    // Of a controller that is dead.
    cp.apply_yaml(&lease(&json!({}), &json!({ "holderIdentity": "dead", "leaseDurationSeconds": 15 }))).await?;
    let result = smoke(&cp, &["--timeout", "2"]).await?;
    ensure_says(&result, 1, &["dead holds it and does not renew it"])?;

    cp.apply_yaml(&lease(&json!({ RELEASED_ANNOTATION: "2026-01-01T00:00:00Z" }), &json!({}))).await?;
    let result = smoke(&cp, &[]).await?;
    ensure_says(&result, 1, &["released since 2026-01-01T00:00:00Z", "nsclass release --undo --instance default"])?;
    ensure_clean(&cp).await
}
