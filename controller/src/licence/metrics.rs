//! What is counted of licences. Every label has a closed set of values.

use nsclass_shared::licence::{Found, Refusal, State};
use prometheus::{IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry};

/// What is counted. Nothing is shown while no licence is wanted.
#[derive(Clone, Debug)]
pub struct LicenceMetrics {
    state: IntGaugeVec,
    expiry: IntGauge,
    held: IntGaugeVec,
    refused: IntGaugeVec,
    refusals: IntCounterVec,
    record_failures: IntCounter,
}

impl LicenceMetrics {
    /// Registered.
    ///
    /// # Errors
    /// The registry has them already.
    pub fn new(registry: &Registry) -> prometheus::Result<Self> {
        let gauges = |name: &str, help: &str, label: &str| IntGaugeVec::new(Opts::new(name, help), &[label]);
        let metrics = Self {
            state: gauges(
                "nsclass_licence_state",
                "1 for the state of the licence: Valid, Expired or Absent.",
                "state",
            )?,
            expiry: IntGauge::new(
                "nsclass_licence_expiry_seconds",
                "When the licence that counts expires, in seconds since 1970; 0 where there is none.",
            )?,
            held: gauges("nsclass_licence_held_namespaces", "Namespaces that wait for a licence, by why.", "why")?,
            refused: gauges("nsclass_licence_documents_refused", "Documents that do not count now, by why.", "reason")?,
            refusals: IntCounterVec::new(
                Opts::new("nsclass_licence_refusals_total", "Documents that were found not to count, by why."),
                &["reason"],
            )?,
            record_failures: IntCounter::new(
                "nsclass_licence_record_failures_total",
                "Times that the record of the licence gate could not be read or written.",
            )?,
        };
        registry.register(Box::new(metrics.state.clone()))?;
        registry.register(Box::new(metrics.expiry.clone()))?;
        registry.register(Box::new(metrics.held.clone()))?;
        registry.register(Box::new(metrics.refused.clone()))?;
        registry.register(Box::new(metrics.refusals.clone()))?;
        registry.register(Box::new(metrics.record_failures.clone()))?;
        Ok(metrics)
    }

    /// The state is this; none while no licence is wanted.
    pub(super) fn state(&self, state: Option<&State>) {
        self.state.reset();
        for word in State::WORDS.iter().filter(|_| state.is_some()) {
            let is_so = state.is_some_and(|state| state.word() == *word);
            self.state.with_label_values(&[word]).set(is_so.into());
        }
        self.expiry.set(match state {
            Some(State::Valid(licence) | State::Expired(licence)) => licence.terms.expiry.as_second(),
            Some(State::Absent(_)) | None => 0,
        });
    }

    /// So many wait, by the word for why.
    pub(super) fn held(&self, count: impl Fn(&str) -> usize, words: &[&str]) {
        for word in words {
            self.held.with_label_values(&[word]).set(i64::try_from(count(word)).unwrap_or(i64::MAX));
        }
    }

    /// What was found, and what was found before.
    pub(super) fn found(&self, before: &Found, now: &Found) {
        for category in Refusal::CATEGORIES {
            let count = now.refused.iter().filter(|refused| refused.why.category() == category).count();
            self.refused.with_label_values(&[category]).set(i64::try_from(count).unwrap_or(i64::MAX));
        }
        for refused in now.refused.iter().filter(|refused| !before.refused.contains(refused)) {
            self.refusals.with_label_values(&[refused.why.category()]).inc();
            tracing::warn!(place = refused.place, why = %refused.why, "a licence does not count");
        }
    }

    /// The record could not be read or written.
    pub(super) fn record_failed(&self) {
        self.record_failures.inc();
    }
}
