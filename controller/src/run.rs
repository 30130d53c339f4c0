//! The parts of the process and how they hang together.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use anyhow::Context as _;
use arc_swap::ArcSwap;
use kube::{
    Api,
    api::{ApiResource, DynamicObject},
    runtime::{WatchStreamExt, reflector::store::Writer, watcher::Config as WatchConfig},
};
use nsclass_shared::{
    api::NamespaceClass,
    config::Settings,
    licence::GateMode,
    names,
    runtime::{
        Latch, Leads, Scope, Supervisor, WATCH_SECONDS, follow_config, follow_flips, serve_admin, stop_on_signal,
        watch_cluster,
    },
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    args::Args,
    bindings::{self, Bindings, Guarded},
    certs, class_reconcile,
    classes::Classes,
    clock::Clock,
    connect::connect,
    context::{Context, Listed, WatchedDefinition, WatchedNamespace},
    definitions,
    drift::{self, Drift},
    events::{self, Events},
    feeds::{self, BindingsTold, ClassesTold, Feed},
    kinds::KindCache,
    leader::{Candidate, LeaderGuard, LeaseApi, Standing, identity},
    licence::{self, Pod},
    livegit,
    mass_delete::MassDeleteGuard,
    memory::Memory,
    metrics::Metrics,
    queue::WorkQueue,
    ready::Ready,
    reconcile, reload, rival, scope, usage,
};

/// How long passes under way may take after SIGTERM.
const GRACE: Duration = Duration::from_secs(25);

/// What a process finds around it, and a test can choose.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// Where the cluster is; found as kubectl does where none.
    pub kubeconfig: Option<PathBuf>,
    /// The wall clock that licences go by.
    pub clock: Clock,
    /// The pod that the process is.
    pub pod: Option<Pod>,
    /// The admin port; bound as configured where none.
    pub admin: Option<TcpListener>,
}

impl Surroundings {
    /// Those of a process of its own.
    pub fn of_process() -> Self {
        Self { pod: Pod::of_process(), ..Self::default() }
    }
}

/// Runs until `shutdown`, which SIGTERM and SIGINT begin too.
///
/// # Errors
/// No cluster, one that is too old, or a task that ended.
pub async fn run(
    args: Args,
    settings: Settings,
    around: Surroundings,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let guard = LeaderGuard::default();
    let clients = connect(around.kubeconfig.as_deref(), &guard).await?;
    let client = clients.gated;
    definitions::ensure(&client).await?;
    let listener = admin_port(around.admin, settings.config.controller.admin_address).await?;
    let (workers, config) = (settings.config.controller.workers, &settings.config);
    let lease = LeaseApi::new(clients.lease, &config.operator_namespace, &names::controller_lease(&config.instance));
    let (timing, standing) = (settings.config.leader_election.timing(), Arc::new(Standing::default()));

    let (namespaces, namespace_writer) = kube::runtime::reflector::store::<WatchedNamespace>();
    let class_writer = Writer::<DynamicObject>::new(ApiResource::erase::<NamespaceClass>(&()));
    let binding_writer = Writer::<Guarded>::new(());
    let metrics = Metrics::new()?;
    scope::say_empty_selector(&settings);
    let asks = guard.clone();
    let leads: Leads = Arc::new(move || asks.may_write());
    let (managed, scope_task) = Scope::new(settings.scope.clone(), Some(leads), &metrics.registry)?;
    let context = Arc::new(Context {
        client: client.clone(),
        scope: managed.clone(),
        guard: guard.clone(),
        standing: standing.clone(),
        namespaces,
        classes: Classes::new(client.clone(), class_writer.as_reader()),
        bindings: Bindings::new(binding_writer.as_reader()),
        kinds: KindCache::new(client.clone()),
        drift: Drift::default(),
        events: Events::default(),
        mass_delete: MassDeleteGuard::default(),
        memory: Memory::new(settings.periodic_pass()),
        namespace_queue: WorkQueue::default(),
        class_queue: WorkQueue::default(),
        listed: Listed { namespaces: managed.seeded().clone(), ..Listed::default() },
        licence: licence::Gate::new(around.clock),
        pod: around.pod,
        certificates: certs::Report::default(),
        metrics,
        settings: ArcSwap::from_pointee(settings),
    });
    tracing::info!(address = %listener.local_addr()?, workers, "starting");

    let mut tasks = Supervisor::new(shutdown.clone());
    tasks.spawn("signals", stop_on_signal(shutdown.clone()));
    let (readiness, registry) = (Arc::new(Ready(context.clone())), context.metrics.registry.clone());
    tasks.spawn("admin", serve_admin(listener, readiness, registry, managed.routes(), shutdown.clone()));
    let candidate =
        Candidate { lease, identity: identity(), timing, guard, standing, metrics: context.metrics.leader.clone() };
    tasks.spawn("lease", candidate.run(shutdown.clone()));
    let config = || WatchConfig::default().timeout(WATCH_SECONDS);
    let feed = |kind, listed: Option<&Latch>| Feed {
        kind,
        listed: listed.cloned(),
        context: context.clone(),
        shutdown: shutdown.clone(),
    };
    let (mapper, to_queues) = (scope::Concerned(context.clone()), scope::to_queues(context.clone()));
    let flips = managed.subscribe("namespaces");
    tasks.spawn("follow the scope", follow_flips(flips, mapper, to_queues, shutdown.clone()));
    tasks.spawn("watch namespaces", {
        let listener = scope::Namespaces { context: context.clone(), store: namespace_writer };
        scope_task.run(client.clone(), listener, shutdown.clone())
    });
    tasks.spawn("watch classes", {
        let resource = ApiResource::erase::<NamespaceClass>(&());
        let stream = watch_cluster(Api::<DynamicObject>::all_with(client.clone(), &resource), config());
        let stream = stream.modify(|class| class.metadata.managed_fields = None);
        let mut told = ClassesTold::default();
        let on = move |context: &Context, event| told.on_class(context, event);
        feed("NamespaceClass", Some(&context.listed.classes)).run(stream, Some(class_writer), on)
    });
    tasks.spawn("watch bindings", {
        let stream = watch_cluster(Api::<Guarded>::all(client.clone()), config());
        let stream = stream.modify(bindings::slim);
        let feed = feed("NamespaceClassBinding", Some(&context.listed.bindings));
        let mut told = BindingsTold::default();
        feed.run(stream, Some(binding_writer), move |context, event| told.on_binding(context, event))
    });
    tasks.spawn("watch definitions", {
        let stream = watch_cluster(Api::<WatchedDefinition>::all(client), config());
        feed("CustomResourceDefinition", None).run(stream, None, feeds::on_crd)
    });
    tasks.spawn("follow configuration", {
        let (config, metrics) = (context.settings().config.clone(), context.metrics.reloads.clone());
        let context = context.clone();
        follow_config(args, config, metrics, move |settings| reload::take(&context, settings), shutdown.clone())
    });
    tasks.spawn("licence", licence::keep(context.clone(), shutdown.clone()));
    tasks.spawn("usage", usage::report(context.clone(), shutdown.clone()));
    tasks.spawn("certificates", certs::keep(context.clone(), shutdown.clone()));
    tasks.spawn("events", events::write(context.clone(), shutdown.clone()));
    tasks.spawn("count", count(context.clone(), shutdown.clone()));
    tasks.spawn("take office", take_office(context.clone(), shutdown.clone()));
    tasks.spawn("classes", class_reconcile::work(context.clone(), shutdown.clone()));
    livegit::start(&context, &mut tasks, &shutdown).await?;
    for _ in 0..workers {
        tasks.spawn("namespaces", reconcile::work(context.clone(), shutdown.clone()));
    }
    tasks.run(GRACE).await?;
    tracing::info!("stopped");
    Ok(())
}

/// The port that was given, or the one that is configured.
async fn admin_port(given: Option<TcpListener>, address: SocketAddr) -> anyhow::Result<TcpListener> {
    if let Some(listener) = given {
        return Ok(listener);
    }
    TcpListener::bind(address).await.with_context(|| format!("controller.adminAddress {address}"))
}

/// Opens the queues when we are elected and every store has its first full list: before that, nothing can be concluded from what is
/// missing. Nor are they opened beside another installation of this instance. Until then the workers wait for keys that nobody can add.
/// From then on drift is watched for.
async fn take_office(context: Arc<Context>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let office = async {
        context.listed.namespaces.wait().await;
        context.listed.classes.wait().await;
        context.listed.bindings.wait().await;
        context.guard.elected().await;
        context.licence.in_office().wait().await;
        rival::ensure_none(&context).await
    };
    tokio::select! {
        () = shutdown.cancelled() => return Ok(()),
        alone = office => alone?,
    }
    context.namespace_queue.open();
    context.class_queue.open();
    feeds::tell_everything(&context);
    context.scope.tell_everything();
    tracing::info!("everything is queued once");
    drift::watch_kinds(context, shutdown).await
}

/// Keeps gauges that are read off state.
async fn count(context: Arc<Context>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let depth = |depth: usize| i64::try_from(depth).unwrap_or(i64::MAX);
    loop {
        let gauges = &context.metrics.queue_depth;
        gauges.with_label_values(&["namespaces"]).set(depth(context.namespace_queue.depth()));
        gauges.with_label_values(&["classes"]).set(depth(context.class_queue.depth()));
        class_reconcile::count_bindings(&context);
        scope::count_other_instances(&context);
        if context.settings().config.gate.mode != GateMode::None {
            licence::count(&context);
        }
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(Duration::from_secs(2)) => {}
        }
    }
}
