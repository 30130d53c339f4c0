//! What every process of ours needs at its edges: supervised tasks, shutdown, logs, and the admin port.
//!
//! Behind the feature `runtime`, so that the rules themselves stay free of I/O.

mod admin;
mod args;
mod connect;
mod discovery;
mod latch;
mod pair;
mod process;
mod reload;
mod retry_after;
mod scope;
mod supervise;
mod telemetry;
mod watch;

pub use admin::{Readiness, serve_admin};
pub use args::{CommonArgs, ConfigSource, Format, LoadError};
pub use connect::{UNUSABLE, WATCH_SECONDS, cluster, cluster_of, connect, ensure_supported};
pub use discovery::follow_discovery;
pub use latch::Latch;
pub use pair::{Look, LookError, PairMetrics, PairStatus, ServingPair};
pub use process::run_process;
pub use reload::{ReloadMetrics, follow_config};
pub use retry_after::KeepRetryAfter;
pub use scope::{
    ByNamespace, FlipMapper, FlipQueue, InNamespace, InScope, Leads, NamespaceListener, NamespacedName, Scope,
    ScopeHandle, ScopeTask, ScopedList, ScopedReader, WatchedNamespace, follow_flips, reachable,
};
pub use supervise::{Ended, Supervisor, stop_on_signal};
pub use telemetry::{LogFormat, init_logs};
pub use watch::{watch_cluster, watch_namespaced, watch_own};
