//! What the command lines of all processes have in common. Every flag has a variable; both override the configuration file.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use thiserror::Error;

use super::LogFormat;
use crate::config::{Config, ConfigError, Settings};

/// kube's trace layer calls every 500 an error of the process; what it means is said by whoever got it.
const QUIET: &str = "info,kube_client::client::builder=off";

/// Flags of every process.
#[derive(Args, Debug, Clone)]
pub struct CommonArgs {
    /// Configuration file; without one, everything has its default.
    #[arg(long, env = "NSCLASS_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Name of this operator instance (`instance` in the file).
    #[arg(long, env = "NSCLASS_INSTANCE", value_name = "NAME")]
    pub instance: Option<String>,

    /// Namespace of the operator itself (`operatorNamespace` in the file).
    #[arg(long, env = "NSCLASS_OPERATOR_NAMESPACE", value_name = "NAME")]
    pub operator_namespace: Option<String>,

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

/// The command line of a process, as the source of its configuration.
pub trait ConfigSource: Send + Sync + 'static {
    /// The flags of every process.
    fn common(&self) -> &CommonArgs;

    /// Puts the process's own flags over the file.
    fn overlay(&self, config: &mut Config);

    /// Reads the file, if there is one, and puts the flags over it.
    ///
    /// # Errors
    /// It cannot be read, or is no configuration; names the file.
    fn load(&self) -> Result<Config, LoadError> {
        let CommonArgs { config: path, instance, operator_namespace, .. } = self.common().clone();
        let text = match &path {
            None => String::new(),
            Some(path) => std::fs::read_to_string(path).map_err(|why| LoadError::Read { path: path.clone(), why })?,
        };
        let mut config = Config::parse(&text).map_err(|why| LoadError::Refused { path, why })?;
        config.instance = instance.unwrap_or(config.instance);
        config.operator_namespace = operator_namespace.unwrap_or(config.operator_namespace);
        self.overlay(&mut config);
        Ok(config)
    }

    /// Checks what [`Self::load`] read.
    ///
    /// # Errors
    /// It is refused; names the file.
    fn check(&self, config: Config) -> Result<Settings, LoadError> {
        config.settings().map_err(|why| LoadError::Refused { path: self.common().config.clone(), why })
    }
}
