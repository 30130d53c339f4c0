//! The command line. Every flag has a variable; both override the configuration file.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Parser, ValueEnum};
use nsclass_shared::{
    config::{Config, ConfigError, Settings},
    runtime::LogFormat,
};
use thiserror::Error;

/// Puts the objects of `NamespaceClass`es into labelled namespaces and keeps them there.
///
/// It finds the cluster as kubectl does: $KUBECONFIG, ~/.kube/config, or the pod's service account.
#[derive(Parser, Debug, Clone)]
#[command(name = "nsclass-controller", version, about, long_about, after_help = EXAMPLES)]
pub struct Args {
    /// Configuration file; without one, everything has its default.
    #[arg(long, env = "NSCLASS_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Name of this operator instance (`instance` in the file).
    #[arg(long, env = "NSCLASS_INSTANCE", value_name = "NAME")]
    pub instance: Option<String>,

    /// Namespace of the operator itself (`operatorNamespace` in the file).
    #[arg(long, env = "NSCLASS_OPERATOR_NAMESPACE", value_name = "NAME")]
    pub operator_namespace: Option<String>,

    /// Where probes and metrics are served (`controller.adminAddress` in the file).
    #[arg(long, env = "NSCLASS_ADMIN_ADDRESS", value_name = "ADDRESS:PORT")]
    pub admin_address: Option<SocketAddr>,

    /// How many namespaces are worked on at the same time (`controller.workers` in the file).
    #[arg(long, env = "NSCLASS_WORKERS", value_name = "N")]
    pub workers: Option<u16>,

    /// Seconds between two comparisons of a namespace with its live objects (`controller.periodicPassSeconds` in the file).
    #[arg(long, env = "NSCLASS_PERIODIC_PASS_SECONDS", value_name = "SECONDS")]
    pub periodic_pass_seconds: Option<u64>,

    /// How log lines look.
    #[arg(long, env = "NSCLASS_LOG_FORMAT", value_name = "FORMAT", default_value = "json")]
    pub log_format: Format,

    /// What is logged, such as `info` or `info,nsclass_controller=debug`.
    #[arg(long, env = "NSCLASS_LOG", value_name = "FILTER", default_value = QUIET)]
    pub log: String,

    /// Prints the configuration in force as YAML, every field of it, and exits.
    #[arg(long)]
    pub print_config: bool,
}

/// kube's trace layer calls every 500 an error of the process; what it means is said by the pass that got it.
const QUIET: &str = "info,kube_client::client::builder=off";

const EXAMPLES: &str = "Examples:
  nsclass-controller --config nsclass.yaml
  nsclass-controller --config nsclass.yaml --print-config
  NSCLASS_LOG=debug nsclass-controller --log-format text --admin-address 127.0.0.1:8080";

/// How log lines look.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// For machines.
    Json,
}

impl From<Format> for LogFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
        }
    }
}

/// Why there is no configuration. The text holds the cause, so that nobody repeats it as a source.
#[derive(Error, Debug)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("{}: {why}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        why: std::io::Error,
    },
    /// What it says is wrong.
    #[error("{}: {why}", .path.as_ref().map_or("flags".into(), |p| p.display().to_string()))]
    Refused {
        /// The file; none where there is none.
        path: Option<PathBuf>,
        /// Why.
        why: ConfigError,
    },
}

impl Args {
    /// Reads the file, if there is one, and puts the flags over it.
    ///
    /// # Errors
    /// It cannot be read, or is refused; names the file.
    pub fn load(&self) -> Result<Config, LoadError> {
        let text = match &self.config {
            None => String::new(),
            Some(path) => std::fs::read_to_string(path).map_err(|why| LoadError::Read { path: path.clone(), why })?,
        };
        self.overlay(&text).map_err(|why| self.refused(why))
    }

    /// Checks what [`Self::load`] read.
    ///
    /// # Errors
    /// It is refused; names the file.
    pub fn check(&self, config: Config) -> Result<Settings, LoadError> {
        config.settings().map_err(|why| self.refused(why))
    }

    fn refused(&self, why: ConfigError) -> LoadError {
        LoadError::Refused { path: self.config.clone(), why }
    }

    /// The file's text with the flags over it.
    ///
    /// # Errors
    /// The text is refused.
    pub fn overlay(&self, text: &str) -> Result<Config, ConfigError> {
        let mut config = Config::parse(text)?;
        let Self { instance, operator_namespace, admin_address, workers, periodic_pass_seconds, .. } = self.clone();
        config.instance = instance.unwrap_or(config.instance);
        config.operator_namespace = operator_namespace.unwrap_or(config.operator_namespace);
        config.controller.admin_address = admin_address.unwrap_or(config.controller.admin_address);
        config.controller.workers = workers.unwrap_or(config.controller.workers);
        config.controller.periodic_pass_seconds =
            periodic_pass_seconds.unwrap_or(config.controller.periodic_pass_seconds);
        Ok(config)
    }
}
