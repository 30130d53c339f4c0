//! What is counted of leadership.

use prometheus::{IntCounterVec, IntGauge, Opts, Registry};

/// Of one replica.
#[derive(Clone, Debug)]
pub struct LeaderMetrics {
    /// 1 while this replica leads.
    pub leader: IntGauge,
    /// How often the lease changed hands, as it says itself.
    pub transitions: IntGauge,
    /// Requests about the lease that failed, by `read`, `write` or `watch`; a conflict is none.
    pub failures: IntCounterVec,
}

impl LeaderMetrics {
    /// In `registry`.
    ///
    /// # Errors
    /// They are there already.
    pub fn new(registry: &Registry) -> prometheus::Result<Self> {
        let failures = Opts::new("nsclass_lease_failures_total", "Requests about the lease that failed, by request.");
        let metrics = Self {
            leader: IntGauge::new("nsclass_leader", "1 while this replica leads.")?,
            transitions: IntGauge::new("nsclass_lease_transitions", "How often the lease has changed hands.")?,
            failures: IntCounterVec::new(failures, &["request"])?,
        };
        for request in ["read", "write", "watch"] {
            metrics.failures.with_label_values(&[request]);
        }
        registry.register(Box::new(metrics.leader.clone()))?;
        registry.register(Box::new(metrics.transitions.clone()))?;
        registry.register(Box::new(metrics.failures.clone()))?;
        Ok(metrics)
    }
}
