//! The command line. Every flag has a variable; both override the configuration file.

use std::net::SocketAddr;

use clap::Parser;
use nsclass_shared::{
    config::Config,
    runtime::{CommonArgs, ConfigSource},
};

/// Puts the objects of `NamespaceClass`es into labelled namespaces and keeps them there.
///
/// It finds the cluster as kubectl does: $KUBECONFIG, ~/.kube/config, or the pod's service account.
#[derive(Parser, Debug, Clone)]
#[command(name = "nsclass-controller", version, about, long_about, after_help = EXAMPLES)]
pub struct Args {
    /// What every process takes.
    #[command(flatten)]
    pub common: CommonArgs,

    /// Where probes and metrics are served (`controller.adminAddress` in the file).
    #[arg(long, env = "NSCLASS_ADMIN_ADDRESS", value_name = "ADDRESS:PORT")]
    pub admin_address: Option<SocketAddr>,

    /// How many namespaces are worked on at the same time (`controller.workers` in the file).
    #[arg(long, env = "NSCLASS_WORKERS", value_name = "N")]
    pub workers: Option<u16>,

    /// Seconds between two comparisons of a namespace with its live objects (`controller.periodicPassSeconds` in the file).
    #[arg(long, env = "NSCLASS_PERIODIC_PASS_SECONDS", value_name = "SECONDS")]
    pub periodic_pass_seconds: Option<u64>,
}

const EXAMPLES: &str = "Examples:
  nsclass-controller --config nsclass.yaml
  nsclass-controller --config nsclass.yaml --print-config
  NSCLASS_LOG=debug nsclass-controller --log-format text --admin-address 127.0.0.1:8080";

impl ConfigSource for Args {
    fn common(&self) -> &CommonArgs {
        &self.common
    }

    fn overlay(&self, config: &mut Config) {
        let Self { common: _, admin_address, workers, periodic_pass_seconds } = self.clone();
        let controller = &mut config.controller;
        controller.admin_address = admin_address.unwrap_or(controller.admin_address);
        controller.workers = workers.unwrap_or(controller.workers);
        controller.periodic_pass_seconds = periodic_pass_seconds.unwrap_or(controller.periodic_pass_seconds);
    }
}
