//! Helm, as a person uses it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tokio::process::Command;

use crate::components::{NAMESPACE, RELEASE};
use crate::stage::Stage;

/// The chart.
pub const CHART: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/chart");

impl Stage<'_> {
    /// `helm install`.
    pub async fn helm_install(&self, values: &Value) -> Result<String> {
        let file = self.values("values.yaml", values)?;
        self.screen.command(&format!(
            "helm install {RELEASE} deploy/chart -n {NAMESPACE} --create-namespace --wait -f values.yaml"
        ));
        self.helm(&["install", RELEASE, CHART, "--create-namespace", "--wait", "--timeout=180s", "-f", &file]).await
    }

    /// `helm upgrade` to `chart`.
    pub async fn helm_upgrade(&self, chart: &Path, values: &Value) -> Result<String> {
        let file = self.values("values.yaml", values)?;
        let shown = chart.file_name().unwrap_or_default().to_string_lossy();
        self.screen.command(&format!("helm upgrade {RELEASE} {shown} -n {NAMESPACE} --wait -f values.yaml"));
        let chart = chart.display().to_string();
        self.helm(&["upgrade", RELEASE, &chart, "--wait", "--timeout=180s", "-f", &file]).await
    }

    /// `helm uninstall`.
    pub async fn helm_uninstall(&self) -> Result<String> {
        self.screen.command(&format!("helm uninstall {RELEASE} -n {NAMESPACE} --wait"));
        self.helm(&["uninstall", RELEASE, "--wait", "--timeout=180s"]).await
    }

    /// `helm template`: every document of the chart, hooks too.
    pub async fn helm_template(&self, values: &Value) -> Result<String> {
        let file = self.values("template.yaml", values)?;
        self.helm(&["template", RELEASE, CHART, "-f", &file]).await
    }

    fn values(&self, name: &str, values: &Value) -> Result<String> {
        let file: PathBuf = self.dir.join(name);
        fs::write(&file, values.to_string()).with_context(|| file.display().to_string())?;
        Ok(file.display().to_string())
    }

    async fn helm(&self, args: &[&str]) -> Result<String> {
        let mut helm = Command::new(&self.brief.helm);
        helm.args(args).args(["--namespace", NAMESPACE]).env("KUBECONFIG", &self.kubeconfig).kill_on_drop(true);
        for directory in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"] {
            helm.env(directory, self.dir.join("helm"));
        }
        let work = helm.output();
        let output = self.screen.while_waiting(&format!("helm {}", args[0]), String::new, work).await?;
        let [out, err] = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        ensure!(output.status.success(), "helm {}: {err}{out}", args.join(" "));
        Ok(out)
    }
}
