//! When the process is ready, and what is missing while it is not.

use std::sync::Arc;

use jiff::Timestamp;
use nsclass_shared::runtime::{Readiness, ReloadMetrics, ScopeHandle, ServingPair};
use tokio_util::sync::CancellationToken;

use crate::{dial::OwnDial, kinds::KindTable, tls::Tls};

/// What `/readyz` asks.
pub struct Ready {
    /// The namespaces.
    pub scope: ScopeHandle,
    /// What the API server serves.
    pub kinds: KindTable,
    /// What is shown at handshakes.
    pub pair: Arc<ServingPair>,
    /// Whether the port answers.
    pub dial: OwnDial,
    /// Whether the API server is known.
    pub tls: Tls,
    /// SIGTERM has come.
    pub stopping: CancellationToken,
    /// Whether the configuration file is in force.
    pub reloads: ReloadMetrics,
}

impl Readiness for Ready {
    fn parts(&self) -> Vec<(&'static str, Result<(), String>)> {
        let unless = |missing: bool, why: &str| if missing { Err(why.to_owned()) } else { Ok(()) };
        vec![
            ("running", unless(self.stopping.is_cancelled(), "stopping")),
            ("namespaces", unless(!self.scope.load().is_seeded(), "no full list of namespaces yet")),
            ("kinds", unless(!self.kinds.is_known(), "what the API server serves is not known yet")),
            ("serving pair", self.pair.is_valid(Timestamp::now())),
            ("admission port", self.dial.is_reachable()),
            ("client certificate", self.tls.is_verified()),
        ]
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.reloads.notes();
        notes.extend(self.pair.status().why_refused.map(|why| format!("the serving pair on disk is refused: {why}")));
        notes
    }
}
