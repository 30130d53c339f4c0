//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

/// Shows Namespace Class at work on a real control plane, step by step, and checks everything that it shows.
///
/// Without options it starts etcd, kube-apiserver and kube-controller-manager on free loopback ports (found, or built with Go the first
/// time), runs two controllers and two webhooks beside them, plays through the classes of deploy/examples, and leaves nothing behind. Each line with a tick
/// is a claim that was checked, against the API server or the process that it is about; the first that is false ends the demo with exit code 1.
#[derive(Parser, Debug)]
#[command(name = "demo", bin_name = "cargo demo --", about, long_about, after_help = EXAMPLES)]
pub struct Args {
    /// Show how live objects are written back to a folder in Git, instead of the classes
    ///
    /// A repository is made with one of the example folders of manifests/tests, behind a Git server of the demo's own. Live objects are
    /// changed, the commits are shown, and the folder is broken and mended.
    #[arg(long, conflicts_with_all = ["kubeconfig", "licence"])]
    pub git: bool,

    /// Leave everything running afterwards, until Ctrl-C, also when a claim was false
    #[arg(long)]
    pub keep: bool,

    /// Show the licence gate and the usage report instead: freezing, a licence that frees, and its expiry
    #[arg(long, conflicts_with = "kubeconfig")]
    pub licence: bool,

    /// Use the cluster of this kubeconfig file instead of one of its own, and clean up after
    ///
    /// You need to be its admin, and its API server must be 1.33 or later. What the demo makes has names of its own: namespaces and
    /// classes begin with nsclass-demo-, cluster roles with observe-nsclass-demo-. Besides these it installs probes.example.com and, unless
    /// they are there, the definitions of our kinds.
    ///
    /// Only the two controllers run there: the cluster could not reach a webhook on this machine, so the steps that need the webhook or the
    /// policies are left out.
    ///
    /// All of that is deleted at the end, also when a claim is false and on Ctrl-C; definitions that were there before stay. If one of these
    /// objects is there already, or a class, a binding or a namespace with the label nsclass.io/name, the demo refuses before it changes
    /// anything.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Context of that file; without this, its current one
    #[arg(long, value_name = "NAME", requires = "kubeconfig")]
    pub context: Option<String>,

    /// How many seconds a claim may take to become true, before it counts as false
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u64).range(1..=3600))]
    patience: u64,
}

impl Args {
    /// How long a claim may take to become true.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.patience)
    }
}

const EXAMPLES: &str = "Examples:
  cargo demo
      The whole story in well under a minute, on a control plane of its own.

  cargo demo -- --git
      Live objects and a folder in Git.

  cargo demo -- --keep
      The same, and then it stays: it prints the KUBECONFIG for kubectl and commands to try.

  cargo demo -- --licence
      Another story: gate.mode Hybrid without a licence, with one, and after its expiry.

  cargo demo -- --kubeconfig ~/.kube/config --context kind-test
      The same on a cluster that is there, which gets back what it was.

Colours only on a terminal, and not with NO_COLOR set.
Exit code: 0 every claim is true, 1 one is not, 130 interrupted.";
