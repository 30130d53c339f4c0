//! What the Git side counts.

use prometheus::{IntCounter, IntCounterVec, Opts, Registry};

use super::git::GitError;

/// Counters of all workers; failures by their closed set of reasons.
#[derive(Clone, Debug)]
pub struct GitMetrics {
    commits: IntCounter,
    overtaken: IntCounter,
    failures: IntCounterVec,
    audit: IntCounterVec,
}

impl GitMetrics {
    /// Registers them.
    ///
    /// # Errors
    /// Two metrics of one name.
    pub fn new(registry: &Registry) -> prometheus::Result<Self> {
        let metrics = Self {
            commits: IntCounter::new("nsclass_git_commits_total", "Commits that were pushed.")?,
            overtaken: IntCounter::new(
                "nsclass_git_overtaken_total",
                "Pushes that found the branch moved and were planned again.",
            )?,
            failures: IntCounterVec::new(
                Opts::new("nsclass_git_failures_total", "Failed looks and pushes, by reason."),
                &["reason"],
            )?,
            audit: IntCounterVec::new(
                Opts::new(
                    "nsclass_git_audit_total",
                    "Requests of the API server's audit webhook, by what became of them.",
                ),
                &["result"],
            )?,
        };
        registry.register(Box::new(metrics.commits.clone()))?;
        registry.register(Box::new(metrics.overtaken.clone()))?;
        registry.register(Box::new(metrics.failures.clone()))?;
        registry.register(Box::new(metrics.audit.clone()))?;
        Ok(metrics)
    }

    pub(super) fn pushed(&self, commits: usize) {
        self.commits.inc_by(commits as u64);
    }

    pub(super) fn overtaken(&self) {
        self.overtaken.inc();
    }

    pub(super) fn failed(&self, error: &GitError) {
        self.failures.with_label_values(&[error.failure.as_str()]).inc();
    }

    pub(super) fn audited(&self, result: &str) {
        self.audit.with_label_values(&[result]).inc();
    }

    /// How many commits were pushed.
    pub fn commits(&self) -> u64 {
        self.commits.get()
    }
}
