//! What the controller counts. Every label has a closed set of values.

use nsclass_shared::runtime::ReloadMetrics;
use prometheus::{
    Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry, core::Collector,
};

use crate::{certs::CertificateMetrics, leader::LeaderMetrics, licence::LicenceMetrics};

/// All metrics, in one registry.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// For `/metrics`.
    pub registry: Registry,
    /// Passes over namespaces, by how they ended: `rest`, `retry`, `wait`, `again` or `error`.
    pub passes: IntCounterVec,
    /// How long a pass took.
    pub pass_seconds: Histogram,
    /// Requests of passes, by step and outcome.
    pub requests: IntCounterVec,
    /// Failures of objects, by reason.
    pub failures: IntCounterVec,
    /// Panics of one namespace's or class's reconcile.
    pub panics: IntCounter,
    /// Keys that wait in a queue.
    pub queue_depth: IntGaugeVec,
    /// Objects that were set back after others had changed or deleted them.
    pub repairs: IntCounter,
    /// Events, by whether they were `written`, `failed`, or were `dropped` because too many waited.
    pub events: IntCounterVec,
    /// Kinds that are watched for drift.
    pub drift_watches: IntGauge,
    /// Watches that broke, by kind. They are taken up again.
    pub watch_errors: IntCounterVec,
    /// Namespaces with a binding, by the reason of their `Ready` condition.
    pub bindings: IntGaugeVec,
    /// Passes over namespaces out of scope.
    pub out_of_scope: IntCounter,
    /// Namespaces in our scope that another instance keeps, by its name.
    pub other_instance: IntGaugeVec,
    /// Usage reports: `written`, `skipped` because something could not be read, or `failed` to be written.
    pub usage_reports: IntCounterVec,
    /// Licences.
    pub licence: LicenceMetrics,
    /// Configuration files taken or refused while running.
    pub reloads: ReloadMetrics,
    /// Certificates and the webhook configuration.
    pub certificates: CertificateMetrics,
    /// Leadership.
    pub leader: LeaderMetrics,
}

impl Metrics {
    /// A fresh registry with everything in it.
    ///
    /// # Errors
    /// Two metrics of one name, which is a mistake in this file.
    pub fn new() -> prometheus::Result<Self> {
        let registry = Registry::new();
        let metrics = Self {
            passes: counters("nsclass_passes_total", "Passes over namespaces, by how they ended.", &["end"])?,
            pass_seconds: Histogram::with_opts(
                HistogramOpts::new("nsclass_pass_seconds", "How long a pass over one namespace took, in seconds.")
                    .buckets(prometheus::exponential_buckets(0.002, 2.5, 10)?),
            )?,
            requests: counters(
                "nsclass_requests_total",
                "Requests of passes, by step and outcome.",
                &["step", "outcome"],
            )?,
            failures: counters("nsclass_failures_total", "What was found not as desired, by reason.", &["reason"])?,
            panics: IntCounter::new("nsclass_reconcile_panics_total", "Panics that one reconcile was ended by.")?,
            queue_depth: gauges("nsclass_queue_depth", "Keys that wait to be worked on.", &["queue"])?,
            repairs: IntCounter::new("nsclass_drift_repairs_total", "Objects set back after a change by others.")?,
            events: counters("nsclass_events_total", "Events for people, by what became of them.", &["result"])?,
            drift_watches: IntGauge::new("nsclass_drift_watches", "Kinds that are watched for changes by others.")?,
            watch_errors: counters(
                "nsclass_watch_errors_total",
                "Watches that broke and were taken up again.",
                &["kind"],
            )?,
            bindings: gauges("nsclass_bindings", "Bindings, by the reason of their condition Ready.", &["reason"])?,
            out_of_scope: IntCounter::new(
                "nsclass_scope_out_of_scope_reconciles_total",
                "Passes over namespaces that are not managed.",
            )?,
            other_instance: gauges(
                "nsclass_scope_other_instance",
                "Namespaces in this instance's scope that another instance keeps, by its name.",
                &["instance"],
            )?,
            usage_reports: counters("nsclass_usage_reports_total", "Usage reports, by result.", &["result"])?,
            licence: LicenceMetrics::new(&registry)?,
            reloads: ReloadMetrics::new(&registry)?,
            certificates: CertificateMetrics::new(&registry)?,
            leader: LeaderMetrics::new(&registry)?,
            registry,
        };
        metrics.register()?;
        Ok(metrics)
    }

    fn register(&self) -> prometheus::Result<()> {
        let all: [Box<dyn Collector>; 14] = [
            Box::new(self.passes.clone()),
            Box::new(self.pass_seconds.clone()),
            Box::new(self.requests.clone()),
            Box::new(self.failures.clone()),
            Box::new(self.panics.clone()),
            Box::new(self.queue_depth.clone()),
            Box::new(self.repairs.clone()),
            Box::new(self.events.clone()),
            Box::new(self.drift_watches.clone()),
            Box::new(self.watch_errors.clone()),
            Box::new(self.bindings.clone()),
            Box::new(self.out_of_scope.clone()),
            Box::new(self.other_instance.clone()),
            Box::new(self.usage_reports.clone()),
        ];
        all.into_iter().try_for_each(|collector| self.registry.register(collector))
    }
}

fn counters(name: &str, help: &str, labels: &[&str]) -> prometheus::Result<IntCounterVec> {
    IntCounterVec::new(Opts::new(name, help), labels)
}

fn gauges(name: &str, help: &str, labels: &[&str]) -> prometheus::Result<IntGaugeVec> {
    IntGaugeVec::new(Opts::new(name, help), labels)
}
