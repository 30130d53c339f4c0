//! What is counted of certificates (admission.md A25).

use jiff::Timestamp;
use prometheus::{IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry};

use super::error::CertsError;
use crate::webhook_configuration::Wrote;

/// What is counted. The standby shows zeros.
#[derive(Clone, Debug)]
pub struct CertificateMetrics {
    not_after: IntGaugeVec,
    in_step: IntGauge,
    steps: IntCounterVec,
    writes: IntCounterVec,
    failures: IntCounterVec,
}

impl CertificateMetrics {
    /// Registered.
    ///
    /// # Errors
    /// The registry has them already.
    pub fn new(registry: &Registry) -> prometheus::Result<Self> {
        let counters = |name: &str, help: &str, label: &str| IntCounterVec::new(Opts::new(name, help), &[label]);
        let metrics = Self {
            not_after: IntGaugeVec::new(
                Opts::new(
                    "nsclass_certificate_not_after_seconds",
                    "When a certificate runs out, in seconds since 1970, by its role.",
                ),
                &["role"],
            )?,
            in_step: IntGauge::new(
                "nsclass_ca_bundle_in_step",
                "1 while the webhook configuration trusts exactly those authorities that it must.",
            )?,
            steps: counters("nsclass_certificate_steps_total", "Steps of issuing and rotation, by step.", "step")?,
            writes: counters(
                "nsclass_webhook_configuration_writes_total",
                "Writes of the webhook configuration, by reason.",
                "reason",
            )?,
            failures: counters(
                "nsclass_certificate_failures_total",
                "Failed looks after certificates and the webhook configuration, by reason.",
                "reason",
            )?,
        };
        // An alert on their increase would not see the first of a series that begins with it.
        for category in CertsError::CATEGORIES {
            metrics.failures.with_label_values(&[category]);
        }
        registry.register(Box::new(metrics.not_after.clone()))?;
        registry.register(Box::new(metrics.in_step.clone()))?;
        registry.register(Box::new(metrics.steps.clone()))?;
        registry.register(Box::new(metrics.writes.clone()))?;
        registry.register(Box::new(metrics.failures.clone()))?;
        Ok(metrics)
    }

    /// When the certificate of a role runs out; none if there is none.
    pub fn runs_out(&self, role: &'static str, at: Option<Timestamp>) {
        match at {
            Some(at) => self.not_after.with_label_values(&[role]).set(at.as_second()),
            // A role that is empty has no series: 0 would be an alarm.
            None => drop(self.not_after.remove_label_values(&[role])),
        }
    }

    /// Whether the configuration trusts whom it must.
    pub fn in_step(&self, is_in_step: bool) {
        self.in_step.set(is_in_step.into());
    }

    /// A step was taken.
    pub fn stepped(&self, step: &'static str) {
        self.steps.with_label_values(&[step]).inc();
    }

    /// The configuration was written.
    pub fn wrote(&self, why: Wrote) {
        self.writes.with_label_values(&[why.as_str()]).inc();
    }

    /// A look failed.
    pub fn failed(&self, error: &CertsError) {
        self.failures.with_label_values(&[error.category()]).inc();
    }
}
