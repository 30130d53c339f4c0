//! Candidates in this process, against the real API server: for what no separate process can be made to do.

use std::sync::Arc;

use anyhow::Result;
use kube::Client;
use nsclass_controller::leader::{Candidate, LeaderGuard, LeaseApi, Standing, WallClock};
use nsclass_controller::metrics::Metrics;
use nsclass_shared::lease::Timing;
use nsclass_tests::{ControlPlane, Identity};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A candidate that runs as a task.
pub struct Running {
    pub guard: LeaderGuard,
    pub standing: Arc<Standing>,
    pub shutdown: CancellationToken,
    pub task: JoinHandle<Result<()>>,
}

/// What a candidate is made of, before it runs.
pub struct Setup<'a> {
    pub cp: &'a ControlPlane,
    pub namespace: &'a str,
    pub lease: &'a str,
    pub timing: Timing,
}

impl Setup<'_> {
    /// A candidate of this name.
    pub fn candidate(&self, identity: &str, wall: Option<WallClock>) -> Result<Candidate> {
        let mut config = self.cp.client_config(&Identity::Admin)?;
        config.default_retry = false;
        let lease = LeaseApi::new(Client::try_from(config)?, self.namespace, self.lease);
        Ok(Candidate {
            lease: wall.map_or(lease.clone(), |wall| lease.with_wall_clock(wall)),
            identity: identity.to_owned(),
            timing: self.timing,
            guard: LeaderGuard::default(),
            standing: Arc::new(Standing::default()),
            metrics: Metrics::new()?.leader,
        })
    }

    /// The same, running.
    pub fn run(&self, identity: &str, wall: Option<WallClock>) -> Result<Running> {
        let candidate = self.candidate(identity, wall)?;
        let (guard, standing) = (candidate.guard.clone(), candidate.standing.clone());
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(candidate.run(shutdown.clone()));
        Ok(Running { guard, standing, shutdown, task })
    }
}
