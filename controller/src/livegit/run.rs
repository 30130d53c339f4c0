//! The tasks of writing to Git, and how they hang together.

use std::sync::Arc;

use nsclass_shared::{
    api::{ClusterWatchRule, GitProvider, GitTarget, WatchRule},
    runtime::{FlipQueue, Latch, Supervisor, follow_flips},
};
use tokio_util::sync::CancellationToken;

use super::{LiveGit, feed, flips, objects::Known, office, setup::set_up};
use crate::context::Context;

/// Starts everything, where the configuration wants it.
///
/// # Errors
/// The port of the audit webhook cannot be opened, or its token not be read.
pub async fn start(context: &Arc<Context>, tasks: &mut Supervisor, shutdown: &CancellationToken) -> anyhow::Result<()> {
    if context.settings().config.git.enabled {
        let parts = set_up(context.clone(), tasks, shutdown).await?;
        spawn(&parts, context.scope.subscribe("git"), tasks, shutdown);
    }
    Ok(())
}

/// `flips` are a subscription of their own.
fn spawn(parts: &Arc<LiveGit>, flips: FlipQueue, tasks: &mut Supervisor, shutdown: &CancellationToken) {
    let client = || parts.context.client.clone();
    tasks.spawn("watch providers", feed::namespaced(parts.clone(), client(), providers, shutdown.clone()));
    tasks.spawn("watch targets", feed::namespaced(parts.clone(), client(), targets, shutdown.clone()));
    tasks.spawn("watch rules", feed::namespaced(parts.clone(), client(), rules, shutdown.clone()));
    tasks.spawn("watch cluster rules", feed::cluster(parts.clone(), client(), cluster_rules, shutdown.clone()));
    tasks.spawn("discovery", {
        let board = parts.board.clone();
        parts.discovery.clone().follow(client(), move || board.touch(), shutdown.clone())
    });
    tasks.spawn("follow the scope for Git", {
        let board = parts.board.clone();
        let look = move |object: flips::Object| {
            tracing::debug!(?object, "its namespace, or that of what it refers to, crossed the edge of the scope");
            board.touch();
        };
        follow_flips(flips, flips::Concerned(parts.objects.clone()), look, shutdown.clone())
    });
    tasks.spawn("workers of Git", parts.workers.clone().run(shutdown.clone()));
    tasks.spawn("office of Git", office::keep(parts.clone(), shutdown.clone()));
}

fn providers(parts: &LiveGit) -> (&Known<GitProvider>, &Latch) {
    (&parts.objects.providers, &parts.listed.providers)
}

fn targets(parts: &LiveGit) -> (&Known<GitTarget>, &Latch) {
    (&parts.objects.targets, &parts.listed.targets)
}

fn rules(parts: &LiveGit) -> (&Known<WatchRule>, &Latch) {
    (&parts.objects.rules, &parts.listed.rules)
}

fn cluster_rules(parts: &LiveGit) -> (&Known<ClusterWatchRule>, &Latch) {
    (&parts.objects.cluster_rules, &parts.listed.cluster_rules)
}
