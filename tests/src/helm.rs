//! Helm, and our chart: rendered, and installed for real.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::assets;
use crate::process::ScratchDir;

/// The chart.
pub const CHART: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/chart");

/// Where the default installation is, and what its release is called.
pub const RELEASE: [&str; 2] = ["nsclass", "nsclass-system"];

/// Helm with a home of its own: it neither sees nor changes what its user has configured.
#[derive(Debug)]
pub struct Helm {
    program: PathBuf,
    home: ScratchDir,
    kubeconfig: Option<PathBuf>,
}

/// What Helm said.
#[derive(Debug)]
pub struct Said {
    /// Whether it did as it was asked.
    pub is_success: bool,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub complaints: String,
}

impl Helm {
    /// Finds Helm, or builds it; blocks meanwhile. It knows no cluster.
    ///
    /// # Errors
    /// As [`assets::find`].
    pub fn find() -> Result<Self> {
        let program = assets::find(&assets::HELM)?.join("helm");
        Ok(Self { program, home: ScratchDir::new("nsclass-helm-")?, kubeconfig: None })
    }

    /// With a cluster.
    #[must_use]
    pub fn on(self, kubeconfig: impl Into<PathBuf>) -> Self {
        Self { kubeconfig: Some(kubeconfig.into()), ..self }
    }

    /// Runs a command to its end; blocks meanwhile.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn run(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<Said> {
        let home = |name: &str| self.home.path().join(name);
        let mut command = Command::new(&self.program);
        // A kubeconfig that is not there keeps it from the user's.
        let kubeconfig = self.kubeconfig.clone().unwrap_or_else(|| home("no-kubeconfig"));
        command.args(args).env("KUBECONFIG", kubeconfig).env("HELM_CACHE_HOME", home("cache"));
        command.env("HELM_CONFIG_HOME", home("config")).env("HELM_DATA_HOME", home("data"));
        let output = command.output().with_context(|| format!("{} cannot be run", self.program.display()))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Said { is_success: output.status.success(), out: text(&output.stdout), complaints: text(&output.stderr) })
    }

    /// The chart rendered as the default release, with values such as `webhook.replicas=3` (as `--set-json` takes them) on top.
    ///
    /// # Errors
    /// When it cannot be run; a refusal is in what it said.
    pub fn template(&self, values: &[&str]) -> Result<Said> {
        self.template_as(RELEASE, values)
    }

    /// [`Self::template`] as the release `[name, namespace]`.
    ///
    /// # Errors
    /// As there.
    pub fn template_as(&self, [name, namespace]: [&str; 2], values: &[&str]) -> Result<Said> {
        self.run(["template", name, CHART, "--namespace", namespace].into_iter().chain(set(values)))
    }

    /// What `deploy/manifests.yaml` must be, but for its head: the default release without hooks.
    ///
    /// # Errors
    /// When the chart does not render.
    pub fn manifests(&self) -> Result<String> {
        let [name, namespace] = RELEASE;
        self.run(["template", name, CHART, "--namespace", namespace, "--no-hooks"])?.ok()
    }
}

impl Said {
    /// Standard output of what did as it was asked.
    ///
    /// # Errors
    /// When it did not; with what it complained of.
    pub fn ok(self) -> Result<String> {
        ensure!(self.is_success, "{self}");
        Ok(self.out)
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.out, self.complaints)
    }
}

/// The arguments that set values.
pub fn set<'a>(values: &[&'a str]) -> impl Iterator<Item = &'a str> {
    values.iter().flat_map(|value| ["--set-json", *value])
}

/// A file of the chart.
pub fn chart_file(name: &str) -> PathBuf {
    Path::new(CHART).join(name)
}
