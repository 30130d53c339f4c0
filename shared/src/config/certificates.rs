//! `certificates:` what the admission port is trusted by, and who looks after that.

use std::{net::SocketAddr, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{ConfigError, in_range};
use crate::validity;

/// Where the certificates of the admission port come from (admission.md A21), and what the webhook configuration says of them. Changes
/// take effect while running.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CertificatesConfig {
    /// Who issues them.
    pub source: CertificateSource,
    /// The Service of the admission port, in the operator's namespace. Its certificate is for `SERVICE.NAMESPACE.svc`; the `Secret`s
    /// `SERVICE-ca` and `SERVICE-tls` hold the authority and the serving pair, and the `ConfigMap` `SERVICE-configuration` the template
    /// of the webhook configuration, without which nothing of this is done.
    pub service: String,
    /// Further DNS names and addresses that the serving certificate is for: an API server that reaches the port by a URL needs them.
    pub extra_names: Vec<String>,
    /// Where each webhook replica listens, as `ADDRESS:PORT`, where no Service knows it; else its `EndpointSlice`s are asked.
    pub replicas: Vec<SocketAddr>,
    /// `BuiltIn`: how long an authority is valid, in seconds, at least 30. It is replaced when a third of that is left, counted from when
    /// it was made: with a shorter time here, the one that is there is replaced sooner.
    pub authority_seconds: u64,
    /// `BuiltIn`: how long a serving certificate is valid, in seconds, at least 10 and at most half as long as an authority. It is
    /// renewed when a third of that is left.
    pub serving_seconds: u64,
    /// How long a change takes at most until every API server and every starting pod goes by it, in seconds; less than a third of
    /// `servingSeconds`. A rotation waits that long after each of its steps, and a scope that shrinks stays in the webhook configuration
    /// for that long.
    pub settle_seconds: u64,
    /// `CertManager`: the name of the `Certificate` in the operator's namespace; cert-manager puts its CA into the configuration.
    pub certificate: String,
    /// `Files`: the file with the certificates of the CAs to trust, as PEM.
    pub bundle_file: PathBuf,
}

/// Who issues certificates.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CertificateSource {
    /// The leader keeps an authority, issues, and replaces both in time.
    #[default]
    BuiltIn,
    /// cert-manager, which also puts its CA into the webhook configuration.
    CertManager,
    /// Somebody else, who puts the pair where the webhook reads it and the CA into `bundleFile`.
    Files,
}

impl Default for CertificatesConfig {
    fn default() -> Self {
        Self {
            source: CertificateSource::default(),
            service: "nsclass-webhook".into(),
            extra_names: Vec::new(),
            replicas: Vec::new(),
            authority_seconds: 365 * 86_400,
            serving_seconds: 30 * 86_400,
            settle_seconds: 120,
            certificate: "nsclass-webhook".into(),
            bundle_file: "/etc/nsclass/ca/ca.crt".into(),
        }
    }
}

impl CertificatesConfig {
    /// Every name that the serving certificate is for, that of the Service first.
    pub fn names(&self, operator_namespace: &str) -> Vec<String> {
        let service = format!("{}.{operator_namespace}.svc", self.service);
        let mut names = vec![service];
        for name in &self.extra_names {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The `Secret` of the authority.
    pub fn authority_secret(&self) -> String {
        format!("{}-ca", self.service)
    }

    /// The `Secret` of the serving pair.
    pub fn serving_secret(&self) -> String {
        format!("{}-tls", self.service)
    }

    /// The `ConfigMap` of the webhook configuration's template.
    pub fn template_config_map(&self) -> String {
        format!("{}-configuration", self.service)
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (field, value) in [("certificates.service", &self.service), ("certificates.certificate", &self.certificate)]
        {
            // What is put behind the service's name still has to fit.
            if !validity::is_dns_label(value) || value.len() > 49 {
                return Err(ConfigError::ShortName { field, value: value.clone(), longest: 49 });
            }
        }
        for name in &self.extra_names {
            if name.parse::<std::net::IpAddr>().is_err() && !validity::is_dns_subdomain(name) {
                return Err(ConfigError::HostName { field: "certificates.extraNames", value: name.clone() });
            }
        }
        let day = 86_400;
        in_range(
            "certificates.authoritySeconds",
            self.authority_seconds,
            30..=20 * 365 * day,
            "30 seconds to 20 years",
        )?;
        in_range(
            "certificates.servingSeconds",
            self.serving_seconds,
            10..=self.authority_seconds / 2,
            "10 seconds to half of authoritySeconds",
        )?;
        in_range(
            "certificates.settleSeconds",
            self.settle_seconds,
            1..=self.serving_seconds / 3 - 1,
            "1 second to less than a third of servingSeconds",
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    fn refused(text: &str) -> String {
        Config::parse(&format!("certificates: {text}")).and_then(Config::settings).unwrap_err().to_string()
    }

    #[test]
    fn bad13_what_cannot_be_a_certificate_is_refused_in_a_sentence() {
        insta::assert_snapshot!(refused("{ source: Magic }"), @"line 1 column 25: unknown variant `Magic`, expected one of BuiltIn, CertManager, Files");
        insta::assert_snapshot!(refused("{ service: My_Webhook }"), @r#"certificates.service: "My_Webhook" is not a DNS label of at most 49: lower-case letters, digits and dashes"#);
        insta::assert_snapshot!(refused("{ extraNames: ['https://hook'] }"), @r#"certificates.extraNames: "https://hook" is neither a DNS name nor an address"#);
        insta::assert_snapshot!(refused("{ replicas: ['hook'] }"), @"line 1 column 28: invalid socket address syntax");
        insta::assert_snapshot!(refused("{ authoritySeconds: 29 }"), @"certificates.authoritySeconds: 29 is out of range: 30 seconds to 20 years");
        insta::assert_snapshot!(refused("{ authoritySeconds: 100, servingSeconds: 51 }"), @"certificates.servingSeconds: 51 is out of range: 10 seconds to half of authoritySeconds");
        insta::assert_snapshot!(refused("{ servingSeconds: 60, settleSeconds: 20 }"), @"certificates.settleSeconds: 20 is out of range: 1 second to less than a third of servingSeconds");
        insta::assert_snapshot!(refused("{ rotate: true }"), @"line 1 column 17: unknown field `rotate`, expected one of source, service, extraNames, replicas, authoritySeconds, servingSeconds, settleSeconds, certificate, bundleFile");
    }

    #[test]
    fn a21_the_certificate_is_for_the_service_and_for_what_is_listed() {
        let text = "operatorNamespace: ops\ncertificates: { service: hook, extraNames: [127.0.0.1, hook.ops.svc, hook.example] }";
        let config = Config::parse(text).unwrap();
        assert_eq!(
            config.certificates.names(&config.operator_namespace),
            ["hook.ops.svc", "127.0.0.1", "hook.example"]
        );
    }
}
