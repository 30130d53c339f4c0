//! Runs the tests' control plane until it is told to end, for trying things out with kubectl.

#![allow(clippy::print_stdout, reason = "its output is for the shell")]

use anyhow::Result;
use clap::Parser;
use nsclass_tests::{ControlPlane, Identity};
use tokio::signal::unix::{SignalKind, signal};

/// Runs a control plane (etcd, kube-apiserver, kube-controller-manager) on loopback until Ctrl-C, or SIGTERM; nothing is left then.
#[derive(Parser)]
struct Args {
    /// Panic when it is ready: shows that nothing is left then either
    #[arg(long, hide = true)]
    panic: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    // The shared one, which is never dropped: what cleans up after it is what cleans up after tests. Until it is ready, a signal
    // ends this process as it ends any.
    let cp = ControlPlane::shared().await?;
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    println!("export KUBECONFIG={}", cp.kubeconfig("admin", &Identity::Admin)?.display());
    println!("# processes {}", cp.pids().iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
    assert!(!args.panic, "as asked for");
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}
