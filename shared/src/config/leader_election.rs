//! `leaderElection:` how the replicas of the controller agree on one of them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{ConfigError, in_range};
use crate::lease::{LONGEST_LEASE, Timing};

/// How the replicas of the controller agree on one of them (scope.md S41). Changes here take a restart; all replicas should say the
/// same.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LeaderElectionConfig {
    /// How long the others wait, in seconds, before they take over from a leader that was killed, 2 to 300.
    pub lease_duration_seconds: u64,
    /// How long a leader goes on without renewing its lease, in seconds; less than the lease's duration by what clocks may differ in
    /// that time.
    pub renew_deadline_seconds: u64,
    /// Pause between two renewals, in seconds.
    pub retry_period_seconds: u64,
    /// How long one request about the lease may take, in seconds. With the pause it is less than the renew deadline, so that one
    /// request without an answer ends nothing.
    pub request_timeout_seconds: u64,
}

impl Default for LeaderElectionConfig {
    fn default() -> Self {
        Self {
            lease_duration_seconds: 15,
            renew_deadline_seconds: 10,
            retry_period_seconds: 2,
            request_timeout_seconds: 3,
        }
    }
}

impl LeaderElectionConfig {
    /// The times as the elector wants them.
    pub fn timing(&self) -> Timing {
        Timing {
            lease: Duration::from_secs(self.lease_duration_seconds),
            renew_deadline: Duration::from_secs(self.renew_deadline_seconds),
            retry_period: Duration::from_secs(self.retry_period_seconds),
            request_timeout: Duration::from_secs(self.request_timeout_seconds),
        }
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let longest = LONGEST_LEASE.as_secs();
        in_range("leaderElection.leaseDurationSeconds", self.lease_duration_seconds, 2..=longest, "2 to 300 seconds")?;
        for (field, seconds) in [
            ("leaderElection.retryPeriodSeconds", self.retry_period_seconds),
            ("leaderElection.requestTimeoutSeconds", self.request_timeout_seconds),
        ] {
            in_range(field, seconds, 1..=60, "1 to 60 seconds")?;
        }
        let Self { lease_duration_seconds: lease, renew_deadline_seconds: deadline, .. } = *self;
        let one_attempt = self.retry_period_seconds + self.request_timeout_seconds;
        if deadline >= lease {
            return Err(ConfigError::Order {
                field: "leaderElection.renewDeadlineSeconds",
                value: deadline,
                rule: "it must be less than leaseDurationSeconds, or two replicas could lead at once",
                bound: lease,
            });
        }
        if deadline <= one_attempt {
            return Err(ConfigError::Order {
                field: "leaderElection.renewDeadlineSeconds",
                value: deadline,
                rule: "it must be more than retryPeriodSeconds and requestTimeoutSeconds together, or one lost request ends leadership",
                bound: one_attempt,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    fn refused(section: &str) -> String {
        Config::parse(&format!("leaderElection: {section}")).and_then(Config::settings).unwrap_err().to_string()
    }

    #[test]
    fn bad13_s41_times_that_would_allow_two_leaders_or_none_are_refused() {
        insta::assert_snapshot!(refused("{ leaseDurationSeconds: 1 }"), @"leaderElection.leaseDurationSeconds: 1 is out of range: 2 to 300 seconds");
        insta::assert_snapshot!(refused("{ retryPeriodSeconds: 0 }"), @"leaderElection.retryPeriodSeconds: 0 is out of range: 1 to 60 seconds");
        insta::assert_snapshot!(refused("{ requestTimeoutSeconds: 61 }"), @"leaderElection.requestTimeoutSeconds: 61 is out of range: 1 to 60 seconds");
        insta::assert_snapshot!(refused("{ renewDeadlineSeconds: 15 }"), @"leaderElection.renewDeadlineSeconds: 15 against 15: it must be less than leaseDurationSeconds, or two replicas could lead at once");
        insta::assert_snapshot!(refused("{ requestTimeoutSeconds: 8 }"), @"leaderElection.renewDeadlineSeconds: 10 against 10: it must be more than retryPeriodSeconds and requestTimeoutSeconds together, or one lost request ends leadership");
        insta::assert_snapshot!(refused("{ renewDeadline: 9s }"), @"line 1 column 19: unknown field `renewDeadline`, expected one of leaseDurationSeconds, renewDeadlineSeconds, retryPeriodSeconds, requestTimeoutSeconds");
    }

    #[test]
    fn s41_the_defaults_stand_in_the_order_that_safety_needs() {
        let timing = Config::default().settings().unwrap().config.leader_election.timing();
        assert!(timing.request_timeout < timing.renew_deadline && timing.renew_deadline < timing.lease);
    }
}
