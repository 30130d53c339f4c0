//! Writes the usage report (scope.md S70), as the leader. What it counts is in memory; it is a read of the old report, or a snapshot that
//! nobody keeps up, that has a report skipped. The last one stays then.

use std::{sync::Arc, time::Duration};

use nsclass_shared::{
    names,
    usage::{REPORT_KEY, UsageReport},
};
use thiserror::Error;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{context::Context, own_map::OwnMap};

/// The first report comes this long after the election, or after one interval where that is shorter: what was queued is done first.
const FIRST: Duration = Duration::from_secs(60);
/// How often it is looked whether a report is wanted, where it is off.
const OFF: Duration = Duration::from_secs(5);
/// A snapshot whose watch has not heard of the API server for longer is not counted: it may have gone old.
const OLDEST: Duration = Duration::from_secs(120);

/// Why there is no report this time.
#[derive(Error, Debug)]
enum Skipped {
    #[error("the namespaces are not all known yet")]
    NotSeeded,
    #[error("the API server was last heard of {} s ago", .0.as_secs())]
    Old(Duration),
    #[error("the report could not be read: {0}")]
    Read(kube::Error),
    #[error("the report could not be written: {0}")]
    Write(kube::Error),
}

/// Writes reports until shutdown, from the election on.
///
/// # Errors
/// None; the signature is that of a supervised task.
pub async fn report(context: Arc<Context>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let office = async {
        context.guard.elected().await;
        context.listed.bindings.wait().await;
    };
    tokio::select! {
        () = shutdown.cancelled() => return Ok(()),
        () = office => {}
    }
    let mut is_first = true;
    loop {
        let config = context.settings().config.usage.clone();
        let pause = match (config.enabled, is_first) {
            (false, _) => OFF,
            (true, true) => config.interval().min(FIRST),
            (true, false) => config.interval(),
        };
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = sleep(pause) => {}
        }
        if !config.enabled || !context.settings().config.usage.enabled {
            continue;
        }
        is_first = false;
        let result = match write(&context).await {
            Ok(()) => "written",
            Err(why) => {
                tracing::warn!(%why, "this usage report is skipped; the last one stays");
                if matches!(why, Skipped::Write(_)) { "failed" } else { "skipped" }
            }
        };
        context.metrics.usage_reports.with_label_values(&[result]).inc();
    }
}

/// One report, all of it from one snapshot.
async fn write(context: &Context) -> Result<(), Skipped> {
    let config = &context.settings().config;
    let (client, name) = (context.client.clone(), names::usage_report(&config.instance));
    let map = OwnMap::read(client, &config.operator_namespace, name).await.map_err(Skipped::Read)?;
    let age = context.scope.age();
    if age > OLDEST {
        return Err(Skipped::Old(age));
    }
    let snapshot = context.scope.handle().load_full();
    let report = UsageReport::begin(&snapshot, &config.instance, crate::observe::now());
    let mut report = report.ok_or(Skipped::NotSeeded)?;
    context.bindings.visit(|binding| report.count(&snapshot, binding));
    // invariant: a plain struct with names for keys always becomes JSON.
    let text = serde_json::to_string_pretty(&report).unwrap_or_default();
    map.write([(REPORT_KEY, text)]).await.map_err(Skipped::Write)
}
