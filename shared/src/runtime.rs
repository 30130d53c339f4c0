//! What every process of ours needs at its edges: supervised tasks, shutdown, logs, and the admin port.
//!
//! Behind the feature `runtime`, so that the rules themselves stay free of I/O.

mod admin;
mod scope;
mod supervise;
mod telemetry;

pub use admin::{Readiness, serve_admin};
pub use scope::ScopeHandle;
pub use supervise::{Ended, Supervisor, stop_on_signal};
pub use telemetry::{LogFormat, init_logs};
