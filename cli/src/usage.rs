//! `nsclass usage`: the last usage report (scope.md S70), as the operator's leader wrote it.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args as ClapArgs;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use nsclass_shared::names::usage_report;
use nsclass_shared::runtime::connect;
use nsclass_shared::usage::{REPORT_KEY, UsageReport};

use crate::args::Format;
use crate::cluster::block_on;
use crate::output::{Output, Style};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  nsclass usage
  nsclass usage -o json | jq .namespaces

The report is a ConfigMap in the operator's namespace, written every ten minutes by the leader (usage.intervalSeconds), unless
usage.enabled is false. It never leaves the cluster.

Exit code 0: printed; 1: there is no report; 2: it could not be read.")]
pub(crate) struct Usage {
    /// The instance of the operator
    #[arg(long, env = "NSCLASS_INSTANCE", value_name = "NAME", default_value = "default")]
    instance: String,
    /// The operator's namespace
    #[arg(long, env = "NSCLASS_OPERATOR_NAMESPACE", value_name = "NAME", default_value = "nsclass-system")]
    operator_namespace: String,
    /// How to print
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    output: Format,
}

pub(crate) fn run(command: &Usage, out: &mut Output) -> Result<ExitCode> {
    let text = block_on(read(command))?;
    let name = format!("ConfigMap {}/{}", command.operator_namespace, usage_report(&command.instance));
    let Some(text) = text else {
        out.line(format!(
            "{name} is not there: usage.enabled is false, or the controller of instance {} has not led for a minute yet",
            command.instance
        ))?;
        return Ok(ExitCode::from(1));
    };
    let report: UsageReport = serde_json::from_str(&text).context(name)?;
    match command.output {
        // As it is stored: with what a later version may have added.
        Format::Json => out.line(text)?,
        Format::Text => table(&report, out)?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn read(command: &Usage) -> Result<Option<String>> {
    let client = connect("nsclass").await?;
    let maps: Api<ConfigMap> = Api::namespaced(client, &command.operator_namespace);
    let name = usage_report(&command.instance);
    let map = maps.get_opt(&name).await.with_context(|| format!("ConfigMap {name}"))?;
    Ok(map.and_then(|map| map.data?.remove(REPORT_KEY)))
}

fn table(report: &UsageReport, out: &mut Output) -> Result<()> {
    out.line(format!("instance {}, at {}, digest {}", report.instance, report.time, report.digest))?;
    let heading = |out: &mut Output, text: &str| {
        out.line("")?;
        let text = out.paint(Style::Strong, text);
        out.line(text)
    };
    heading(out, &format!("{:<40} {:>7}", "NAMESPACES", "COUNT"))?;
    for (verdict, count) in &report.namespaces {
        out.line(format!("{verdict:<40} {count:>7}"))?;
    }
    if report.unlicensed > 0 {
        out.line(format!("{:<40} {:>7}", "waiting for a licence", report.unlicensed))?;
    }
    heading(out, &format!("{:<40} {:>7} {:>7} {:>7}", "CLASS", "READY", "FAILING", "UNKNOWN"))?;
    for (class, count) in &report.classes {
        let class = if class.is_empty() { "(none yet)" } else { class };
        out.line(format!("{class:<40} {:>7} {:>7} {:>7}", count.ready, count.failing, count.unknown))?;
    }
    heading(out, &format!("{:<40} {:>7}", "OBJECTS", "COUNT"))?;
    for (kind, count) in &report.objects {
        out.line(format!("{kind:<40} {count:>7}"))?;
    }
    Ok(())
}
