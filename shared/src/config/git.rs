//! `git:` writing live objects back to Git.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};

use super::{ConfigError, in_range};

/// Largest copy of a repository that is kept, in megabytes, unless somebody says otherwise.
const MEGABYTES: u64 = 1024;

/// Most recipients of one Secret.
const MOST_RECIPIENTS: u64 = 16;

/// Writing live objects back to Git. Changes here take a restart.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct GitConfig {
    /// Whether it is done at all. It takes rights of its own, and the program `git` (for SSH addresses `ssh` too) beside the controller.
    pub enabled: bool,
    /// Whether a `GitProvider` may name a repository in the operator's own file system, as `file:///PATH`. Whoever may write a
    /// `GitProvider` can then have everything written to that the operator can write to.
    pub allow_local: bool,
    /// Where repositories are kept between commits. What is there can be deleted at any time, and is fetched again.
    pub directory: PathBuf,
    /// How often a branch is looked at although nothing is to be written, in seconds, 5 to 3600.
    pub poll_seconds: u64,
    /// The largest copy of a repository that is kept, in megabytes, 1 to 65536. A larger one is refused.
    pub repository_megabytes: u64,
    /// Whom Secrets are encrypted for with the program `sops`, as age recipients (`age1…`), at most 16. Without any, or without the program,
    /// Secrets are refused and counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub encrypt_to: Vec<String>,
    /// Where the API server's audit webhook tells who made which change. Without it the operator is the author of every commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditConfig>,
}

/// Where the API server's audit webhook tells who made which change.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditConfig {
    /// Where its batches are taken over TLS, as `ADDRESS:PORT`.
    pub address: SocketAddr,
    /// The directory with the serving pair, `tls.crt` and `tls.key`. It is looked at every second.
    pub certificate_directory: PathBuf,
    /// A file with the token that the API server's kubeconfig shows. Whoever has it names the authors of commits.
    pub token_file: PathBuf,
    /// How long a change waits until it is clear who made it, in seconds, 1 to 300; it should be more than the API server's
    /// `--audit-webhook-batch-max-wait`. Then the author is `unknown`.
    #[serde(default = "wait_seconds")]
    pub wait_seconds: u64,
}

fn wait_seconds() -> u64 {
    35
}

impl Default for GitConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            allow_local: false,
            directory: "/var/lib/nsclass/git".into(),
            poll_seconds: 60,
            repository_megabytes: MEGABYTES,
            encrypt_to: vec![],
            audit: None,
        }
    }
}

impl GitConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        in_range("git.pollSeconds", self.poll_seconds, 5..=3600, "5 to 3600 seconds")?;
        in_range("git.repositoryMegabytes", self.repository_megabytes, 1..=65_536, "1 to 65536 megabytes")?;
        check_recipients(&self.encrypt_to)?;
        let wait = self.audit.as_ref().map_or(wait_seconds(), |audit| audit.wait_seconds);
        in_range("git.audit.waitSeconds", wait, 1..=300, "1 to 300 seconds")
    }

    /// The largest copy of a repository, in bytes.
    pub fn repository_bytes(&self) -> u64 {
        self.repository_megabytes << 20
    }

    /// How often a branch is looked at.
    pub fn poll(&self) -> Duration {
        Duration::from_secs(self.poll_seconds)
    }
}

fn check_recipients(recipients: &[String]) -> Result<(), ConfigError> {
    in_range("git.encryptTo", recipients.len() as u64, 0..=MOST_RECIPIENTS, "at most 16 recipients")?;
    let is_recipient = |text: &str| {
        text.strip_prefix("age1").is_some_and(|key| {
            key.len() >= 50 && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
    };
    match recipients.iter().find(|recipient| !is_recipient(recipient)) {
        Some(_) => Err(ConfigError::Recipient),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn bad13_what_is_wrong_about_git_is_one_sentence_that_names_the_field() {
        let refused = |text: &str| Config::parse(text).and_then(Config::settings).unwrap_err().to_string();
        insta::assert_snapshot!(refused("git: { pollSeconds: 1 }"), @"git.pollSeconds: 1 is out of range: 5 to 3600 seconds");
        insta::assert_snapshot!(refused("git: { repositoryMegabytes: 0 }"), @"git.repositoryMegabytes: 0 is out of range: 1 to 65536 megabytes");
        insta::assert_snapshot!(refused("git: { encryptTo: [AGE-SECRET-KEY-1X] }"), @"git.encryptTo: has something in it that is no age recipient; write the public keys, which begin with age1");
        let audit = "address: '127.0.0.1:9443', certificateDirectory: /c, tokenFile: /t";
        insta::assert_snapshot!(refused(&format!("git: {{ audit: {{ {audit}, waitSeconds: 0 }} }}")), @"git.audit.waitSeconds: 0 is out of range: 1 to 300 seconds");
    }
}
