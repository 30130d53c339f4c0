//! The configuration file that all processes of the demo have.

use std::net::SocketAddr;
use std::path::Path;

use serde_json::json;

/// The label that takes a namespace out of the scope.
pub const UNMANAGED: &str = "example.com/unmanaged";
/// How long a standby waits for a leader that was killed. Half of what is usual: a demo is short.
pub const LEASE_SECONDS: u64 = 8;

/// Its text. The leader looks at each of `replicas` for the certificate that it serves, and keeps copies of repositories in `git`.
pub fn config(replicas: &[SocketAddr], git: &Path) -> String {
    json!({
        "scope": { "namespaceSelector": { "matchExpressions": [{ "key": UNMANAGED, "operator": "DoesNotExist" }] } },
        "leaderElection": {
            "leaseDurationSeconds": LEASE_SECONDS,
            "renewDeadlineSeconds": LEASE_SECONDS - 1,
            "retryPeriodSeconds": 1,
            "requestTimeoutSeconds": 3,
        },
        "certificates": { "extraNames": ["127.0.0.1"], "replicas": replicas },
        "git": { "enabled": true, "directory": git, "pollSeconds": 5 },
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use nsclass_shared::config::Config;

    use super::*;

    #[test]
    fn the_configuration_is_one_that_the_programs_accept() {
        let config = Config::parse(&config(&["127.0.0.1:8443".parse().unwrap()], Path::new("/tmp")))
            .unwrap()
            .settings()
            .unwrap()
            .config;
        assert_eq!(config.leader_election.lease_duration_seconds, LEASE_SECONDS);
    }
}
