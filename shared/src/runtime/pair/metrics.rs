//! What is counted of the serving pair, for `/metrics` (admission.md A25).

use std::sync::Arc;

use prometheus::{
    IntCounterVec, IntGaugeVec, Opts,
    core::{Collector, Desc},
    proto::MetricFamily,
};

use super::ServingPair;

/// Read off the pair at each scrape, so that nothing has to be kept in step.
pub struct PairMetrics {
    pair: Arc<ServingPair>,
    described: (IntGaugeVec, IntCounterVec),
}

impl PairMetrics {
    /// Of this pair; register it.
    ///
    /// # Errors
    /// A name that cannot be one, which is a mistake in this file.
    pub fn new(pair: Arc<ServingPair>) -> prometheus::Result<Self> {
        Ok(Self { pair, described: series()? })
    }
}

impl Collector for PairMetrics {
    fn desc(&self) -> Vec<&Desc> {
        let (not_after, reloads) = &self.described;
        not_after.desc().into_iter().chain(reloads.desc()).collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        let Ok((not_after, reloads)) = series() else { return Vec::new() };
        let status = self.pair.status();
        if let Some(at) = status.not_after {
            not_after.with_label_values(&["serving"]).set(at.as_second());
        }
        reloads.with_label_values(&["taken"]).inc_by(status.taken);
        reloads.with_label_values(&["refused"]).inc_by(status.refused);
        // A family without series is no family.
        let families = not_after.collect().into_iter().chain(reloads.collect());
        families.filter(|family| !family.get_metric().is_empty()).collect()
    }
}

fn series() -> prometheus::Result<(IntGaugeVec, IntCounterVec)> {
    let not_after = Opts::new(
        "nsclass_certificate_not_after_seconds",
        "When a certificate runs out, in seconds since 1970, by its role.",
    );
    let reloads = Opts::new("nsclass_certificate_reloads_total", "Serving pairs found in the directory, by result.");
    Ok((IntGaugeVec::new(not_after, &["role"])?, IntCounterVec::new(reloads, &["result"])?))
}
