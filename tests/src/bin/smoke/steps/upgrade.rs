//! `helm upgrade` to a chart that differs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use nsclass_shared::api::{NamespaceClassBinding, get_condition};
use serde_json::json;

use crate::components::{CONFIGURATION, CONTROLLER, WEBHOOK};
use crate::helm::CHART;
use crate::load::Load;
use crate::outside::NEXT_TAG;
use crate::stage::Stage;
use crate::steps::install;

/// The entry of the webhook configuration, then and now.
const ENTRY: &str = "namespaceclasses.nsclass.io";
const RENAMED: &str = "classes.nsclass.io";
/// A field that a later version might add.
const FIELD: &str = "contact";

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage.screen.step(
        "helm upgrade under steady requests",
        "A later chart: another image, a narrower scope, a renamed entry of the webhook configuration, one more field in a CRD.",
    );
    let chart = later_chart(&stage.dir)?;
    let mut values = install::values(NEXT_TAG);
    values["scope"] = json!({ "namespaceSelector": { "matchExpressions": [
        { "key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["payments"] },
    ] } });
    let configurations: Api<ValidatingWebhookConfiguration> = Api::all(stage.client.clone());
    let entries = async || -> Result<Vec<String>> {
        let webhooks = configurations.get(CONFIGURATION).await?.webhooks.unwrap_or_default();
        Ok(webhooks.into_iter().map(|webhook| webhook.name).collect())
    };
    let rename = |name: String| if name == ENTRY { RENAMED.to_owned() } else { name };
    let wanted: Vec<String> = entries().await?.into_iter().map(rename).collect();
    let load = Load::start(stage.plane())?;
    stage.helm_upgrade(&chart, &values).await?;
    for component in [CONTROLLER, WEBHOOK] {
        let claim = format!("two {component} pods of the new image are ready");
        stage
            .claim(claim, async || {
                for pod in stage.ensure_pods(component, 2).await? {
                    let image = pod.spec.and_then(|spec| spec.containers.into_iter().next()?.image).unwrap_or_default();
                    ensure!(image.ends_with(NEXT_TAG), "{image}");
                }
                Ok(())
            })
            .await?;
    }
    stage
        .claim("the webhook configuration has the renamed entry instead of the old one", async || {
            let names = entries().await?;
            ensure!(names == wanted && names.iter().any(|name| name == RENAMED), "{names:?}");
            Ok(())
        })
        .await?;
    let bindings: Api<NamespaceClassBinding> = Api::all(stage.client.clone());
    stage
        .claim("payments has left the scope, and keeps what it has", async || {
            let status = bindings.get("payments").await?.status.context("no status")?;
            let inside = get_condition(&status.conditions, "InScope").context("no condition InScope")?;
            ensure!(inside.status == "False" && !status.inventory.is_empty(), "{inside:?}");
            Ok(())
        })
        .await?;
    let definitions: Api<CustomResourceDefinition> = Api::all(stage.client.clone());
    stage
        .claim("the new field is served", async || {
            let crd = definitions.get("namespaceclasses.nsclass.io").await?;
            let text = serde_json::to_string(&crd.spec.versions)?;
            ensure!(text.contains(&format!("\"{FIELD}\":")), "{FIELD} is not in the schema");
            Ok(())
        })
        .await?;
    let count = stage.screen.fact("no request was lost", async || load.stop().await).await?;
    stage.screen.say(&format!("{count} requests, each decided as it should be."));
    Ok(())
}

/// A copy of the chart with what a later version might bring.
fn later_chart(dir: &Path) -> Result<PathBuf> {
    let later = dir.join("later-chart");
    copy(Path::new(CHART), &later)?;
    edit(&later.join("files/webhook-configuration.yaml"), &format!("name: {ENTRY}"), &format!("name: {RENAMED}"))?;
    let crd = later.join("files/crds/namespaceclasses.nsclass.io.yaml");
    // The first property of the spec; it gets a neighbour.
    let neighbour = "              adoption:\n";
    edit(&crd, neighbour, &format!("              {FIELD}:\n                type: string\n{neighbour}"))?;
    edit(&later.join("Chart.yaml"), "\nversion: 0.1.0\n", "\nversion: 0.1.1\n")?;
    Ok(later)
}

fn edit(file: &Path, from: &str, to: &str) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    ensure!(text.matches(from).count() == 1, "{}: {from:?} is not there once", file.display());
    Ok(fs::write(file, text.replace(from, to))?)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() { copy(&entry.path(), &to)? } else { fs::copy(entry.path(), to).map(drop)? }
    }
    Ok(())
}
