//! Takes up a changed configuration file while running. A bad file changes nothing.

use std::time::Duration;

use prometheus::{IntCounterVec, IntGauge, Opts, Registry};
use tokio_util::sync::CancellationToken;

use super::ConfigSource;
use crate::config::{Config, Settings};

/// How often the file is read. Polling is the truth: a mounted config map swaps directories, which file watches miss.
const EVERY: Duration = Duration::from_secs(2);

/// What is counted of reloads.
#[derive(Clone, Debug)]
pub struct ReloadMetrics {
    reloads: IntCounterVec,
    refused: IntGauge,
}

impl ReloadMetrics {
    /// Registered.
    ///
    /// # Errors
    /// The registry has them already.
    pub fn new(registry: &Registry) -> prometheus::Result<Self> {
        let reloads = IntCounterVec::new(
            Opts::new("nsclass_configuration_reloads_total", "Changed configuration files, by result."),
            &["result"],
        )?;
        let refused = IntGauge::new(
            "nsclass_configuration_refused",
            "1 while the configuration file is not in force because it was refused.",
        )?;
        registry.register(Box::new(reloads.clone()))?;
        registry.register(Box::new(refused.clone()))?;
        Ok(Self { reloads, refused })
    }

    /// What `/readyz?verbose` says of a refused file.
    pub fn notes(&self) -> Vec<String> {
        let refused = self.refused.get() != 0;
        refused
            .then(|| "the configuration file was changed and is refused; see the log".to_owned())
            .into_iter()
            .collect()
    }
}

/// Reads the file again and again until shutdown, and hands over what is new and sound.
///
/// # Errors
/// None; the signature is that of a supervised task.
pub async fn follow_config(
    source: impl ConfigSource,
    mut in_force: Config,
    metrics: ReloadMetrics,
    take: impl Fn(Settings) + Send,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let mut refused = None;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(EVERY) => {}
        }
        let settings = source.load().and_then(|config| {
            let is_new = config != in_force;
            is_new.then(|| source.check(config)).transpose()
        });
        match settings.map_err(|error| error.to_string()) {
            Ok(settings) => {
                refused = None;
                metrics.refused.set(0);
                if let Some(settings) = settings {
                    in_force = settings.config.clone();
                    take(settings);
                    metrics.reloads.with_label_values(&["taken"]).inc();
                    tracing::info!("the changed configuration is in force");
                }
            }
            Err(why) => {
                metrics.refused.set(1);
                if refused.as_ref() != Some(&why) {
                    metrics.reloads.with_label_values(&["refused"]).inc();
                    tracing::error!(why, "the changed configuration is refused; the old one stays in force");
                    refused = Some(why);
                }
            }
        }
    }
}
