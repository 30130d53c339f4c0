//! The parts of writing to Git as the configuration has them.

use std::{fs, sync::Arc};

use anyhow::Context as _;
use nsclass_manifests::limits::Limits;
use nsclass_shared::{
    config::{AuditConfig, GitConfig},
    runtime::{ServingPair, Supervisor},
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{
    LiveGit,
    audit::{Audit, Receiver, serve},
    board::Board,
    discovery::Discovery,
    git::Budget,
    metrics::GitMetrics,
    seal::Sealer,
    workers::{Settings, Workers},
};
use crate::context::Context;

/// Most bytes of one commit, as they are read from the API server.
const WINDOW_BYTES: usize = 16 << 20;
/// Most bytes that wait for one branch; beyond it they are dropped, and everything is listed again.
const PENDING_BYTES: usize = 64 << 20;

/// Makes the parts, and starts what listens.
///
/// # Errors
/// The port of the audit webhook cannot be opened, or its token not be read.
pub async fn set_up(
    context: Arc<Context>,
    tasks: &mut Supervisor,
    shutdown: &CancellationToken,
) -> anyhow::Result<Arc<LiveGit>> {
    let config = context.settings().config.git.clone();
    let metrics = GitMetrics::new(&context.metrics.registry)?;
    let audit = match &config.audit {
        Some(audit) => Some(listen(audit, &metrics, tasks, shutdown).await?),
        None => None,
    };
    let (board, discovery) = (Arc::new(Board::default()), Discovery::default());
    let workers = Workers::new(settings(&context, &config, audit, board.clone(), &discovery, metrics));
    Ok(Arc::new(LiveGit::new(context, discovery, board, workers)?))
}

fn settings(
    context: &Context,
    config: &GitConfig,
    audit: Option<Arc<Audit>>,
    board: Arc<Board>,
    discovery: &Discovery,
    metrics: GitMetrics,
) -> Settings {
    let discovery = discovery.clone();
    Settings {
        program: "git".into(),
        directory: config.directory.clone(),
        budget: Budget { repository: config.repository_bytes(), ..Budget::default() },
        limits: Limits::default(),
        poll: config.poll(),
        window_bytes: WINDOW_BYTES,
        pending_bytes: PENDING_BYTES,
        audit,
        sealer: Sealer::new("sops".into(), &config.encrypt_to),
        gate: Arc::new(context.guard.clone()),
        kinds: Arc::new(move || discovery.table()),
        reports: board,
        metrics,
    }
}

/// Takes batches of the API server's audit webhook from now on.
async fn listen(
    config: &AuditConfig,
    metrics: &GitMetrics,
    tasks: &mut Supervisor,
    shutdown: &CancellationToken,
) -> anyhow::Result<Arc<Audit>> {
    let listener =
        TcpListener::bind(config.address).await.with_context(|| format!("git.audit.address {}", config.address))?;
    let token = fs::read_to_string(&config.token_file)
        .with_context(|| format!("git.audit.tokenFile {}", config.token_file.display()))?;
    let token = token.trim().to_owned();
    anyhow::ensure!(!token.is_empty(), "git.audit.tokenFile {}: it is empty", config.token_file.display());
    let audit = Arc::new(Audit::new(std::time::Duration::from_secs(config.wait_seconds)));
    let pair = Arc::new(ServingPair::default());
    let tls = pair.server_config()?;
    tracing::info!(address = %listener.local_addr()?, "taking who changed what from the API server's audit webhook");
    let receiver = Arc::new(Receiver::new(audit.clone(), token, metrics.clone()));
    tasks.spawn("serving pair of audit", pair.follow(config.certificate_directory.clone(), shutdown.clone()));
    tasks.spawn("audit", serve(listener, tls, receiver, shutdown.clone()));
    Ok(audit)
}
