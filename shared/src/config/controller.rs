//! `controller:` the controller process.

use serde::{Deserialize, Serialize};

use super::{ConfigError, in_range};

/// The controller process. Changes here take a restart.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ControllerConfig {
    /// How many namespaces are reconciled at the same time, 1 to 1000.
    pub workers: u16,
    /// How often each namespace is compared with its live objects although nothing happened, in seconds, at least 10; jittered by a
    /// tenth.
    pub periodic_pass_seconds: u64,
    /// When a namespace carries our finalizer (class.md C42).
    pub namespace_finalizer: NamespaceFinalizer,
    /// Where `/livez`, `/readyz` and `/metrics` are served, as `ADDRESS:PORT`.
    pub admin_address: std::net::SocketAddr,
}

/// When a namespace carries our finalizer.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NamespaceFinalizer {
    /// While its inventory holds cluster-scoped objects.
    #[default]
    WhenOwed,
    /// Never: cluster-scoped objects are collected when the namespace is gone.
    Never,
}

impl Default for ControllerConfig {
    fn default() -> Self {
        Self {
            workers: 32,
            periodic_pass_seconds: 600,
            namespace_finalizer: NamespaceFinalizer::default(),
            admin_address: std::net::SocketAddr::from(([0, 0, 0, 0], 8080)),
        }
    }
}

impl ControllerConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        in_range("controller.workers", self.workers.into(), 1..=1000, "1 to 1000")?;
        let seconds = self.periodic_pass_seconds;
        in_range("controller.periodicPassSeconds", seconds, 10..=86_400, "10 to 86400 seconds")
    }
}
