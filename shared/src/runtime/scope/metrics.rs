//! What is measured of the scope, read off the state whenever somebody asks.

use prometheus::{
    Gauge, IntCounter, IntGauge, IntGaugeVec, Opts,
    core::{Collector, Desc},
    proto::MetricFamily,
};

use super::Scope;
use crate::scope::Verdict;

/// All gauges of the scope.
pub(super) struct ScopeMetrics {
    scope: Scope,
    namespaces: IntGaugeVec,
    epoch: IntGauge,
    generation: IntGauge,
    digest: IntGauge,
    seeded: IntGauge,
    age: Gauge,
    backlog: IntGaugeVec,
    pub(super) watch_errors: IntCounter,
}

impl ScopeMetrics {
    pub(super) fn new(scope: Scope) -> prometheus::Result<Self> {
        Ok(Self {
            scope,
            namespaces: IntGaugeVec::new(
                Opts::new(
                    "nsclass_scope_namespaces",
                    "Namespaces that were seen, by verdict; without the operator's own.",
                ),
                &["verdict"],
            )?,
            epoch: IntGauge::new("nsclass_scope_epoch", "Snapshots that this process has published.")?,
            generation: IntGauge::new(
                "nsclass_scope_generation",
                "Scope rules that this process has had, 1 at start.",
            )?,
            digest: IntGauge::new(
                "nsclass_scope_digest",
                "48 bits of the snapshot's digest: equal on replicas that agree on who is in scope.",
            )?,
            seeded: IntGauge::new("nsclass_scope_seeded", "1 once the first full list is in the snapshot.")?,
            age: Gauge::new(
                "nsclass_scope_age_seconds",
                "Seconds since the API server was last heard of on the watch of namespaces; below a minute when all is well.",
            )?,
            backlog: IntGaugeVec::new(
                Opts::new("nsclass_scope_backlog", "Flips that wait for a subscriber."),
                &["subscriber"],
            )?,
            watch_errors: IntCounter::new(
                "nsclass_scope_watch_errors_total",
                "Times that the watch of namespaces broke and was taken up again.",
            )?,
        })
    }

    fn parts(&self) -> [&dyn Collector; 8] {
        let Self { namespaces, epoch, generation, digest, seeded, age, backlog, watch_errors, .. } = self;
        [namespaces, epoch, generation, digest, seeded, age, backlog, watch_errors]
    }

    fn read(&self) {
        let snapshot = self.scope.handle.load_full();
        for verdict in [Verdict::InScope, Verdict::OutOfScope] {
            self.namespaces.with_label_values(&[verdict.as_str()]).set(gauge(snapshot.count(verdict)));
        }
        self.epoch.set(gauge(snapshot.epoch()));
        self.generation.set(gauge(snapshot.generation()));
        self.digest.set(snapshot.digest().as_gauge());
        self.seeded.set(i64::from(snapshot.is_seeded()));
        self.age.set(self.scope.age().as_secs_f64());
        for (subscriber, backlog) in self.scope.telling.backlogs() {
            self.backlog.with_label_values(&[subscriber]).set(gauge(backlog));
        }
    }
}

impl Collector for ScopeMetrics {
    fn desc(&self) -> Vec<&Desc> {
        self.parts().into_iter().flat_map(Collector::desc).collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        self.read();
        self.parts().into_iter().flat_map(Collector::collect).collect()
    }
}

fn gauge(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
