//! The parts of the process and how they hang together.

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use arc_swap::ArcSwap;
use nsclass_shared::{
    api::{ClusterWatchRuleSpec, WatchRuleSpec},
    config::Settings,
    runtime::{PairMetrics, Scope, ServingPair, Supervisor, connect, follow_config, serve_admin, stop_on_signal},
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    args::Args,
    author::Authors,
    classes::{self, Classes},
    dial::OwnDial,
    gate::Gate,
    git,
    http::App,
    kinds::KindTable,
    metrics::Metrics,
    ready::Ready,
    scope::LiveScope,
    server,
    tls::Tls,
};

/// How long tasks may take to end once all is said; connections have had their time before.
const GRACE: Duration = Duration::from_secs(15);

/// Runs until `shutdown`, which follows SIGTERM and SIGINT after `stop` has had its time.
///
/// # Errors
/// No cluster, one that is too old, or a task that ended.
pub async fn run(args: Args, settings: Settings, shutdown: CancellationToken) -> anyhow::Result<()> {
    let client = connect("nsclass-webhook").await?;
    let webhook = settings.config.webhook.clone();
    let bind =
        async |field: &str, address| TcpListener::bind(address).await.with_context(|| format!("{field} {address}"));
    let admin = bind("webhook.adminAddress", webhook.admin_address).await?;
    let listener = bind("webhook.address", webhook.address).await?;
    let address = listener.local_addr()?;
    tracing::info!(address = %admin.local_addr()?, admission = %address, "starting");

    // Both follow `shutdown`, and come before it when there is time.
    let (stopping, closing) = (shutdown.child_token(), shutdown.child_token());
    let metrics = Metrics::new()?;
    // Nobody leads here, so that nobody is told either.
    let (managed, scope_task) = Scope::new(settings.scope.clone(), None, &metrics.registry)?;
    let scope = managed.handle().clone();
    let pair = Arc::new(ServingPair::default());
    metrics.registry.register(Box::new(PairMetrics::new(pair.clone())?))?;
    let tls = Tls::new(pair.clone(), webhook.client_ca.as_deref())?;
    let (kinds, dial) = (KindTable::default(), OwnDial::default());
    let config = settings.config.clone();
    let settings = Arc::new(ArcSwap::from_pointee(settings));
    let mut tasks = Supervisor::new(shutdown.clone());

    let authors = Arc::new(Authors::new(client.clone(), kinds.clone()));
    let of_classes = webhook.author_checks.then(|| authors.clone());
    let gate = Gate::new(Arc::new(LiveScope::new(scope.clone(), client.clone())), metrics.clone())
        .register(classes::PATH, Classes::new(settings.clone(), kinds.clone(), of_classes))
        .register(git::PROVIDERS, git::providers(settings.clone()))
        .register(git::TARGETS, git::targets(settings.clone()))
        .register(git::RULES, git::Rules::<WatchRuleSpec>::new(authors.clone(), kinds.clone()))
        .register(git::CLUSTER_RULES, git::Rules::<ClusterWatchRuleSpec>::new(authors, kinds.clone()));
    let app = App::new(gate, metrics.clone(), webhook.max_in_flight.into(), stopping.clone());

    let ready = Ready {
        scope: scope.clone(),
        kinds: kinds.clone(),
        pair: pair.clone(),
        dial: dial.clone(),
        tls: tls.clone(),
        stopping: stopping.clone(),
        reloads: metrics.reloads.clone(),
    };
    tasks.spawn("signals", signals(stopping.clone(), shutdown.clone()));
    tasks.spawn("stop", stop(stopping, closing.clone(), webhook.shutdown_delay(), shutdown.clone()));
    tasks.spawn(
        "admin",
        serve_admin(admin, Arc::new(ready), metrics.registry.clone(), managed.routes(), shutdown.clone()),
    );
    tasks.spawn("serving pair", pair.clone().follow(webhook.certificate_directory, shutdown.clone()));
    tasks.spawn("watch namespaces", scope_task.run(client.clone(), (), shutdown.clone()));
    tasks.spawn("kinds", kinds.follow(client, metrics.clone(), shutdown.clone()));
    tasks.spawn("own call", dial.follow(address, pair, tls.clone(), shutdown.clone()));
    tasks.spawn("follow configuration", {
        let settings = settings.clone();
        let take = move |changed: Settings| {
            if changed.config.webhook != settings.load().config.webhook {
                tracing::warn!("everything under webhook changes with a restart only");
            }
            managed.set_rule(&changed.scope);
            settings.store(Arc::new(changed));
        };
        follow_config(args, config, metrics.reloads.clone(), take, shutdown.clone())
    });
    tasks.spawn("admission", {
        let shutdown = shutdown.clone();
        async move {
            let served = server::serve(listener, tls, Arc::new(app), closing).await;
            shutdown.cancel();
            served
        }
    });
    tasks.run(GRACE).await?;
    tracing::info!("stopped");
    Ok(())
}

/// Begins the stop when a signal comes.
async fn signals(stopping: CancellationToken, shutdown: CancellationToken) -> anyhow::Result<()> {
    stop_on_signal(stopping).await?;
    shutdown.cancelled().await;
    Ok(())
}

/// Leaves some time between "not ready" and the end of connections: so long others may still send here.
async fn stop(
    stopping: CancellationToken,
    closing: CancellationToken,
    delay: Duration,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    stopping.cancelled().await;
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = tokio::time::sleep(delay) => {}
    }
    closing.cancel();
    shutdown.cancelled().await;
    Ok(())
}
