use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args as ClapArgs, ValueEnum};
use jiff::Timestamp;
use nsclass_shared::licence::{Found, GateMode, explain};
use nsclass_shared::runtime::connect;

use super::{Keys, cluster, verify};
use crate::cluster::block_on;
use crate::output::{Output, Style};

/// Namespaces named; the others are counted.
const MOST_NAMED: usize = 10;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  nsclass licence show                     # the operator of the current context: what it does now, what would change, when
  nsclass licence show -f licence.txt --public-key \"$(cat issuer.pub)\"
  nsclass licence show -f licence.txt --public-key \"$(cat issuer.pub)\" --mode Strict

With a cluster it reads what the operator has written down, the Secrets with the label nsclass.io/licence in its namespace, and
the bindings that wait; it decides with the functions of the operator. It changes nothing.

Exit code 0: it is shown; 2: it could not be read.")]
pub(crate) struct Show {
    /// Files with one licence on each line, instead of a cluster; - for standard input
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    keys: Keys,
    /// What a missing licence stops; as the operator has it where there is a cluster, else Hybrid
    #[arg(long, value_enum)]
    mode: Option<Mode>,
    /// The instance of the operator
    #[arg(long, env = "NSCLASS_INSTANCE", value_name = "NAME", default_value = "default")]
    instance: String,
    /// The operator's namespace
    #[arg(long, env = "NSCLASS_OPERATOR_NAMESPACE", value_name = "NAME", default_value = "nsclass-system")]
    operator_namespace: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "PascalCase")]
enum Mode {
    None,
    Hybrid,
    Strict,
}

impl From<Mode> for GateMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::None => Self::None,
            Mode::Hybrid => Self::Hybrid,
            Mode::Strict => Self::Strict,
        }
    }
}

pub(super) fn run(command: &Show, out: &mut Output) -> Result<ExitCode> {
    if !command.files.is_empty() {
        let found = verify::read(&command.files, &command.keys.some()?)?;
        let mode = command.mode.map_or(GateMode::Hybrid, GateMode::from);
        tell(out, mode, &found, None)?;
        return Ok(ExitCode::SUCCESS);
    }
    block_on(live(command, out))?;
    Ok(ExitCode::SUCCESS)
}

async fn live(command: &Show, out: &mut Output) -> Result<()> {
    let client = connect("nsclass").await?;
    let Show { instance, operator_namespace, .. } = command;
    let recorded = cluster::recorded(&client, operator_namespace, instance).await?;
    let Some(recorded) = recorded else {
        return out.line(format!(
            "instance {instance} has never wanted a licence in namespace {operator_namespace}: gate.mode is None, or its controller \
             has not led yet"
        ));
    };
    let mut keys = command.keys.all()?;
    if keys.is_empty() {
        let named = recorded.shown.public_keys.iter().map(|key| key.parse());
        keys = named.collect::<Result<_, _>>().context("public keys of the operator")?;
    }
    let mode = command.mode.map_or(recorded.shown.mode, GateMode::from);
    out.line(format!("instance {instance}, gate.mode {mode:?}"))?;
    let found = cluster::licences(&client, operator_namespace, &keys).await?;
    tell(out, mode, &found, recorded.record.first_start)?;
    let waiting = cluster::waiting(&client, instance).await?;
    if !waiting.is_empty() {
        let unnamed = waiting.len().saturating_sub(MOST_NAMED);
        let unnamed = if unnamed > 0 { format!(" and {unnamed} more") } else { String::new() };
        let named = waiting.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
        out.line(out.paint(Style::Warning, &format!("waiting:  {named}{unnamed}")))?;
    }
    Ok(())
}

fn tell(out: &mut Output, mode: GateMode, found: &Found, first_start: Option<Timestamp>) -> Result<()> {
    for (place, licence) in &found.licences {
        let terms = &licence.terms;
        let limit = terms.limit().unwrap_or("any number of namespaces".to_owned());
        out.line(format!(
            "licence:  {place}: {}, {} to {}, {limit}, key {}",
            terms.holder, terms.not_before, terms.expiry, licence.key
        ))?;
    }
    for refused in &found.refused {
        let text = format!("refused:  {}: {}", refused.place, refused.why);
        out.line(out.paint(Style::Bad, &text))?;
    }
    let explained = explain(mode, found, first_start, Timestamp::now());
    let style = if explained.state.is_valid() || mode == GateMode::None { Style::Good } else { Style::Bad };
    out.line(format!("state:    {}", out.paint(style, explained.state.word())))?;
    for (index, line) in explained.now.iter().enumerate() {
        let head = if index == 0 { "now:      " } else { "          " };
        out.line(format!("{head}{line}"))?;
    }
    for (time, change) in &explained.changes {
        out.line(format!("then:     {time}: {change}"))?;
    }
    if explained.changes.is_empty() {
        out.line("then:     nothing changes by itself")?;
    }
    if let Some(remedy) = &explained.remedy {
        out.line(format!("remedy:   {remedy}"))?;
    }
    Ok(())
}
