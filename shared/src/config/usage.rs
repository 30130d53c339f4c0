//! `usage:` the report of use (scope.md S70).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{ConfigError, in_range};

/// The usage report: counts in one `ConfigMap` of the operator's namespace, which never leave the cluster. Changes take effect while
/// running.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct UsageConfig {
    /// Whether it is written.
    pub enabled: bool,
    /// How often, in seconds, 1 to 86400.
    pub interval_seconds: u64,
}

impl Default for UsageConfig {
    fn default() -> Self {
        Self { enabled: true, interval_seconds: 600 }
    }
}

impl UsageConfig {
    /// Time between two reports.
    pub fn interval(&self) -> Duration {
        Duration::from_secs(self.interval_seconds)
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        in_range("usage.intervalSeconds", self.interval_seconds, 1..=86_400, "1 to 86400 seconds")
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn bad13_reports_without_a_pause_are_refused() {
        let refused = Config::parse("usage: { intervalSeconds: 0 }").and_then(Config::settings).unwrap_err();
        insta::assert_snapshot!(refused, @"usage.intervalSeconds: 0 is out of range: 1 to 86400 seconds");
        assert!(Config::default().usage.enabled);
    }
}
