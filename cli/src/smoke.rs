//! `nsclass smoke`: what an installation promises, tried on a person's own cluster. It makes one class and one namespace, both of a name that
//! nobody else has, and takes them away again, however it ends.

mod admission;
mod cleanup;
mod interrupts;
mod life;
mod operator;
mod policies;
mod trial;
mod wait;
mod wrong;

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args as ClapArgs;

use crate::cluster::block_on;
use crate::output::{Output, Style};
use interrupts::Interrupts;
use trial::Trial;
use wrong::{remedy_of, told};

/// Exit code of what somebody stopped, as shells have it.
const INTERRUPTED: u8 = 130;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
What it tries, in this order; it stops at the first that fails:
  1. the definitions are served, and a controller leads the instance and renews its lease;
  2. the webhook refuses a bad class (a dry run), if the instance has a webhook configuration;
  3. a class of one ConfigMap is taken, and a namespace with it becomes ready;
  4. a tenant cannot forge the marks of a managed object (a dry run), if the policies are there;
  5. the ConfigMap is set back when it is changed, and made again when it is deleted;
  6. it goes when the namespace leaves its class.

What it makes: a NamespaceClass and a Namespace called nsclass-smoke-XXXXX, in the namespace
a Role with its binding for the user nsclass-smoke-tenant, who is impersonated, and with --grant
a ClusterRole of the same name. All of it is deleted at the end, also after a failure, Ctrl-C or
SIGTERM. What could not be deleted is named, with the commands that do it. Nothing else is written.

It takes the rights of a cluster admin. The controller needs the right to ConfigMaps, which the
value rbac.kinds of the chart gives, or --grant for as long as this runs.

Examples:
  nsclass smoke
  nsclass smoke --grant              # a fresh installation, whose controller may make nothing yet
  nsclass smoke --label team=blue    # the scope is a selector, which picks namespaces with this
  nsclass smoke --name sandbox-1     # the scope is a list of names

Exit code 0: everything is as it should be; 1: something is not, or something is left behind;
2: it could not be tried, because no cluster answers; 130: it was interrupted.")]
pub(crate) struct Smoke {
    /// The instance of the operator
    #[arg(long, env = "NSCLASS_INSTANCE", value_name = "NAME", default_value = "default")]
    instance: String,
    /// The operator's namespace
    #[arg(long, env = "NSCLASS_OPERATOR_NAMESPACE", value_name = "NAME", default_value = "nsclass-system")]
    operator_namespace: String,
    /// A label for the namespace, so that the scope of the instance picks it; may be given several times
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
    /// What the namespace and the class are called; neither may be there
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Give the controller the right to config maps while this runs
    #[arg(long)]
    grant: bool,
    /// How long to wait for each thing to come true, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
}

fn label(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or_else(|| "write KEY=VALUE".to_owned())?;
    Ok((key.to_owned(), value.to_owned()))
}

/// What became of one thing that was tried.
enum Outcome {
    /// It is so.
    Fine(String),
    /// It could not be tried, for a reason that is no fault.
    Skipped(String),
}

/// Tries everything, cleans up, and says how it went.
pub(crate) fn run(command: &Smoke, out: &mut Output) -> Result<ExitCode> {
    block_on(async {
        let mut interrupts = Interrupts::new()?;
        let trial = Trial::new(command).await?;
        let played = tokio::select! {
            played = play(&trial, out) => Some(played),
            () = interrupts.next() => None,
        };
        match &played {
            Some(Ok(_)) => {}
            Some(Err(error)) => failed(out, &told(error), &remedy_of(error))?,
            None => out.line("interrupted; what was made is deleted (once more, and it stays)")?,
        }
        out.flush_now()?;
        let left = tokio::select! {
            left = trial.clean_up() => left,
            () = interrupts.next() => bail!("interrupted again; {}", trial.by_hand()),
        };
        for (what, remedy) in &left {
            failed(out, what, remedy)?;
        }
        if left.is_empty() && trial.has_made_something() {
            say(out, &Outcome::Fine("everything that this made is gone".to_owned()))?;
        }
        let (code, verdict) = match played {
            None => (ExitCode::from(INTERRUPTED), None),
            Some(Ok(0)) if left.is_empty() => (ExitCode::SUCCESS, Some("everything is as it should be")),
            Some(Ok(_)) if left.is_empty() => (ExitCode::SUCCESS, Some("what could be tried is as it should be")),
            Some(_) => (ExitCode::from(1), None),
        };
        if let Some(verdict) = verdict {
            out.line(out.paint(Style::Good, verdict))?;
        }
        Ok(code)
    })
}

/// Tries everything; returns how many things could not be tried.
async fn play(trial: &Trial<'_>, out: &mut Output) -> Result<usize> {
    let mut skipped = 0;
    skipped += say(out, &trial.definitions_are_served().await?)?;
    skipped += say(out, &trial.somebody_leads().await?)?;
    skipped += say(out, &trial.bad_class_is_refused().await?)?;
    skipped += say(out, &trial.class_is_taken().await?)?;
    if trial.command.grant {
        skipped += say(out, &trial.controller_is_given_the_right().await?)?;
    }
    skipped += say(out, &trial.namespace_becomes_ready().await?)?;
    skipped += say(out, &trial.marks_cannot_be_forged().await?)?;
    skipped += say(out, &trial.change_is_set_back().await?)?;
    skipped += say(out, &trial.deleted_object_is_made_again().await?)?;
    skipped += say(out, &trial.leaving_takes_the_object_away().await?)?;
    Ok(skipped)
}

/// Returns how many things could not be tried: one or none.
fn say(out: &mut Output, outcome: &Outcome) -> Result<usize> {
    let (style, word, text, skipped) = match outcome {
        Outcome::Fine(text) => (Style::Good, "ok", text, 0),
        Outcome::Skipped(text) => (Style::Warning, "skipped", text, 1),
    };
    let word = out.paint(style, &format!("{word:<8}"));
    out.line(format!("{word} {text}"))?;
    // Waiting follows, and somebody watches.
    out.flush_now()?;
    Ok(skipped)
}

fn failed(out: &mut Output, what: &str, remedy: &str) -> Result<()> {
    let word = out.paint(Style::Bad, "FAILED  ");
    out.line(format!("{word} {what}"))?;
    out.line(format!("         Remedy: {remedy}."))?;
    out.flush_now()
}
