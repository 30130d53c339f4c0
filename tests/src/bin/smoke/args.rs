//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Installs Namespace Class on a real node, as pods, and checks what a cluster admin relies on.
///
/// It builds the image from deploy/Dockerfile, starts a node of its own (API server, scheduler, kubelet, containerd, kube-proxy) in
/// network, mount and process namespaces that nothing leaves, and installs the chart with Helm. Each line with a tick is a claim that was
/// checked; the first that is false ends it with exit code 1. It leaves nothing behind.
#[derive(Parser, Debug)]
#[command(name = "smoke", bin_name = "cargo smoke --", about, long_about, after_help = NEEDS)]
pub struct Args {
    /// After a false claim or the end, leave everything running until Ctrl-C, and say how to get in
    #[arg(long)]
    pub keep: bool,

    /// The second half of this program, in namespaces of its own: where the first half has put what it needs
    #[arg(long, value_name = "DIRECTORY", hide = true)]
    pub inside: Option<PathBuf>,
}

const NEEDS: &str = "Needs root on Linux, Go 1.26 and Rust, and the Debian packages containerd, runc, containernetworking-plugins, iptables and \
buildah; packages that are missing it installs with apt-get, or it says which. About 700 MB of memory.

Exit code: 0 every claim is true, 1 one is not, 3 this machine cannot be a node (no root, no namespaces, packages missing), 130 \
interrupted.";
