//! `scope:` which namespaces are managed.

use serde::{Deserialize, Serialize};

use super::ConfigError;
use crate::validity;

/// Which namespaces are managed.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ScopeConfig {
    /// Reserved namespaces (`default`, `kube-*`, the operator's own) that may be bound all the same, by their exact names.
    pub allow_reserved: Vec<String>,
}

impl ScopeConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        match self.allow_reserved.iter().find(|name| !validity::is_dns_label(name)) {
            Some(name) => Err(ConfigError::Name { field: "scope.allowReserved", value: name.clone() }),
            None => Ok(()),
        }
    }
}
