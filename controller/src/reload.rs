//! Takes up a changed configuration file while running. Scope and policy change at once; a bad file changes nothing.

use std::{sync::Arc, time::Duration};

use kube::ResourceExt;
use nsclass_shared::config::Settings;
use tokio_util::sync::CancellationToken;

use crate::{args::Args, context::Context, feeds};

/// How often the file is read. Polling is the truth: a mounted config map swaps directories, which file watches miss.
const EVERY: Duration = Duration::from_secs(2);

/// Reads the file again and again until shutdown.
///
/// # Errors
/// None; the signature is that of a supervised task.
pub async fn follow(context: Arc<Context>, args: Args, shutdown: CancellationToken) -> anyhow::Result<()> {
    let mut refused = None;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(EVERY) => {}
        }
        let settings = args.load().and_then(|config| {
            let is_new = config != context.settings().config;
            is_new.then(|| args.check(config)).transpose()
        });
        match settings.map_err(|error| error.to_string()) {
            Ok(settings) => {
                refused = None;
                context.metrics.configuration_refused.set(0);
                if let Some(settings) = settings {
                    take(&context, settings);
                }
            }
            Err(why) => {
                context.metrics.configuration_refused.set(1);
                if refused.as_ref() != Some(&why) {
                    context.metrics.reloads.with_label_values(&["refused"]).inc();
                    tracing::error!(why, "the changed configuration is refused; the old one stays in force");
                    refused = Some(why);
                }
            }
        }
    }
}

fn take(context: &Context, settings: Settings) {
    let now = context.settings();
    let fixed = |s: &Settings| {
        let c = &s.config;
        (c.controller.clone(), c.leader_election.clone(), c.instance.clone(), c.operator_namespace.clone())
    };
    if fixed(&settings) != fixed(&now) {
        tracing::warn!(
            "instance, operatorNamespace and everything under controller and leaderElection change with a restart only"
        );
    }
    context.settings.store(Arc::new(settings));
    context.metrics.reloads.with_label_values(&["taken"]).inc();
    tracing::info!("the changed configuration is in force");
    // Policy and scope may decide differently now.
    feeds::tell_labelled(context);
    context.classes.watched().state().iter().for_each(|class| context.class_queue.add(&class.name_any()));
}
