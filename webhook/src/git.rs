//! The kinds of writing live objects back to Git: what can be known of one of them by itself, and whether the author of a rule may read
//! what it reads (folders.md F58). What follows from all of them together is the controller's to say, in their conditions.

mod rules;
mod sound;

use std::sync::Arc;

use arc_swap::ArcSwap;
use nsclass_shared::{
    api::{GitProviderSpec, GitTargetSpec},
    config::Settings,
    finding::{Finding, Reason, Severity},
    livegit::{
        fault::{Fault, Reason as FaultReason},
        provider, target,
    },
};

pub use rules::Rules;
pub use sound::Sound;

/// Where the webhook configuration sends reviews of each kind.
pub const PROVIDERS: &str = "/admit/gitproviders";
/// Of targets.
pub const TARGETS: &str = "/admit/gittargets";
/// Of rules of namespaces.
pub const RULES: &str = "/admit/watchrules";
/// Of rules of the cluster.
pub const CLUSTER_RULES: &str = "/admit/clusterwatchrules";

/// Judges providers.
pub fn providers(settings: Arc<ArcSwap<Settings>>) -> Sound<GitProviderSpec> {
    Sound::new("GitProvider", settings, |spec, settings| provider::check(spec, settings.config.git.allow_local))
}

/// Judges targets. Whether a folder is another's is decided by the controller, which sees them all.
pub fn targets(settings: Arc<ArcSwap<Settings>>) -> Sound<GitTargetSpec> {
    Sound::new("GitTarget", settings, |spec, _| target::check(spec))
}

/// A kind that is not served yet may come, and is waited for; all else denies.
fn finding(fault: Fault) -> Finding {
    let Fault { reason, field, message, remedy } = fault;
    let severity = if reason == FaultReason::KindNotFound { Severity::Warning } else { Severity::Error };
    let reason = if reason == FaultReason::Forbidden { Reason::Forbidden } else { Reason::InvalidManifest };
    Finding { severity, reason, item: None, path: field, message, remedy }
}

/// Warns whoever writes what nobody acts on.
fn idle(settings: &Settings) -> Option<Finding> {
    (!settings.config.git.enabled).then(|| Finding {
        severity: Severity::Warning,
        reason: Reason::InvalidManifest,
        item: None,
        path: "spec".to_owned(),
        message: "nothing acts on it while git.enabled is off in the operator's configuration".to_owned(),
        remedy: "have it switched on (the chart's value git.enabled)".to_owned(),
    })
}

#[cfg(test)]
mod tests;
