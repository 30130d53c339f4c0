//! What the webhook counts. Every label has a closed set of values.

use nsclass_shared::runtime::ReloadMetrics;
use prometheus::{Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, Opts, Registry, core::Collector};

use crate::failure::Failure;

/// All metrics, in one registry.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// For `/metrics`.
    pub registry: Registry,
    /// Reviews answered, by path and outcome: `unjudged`, `allowed` or `denied`.
    pub answers: IntCounterVec,
    /// What the gate found of the namespaces of reviews: `in_scope`, `out_of_scope`, `settled_in_scope`, `settled_out_of_scope` or
    /// `unsettled`.
    pub gate: IntCounterVec,
    /// Requests that got an HTTP error instead of an answer, by category.
    pub failures: IntCounterVec,
    /// How long answers took, from the end of the header on.
    pub seconds: Histogram,
    /// Requests under way.
    pub in_flight: IntGauge,
    /// Connections by how they began or ended: `accepted`, `refused`, `handshake_failed`, `handshake_slow`, `idle`, `cut`, `broken`,
    /// `panicked`.
    pub connections: IntCounterVec,
    /// Open connections.
    pub open: IntGauge,
    /// Looks at what the API server serves that failed; the last one stays in use.
    pub discovery_failures: IntCounter,
    /// Configuration files taken or refused while running.
    pub reloads: ReloadMetrics,
}

impl Metrics {
    /// A fresh registry with everything in it.
    ///
    /// # Errors
    /// Two metrics of one name, which is a mistake in this file.
    pub fn new() -> prometheus::Result<Self> {
        let registry = Registry::new();
        let metrics = Self {
            answers: counters(
                "nsclass_admission_answers_total",
                "Admission reviews answered, by path and outcome.",
                &["path", "outcome"],
            )?,
            gate: counters(
                "nsclass_admission_gate_total",
                "What the gate found of the namespaces of reviews.",
                &["outcome"],
            )?,
            failures: counters(
                "nsclass_admission_failures_total",
                "Requests that got an HTTP error instead of an answer, by category.",
                &["category"],
            )?,
            seconds: Histogram::with_opts(
                HistogramOpts::new("nsclass_admission_seconds", "How long admission reviews took, in seconds.")
                    .buckets(prometheus::exponential_buckets(0.0001, 3.0, 10)?),
            )?,
            in_flight: IntGauge::new("nsclass_admission_in_flight", "Admission requests under way.")?,
            connections: counters(
                "nsclass_admission_connections_total",
                "Connections of the admission port, by how they began or ended.",
                &["event"],
            )?,
            open: IntGauge::new("nsclass_admission_connections", "Open connections of the admission port.")?,
            discovery_failures: IntCounter::new(
                "nsclass_discovery_failures_total",
                "Looks at what the API server serves that failed.",
            )?,
            reloads: ReloadMetrics::new(&registry)?,
            registry,
        };
        // An alert on their increase would not see the first of a series that begins with it.
        for category in Failure::OURS {
            metrics.failures.with_label_values(&[category]);
        }
        metrics.register()?;
        Ok(metrics)
    }

    fn register(&self) -> prometheus::Result<()> {
        let all: [Box<dyn Collector>; 8] = [
            Box::new(self.answers.clone()),
            Box::new(self.gate.clone()),
            Box::new(self.failures.clone()),
            Box::new(self.seconds.clone()),
            Box::new(self.in_flight.clone()),
            Box::new(self.connections.clone()),
            Box::new(self.open.clone()),
            Box::new(self.discovery_failures.clone()),
        ];
        all.into_iter().try_for_each(|collector| self.registry.register(collector))
    }
}

fn counters(name: &str, help: &str, labels: &[&str]) -> prometheus::Result<IntCounterVec> {
    IntCounterVec::new(Opts::new(name, help), labels)
}
