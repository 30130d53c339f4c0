//! The example classes.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::DeleteParams;

use crate::stage::Stage;

const DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/examples");
/// In the order of their README; the kind of probes before its class here, since late kinds are the demo's to show.
const FILES: [&str; 7] = [
    "probes-crd.yaml",
    "baseline.yaml",
    "sandbox.yaml",
    "shared-services.yaml",
    "observability.yaml",
    "typed-values.yaml",
    "namespaces.yaml",
];
/// Namespaces and their classes in those files.
const NAMESPACES: [(&str, &str); 5] = [
    ("payments", "baseline"),
    ("playground", "sandbox"),
    ("registry", "shared-services"),
    ("storefront", "observability"),
    ("checkout", "typed-values"),
];

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage.screen.step(
        "The example classes",
        "The controller has the chart's rights, and those for the kinds that were listed.",
    );
    for file in FILES {
        stage.screen.command(&format!("kubectl apply -f deploy/examples/{file}"));
        stage.plane().apply_file(PathBuf::from(DIR).join(file)).await?;
    }
    for (namespace, class) in NAMESPACES {
        stage
            .claim(format!("{namespace} has what {class} says"), async || stage.ensure_ready(namespace, class).await)
            .await?;
    }
    let maps: Api<ConfigMap> = Api::namespaced(stage.client.clone(), "registry");
    let before = maps.get("about-this-namespace").await?.metadata.uid;
    maps.delete("about-this-namespace", &DeleteParams::default()).await?;
    stage
        .claim("what somebody deletes is there again", async || {
            let now = maps.get("about-this-namespace").await?.metadata.uid;
            ensure!(now != before, "it is the old one still");
            Ok(())
        })
        .await
}
