//! The one configuration file of both processes (DESIGN.md), and what it means.
//!
//! [`Config`] is the file as written; [`Settings`] is what the rules need of it, checked. A file that cannot become settings is refused
//! in one sentence, at start-up and on reload alike.

mod certificates;
mod controller;
mod error;
mod gate;
mod git;
mod leader_election;
mod policy;
mod scope;
mod usage;
mod webhook;

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{guarded::GuardedKeys, licence::PublicKey, policy::Policy, scope::ScopeRule, validity};

use error::in_range;
pub use {
    certificates::{CertificateSource, CertificatesConfig},
    controller::{ControllerConfig, NamespaceFinalizer},
    error::ConfigError,
    gate::GateConfig,
    git::{AuditConfig, GitConfig},
    leader_election::LeaderElectionConfig,
    policy::PolicyConfig,
    scope::{LabelSelectorConfig, RequirementConfig, ScopeConfig},
    usage::UsageConfig,
    webhook::WebhookConfig,
};

/// The file, every field of it. Unknown keys are refused.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Config {
    /// Names this operator: its bindings carry it, and two instances can share a cluster. A DNS label.
    pub instance: String,
    /// Where the operator itself lives. A DNS label.
    pub operator_namespace: String,
    /// Which namespaces are managed.
    pub scope: ScopeConfig,
    /// Which kinds classes may hold.
    pub policy: PolicyConfig,
    /// The controller process.
    pub controller: ControllerConfig,
    /// What the admission port is trusted by.
    pub certificates: CertificatesConfig,
    /// Writing live objects back to Git.
    pub git: GitConfig,
    /// How the controller's replicas agree on one of them.
    pub leader_election: LeaderElectionConfig,
    /// The admission process.
    pub webhook: WebhookConfig,
    /// Whether a licence is wanted.
    pub gate: GateConfig,
    /// What is reported of use, within the cluster.
    pub usage: UsageConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            instance: "default".into(),
            operator_namespace: "nsclass-system".into(),
            scope: ScopeConfig::default(),
            policy: PolicyConfig::default(),
            controller: ControllerConfig::default(),
            certificates: CertificatesConfig::default(),
            git: GitConfig::default(),
            leader_election: LeaderElectionConfig::default(),
            webhook: WebhookConfig::default(),
            gate: GateConfig::default(),
            usage: UsageConfig::default(),
        }
    }
}

/// What the rules need of a configuration, checked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// As written.
    pub config: Config,
    /// Compiled from `scope`.
    pub scope: ScopeRule,
    /// Compiled from `policy`.
    pub policy: Policy,
    /// Compiled from `policy.guardedKeys`.
    pub guarded: GuardedKeys,
    /// Read from `gate.publicKeys`.
    pub public_keys: Vec<PublicKey>,
}

impl Config {
    /// Reads a file's text. An empty one is all defaults.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place in the text.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let nothing = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        if nothing {
            return Ok(Self::default());
        }
        serde_saphyr::from_str(text).map_err(|error| {
            // The first line says what and where; what follows is an excerpt of the file.
            let text = error.to_string();
            ConfigError::Syntax(
                text.lines().next().unwrap_or("not YAML").trim().trim_start_matches("error: ").to_owned(),
            )
        })
    }

    /// Checks everything and compiles scope and policy.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn settings(self) -> Result<Settings, ConfigError> {
        for (field, value) in [("instance", &self.instance), ("operatorNamespace", &self.operator_namespace)] {
            if !validity::is_dns_label(value) {
                return Err(ConfigError::Name { field, value: value.clone() });
            }
        }
        let scope = self.scope.compile(&self.operator_namespace)?;
        self.controller.check()?;
        self.certificates.check()?;
        self.git.check()?;
        self.leader_election.check()?;
        self.webhook.check()?;
        self.usage.check()?;
        let public_keys = self.gate.public_keys()?;
        let PolicyConfig { allow, deny, permit, guarded_keys } = &self.policy;
        let policy = Policy::new(allow, deny, permit)?;
        let guarded = GuardedKeys::new(guarded_keys)?;
        Ok(Settings { config: self, scope, policy, guarded, public_keys })
    }
}

impl Settings {
    /// Whether this namespace is bound only if the configuration names it, and it does not (class.md C07).
    pub fn is_reserved(&self, namespace: &str) -> bool {
        let reserved =
            namespace == "default" || namespace.starts_with("kube-") || namespace == self.config.operator_namespace;
        reserved && !self.config.scope.allow_reserved.iter().any(|name| name == namespace)
    }

    /// Time between two periodic passes of one namespace.
    pub fn periodic_pass(&self) -> Duration {
        Duration::from_secs(self.config.controller.periodic_pass_seconds)
    }
}

impl fmt::Display for Config {
    /// The whole file as YAML, defaults included.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_saphyr::to_string(self).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Config::parse(text).and_then(Config::settings).unwrap_err().to_string()
    }

    #[test]
    fn bad13_what_is_wrong_is_one_sentence_that_names_the_field() {
        insta::assert_snapshot!(refused("instanze: a"), @"line 1 column 1: unknown field `instanze`, expected one of instance, operatorNamespace, scope, policy, controller, certificates, git, leaderElection, webhook, gate, usage");
        insta::assert_snapshot!(refused("instance: Team_A"), @r#"instance: "Team_A" is not a DNS label: lower-case letters, digits and dashes, at most 63"#);
        insta::assert_snapshot!(refused("policy: { deny: [ConfigMap] }"), @r#"policy.deny[0]: "ConfigMap" has neither two nor three parts; write version/Kind for the core group (v1/Secret), group/version/Kind else (apps/v1/Deployment), with * for any part"#);
        insta::assert_snapshot!(refused("policy: { guardedKeys: [a b] }"), @r#"policy.guardedKeys[0]: "a b" cannot be the key of a label or annotation; write it as it stands in a namespace's metadata: prefix/name or name"#);
        insta::assert_snapshot!(refused("controller: { workers: 0 }"), @"controller.workers: 0 is out of range: 1 to 1000");
        insta::assert_snapshot!(refused("controller: { periodicPassSeconds: 1 }"), @"controller.periodicPassSeconds: 1 is out of range: 10 to 86400 seconds");
        insta::assert_snapshot!(refused("controller: { adminAddress: here }"), @"line 1 column 29: invalid socket address syntax");
        insta::assert_snapshot!(refused("{"), @"line 1 column 1: unclosed bracket '{'");
    }

    #[test]
    fn what_is_printed_reads_back_the_same() {
        let config = Config::parse("instance: blue\npolicy: { deny: [v1/Secret] }\n").unwrap();
        assert_eq!(Config::parse(&config.to_string()).unwrap(), config);
        assert_eq!(Config::parse("# nothing\n").unwrap(), Config::default());
    }

    #[test]
    fn c07_reserved_namespaces_are_bound_only_by_their_exact_names() {
        let settings = |text: &str| Config::parse(text).unwrap().settings().unwrap();
        let none = settings("");
        for name in ["default", "kube-system", "kube-anything", "nsclass-system"] {
            assert!(none.is_reserved(name), "{name}");
        }
        assert!(!none.is_reserved("payments"));
        let one = settings("scope: { allowReserved: [kube-extra] }");
        assert!(!one.is_reserved("kube-extra") && one.is_reserved("kube-system"));
    }
}
