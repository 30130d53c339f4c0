//! The command line. Every flag has a variable; both override the configuration file.

use std::{net::SocketAddr, path::PathBuf};

use clap::Parser;
use nsclass_shared::{
    config::Config,
    runtime::{CommonArgs, ConfigSource},
};

/// Judges `NamespaceClass`es when they are written.
///
/// It finds the cluster as kubectl does: $KUBECONFIG, ~/.kube/config, or the pod's service account.
#[derive(Parser, Debug, Clone)]
#[command(name = "nsclass-webhook", version, about, long_about, after_help = EXAMPLES)]
pub struct Args {
    /// What every process takes.
    #[command(flatten)]
    pub common: CommonArgs,

    /// Where admission reviews are answered over TLS (`webhook.address` in the file).
    #[arg(long, env = "NSCLASS_ADDRESS", value_name = "ADDRESS:PORT")]
    pub address: Option<SocketAddr>,

    /// Where probes and metrics are served (`webhook.adminAddress` in the file).
    #[arg(long, env = "NSCLASS_ADMIN_ADDRESS", value_name = "ADDRESS:PORT")]
    pub admin_address: Option<SocketAddr>,

    /// The directory with tls.crt and tls.key (`webhook.certificateDirectory` in the file).
    #[arg(long, env = "NSCLASS_CERTIFICATE_DIRECTORY", value_name = "DIR")]
    pub certificate_directory: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  nsclass-webhook --config nsclass.yaml
  nsclass-webhook --config nsclass.yaml --print-config
  nsclass-webhook --log-format text --address 127.0.0.1:8443 --certificate-directory ./pair";

impl ConfigSource for Args {
    fn common(&self) -> &CommonArgs {
        &self.common
    }

    fn overlay(&self, config: &mut Config) {
        let Self { common: _, address, admin_address, certificate_directory } = self.clone();
        let webhook = &mut config.webhook;
        webhook.address = address.unwrap_or(webhook.address);
        webhook.admin_address = admin_address.unwrap_or(webhook.admin_address);
        webhook.certificate_directory = certificate_directory.unwrap_or_else(|| webhook.certificate_directory.clone());
    }
}
