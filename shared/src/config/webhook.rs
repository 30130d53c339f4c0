//! `webhook:` the admission process.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};

use super::{ConfigError, in_range};

/// The admission process. Changes here take a restart.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WebhookConfig {
    /// Where admission reviews are answered over TLS, as `ADDRESS:PORT`.
    pub address: SocketAddr,
    /// Where `/livez`, `/readyz` and `/metrics` are served, as `ADDRESS:PORT`.
    pub admin_address: SocketAddr,
    /// The directory with the serving pair, `tls.crt` and `tls.key`. It is looked at every second.
    pub certificate_directory: PathBuf,
    /// A file with the certificate authorities (PEM) that the API server's client certificate comes from. With it, nobody else gets past
    /// the handshake, and the process is not ready before one such handshake. API servers present a certificate only when started with
    /// an admission kubeconfig, so this is not for managed clusters. The authorities must sign for nobody else, and the Service must
    /// publish addresses that are not ready.
    #[serde(rename = "clientCA", skip_serializing_if = "Option::is_none")]
    pub client_ca: Option<PathBuf>,
    /// Whether the author of a class must be allowed to do what the class will do (admission.md A01). Without it, who may write a class
    /// may do whatever the controller may.
    pub author_checks: bool,
    /// How many reviews are worked on at the same time, 1 to 10000; more are refused at once, and failurePolicy decides.
    pub max_in_flight: u16,
    /// How long reviews are served after SIGTERM before connections are ended, in seconds, 5 to 120: so long it may take until nobody
    /// sends any more here.
    pub shutdown_delay_seconds: u64,
}

impl Default for WebhookConfig {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([0, 0, 0, 0], 8443)),
            admin_address: SocketAddr::from(([0, 0, 0, 0], 8080)),
            certificate_directory: "/etc/nsclass/webhook".into(),
            client_ca: None,
            author_checks: true,
            max_in_flight: 256,
            shutdown_delay_seconds: 5,
        }
    }
}

impl WebhookConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        in_range("webhook.maxInFlight", self.max_in_flight.into(), 1..=10_000, "1 to 10000")?;
        in_range("webhook.shutdownDelaySeconds", self.shutdown_delay_seconds, 5..=120, "5 to 120 seconds")
    }

    /// How long reviews are served after SIGTERM before connections are ended.
    pub fn shutdown_delay(&self) -> Duration {
        Duration::from_secs(self.shutdown_delay_seconds)
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn bad13_what_is_wrong_about_the_webhook_is_one_sentence_that_names_the_field() {
        let refused = |text: &str| Config::parse(text).and_then(Config::settings).unwrap_err().to_string();
        insta::assert_snapshot!(refused("webhook: { maxInFlight: 0 }"), @"webhook.maxInFlight: 0 is out of range: 1 to 10000");
        insta::assert_snapshot!(refused("webhook: { shutdownDelaySeconds: 4 }"), @"webhook.shutdownDelaySeconds: 4 is out of range: 5 to 120 seconds");
        insta::assert_snapshot!(refused("webhook: { address: here }"), @"line 1 column 21: invalid socket address syntax");
        insta::assert_snapshot!(refused("webhook: { clientCa: x }"), @"line 1 column 12: unknown field `clientCa`, expected one of address, adminAddress, certificateDirectory, clientCA, authorChecks, maxInFlight, shutdownDelaySeconds");
    }

    #[test]
    fn a17_the_client_authorities_are_a_file_and_print_as_they_are_read() {
        let config = Config::parse("webhook: { clientCA: /etc/ca.pem }").unwrap();
        assert_eq!(config.webhook.client_ca.as_deref(), Some("/etc/ca.pem".as_ref()));
        assert_eq!(Config::parse(&config.to_string()).unwrap(), config);
    }
}
