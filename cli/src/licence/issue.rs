use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args as ClapArgs, ValueEnum};
use jiff::{SignedDuration, Timestamp};
use nsclass_shared::licence::{SigningKey, Terms, sign};
use nsclass_shared::names::LICENCE_LABEL;
use serde_json::json;

use crate::input::text;
use crate::output::Output;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  nsclass licence issue --key issuer.pem --holder 'Team Blue' --days 365
  nsclass licence issue --key issuer.pem --holder 'Team Blue' --expiry 2027-06-30T00:00:00Z --namespaces 50
  nsclass licence issue --key issuer.pem --holder 'Team Blue' --days 365 -o secret | kubectl apply -f -

The licence is one line. It goes under any key into a Secret with the label nsclass.io/licence in the operator's namespace;
-o secret prints that Secret. Several licences may be there at once: the best valid one counts.")]
pub(crate) struct Issue {
    /// The private key, as `nsclass licence keygen` writes it; - for standard input
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Who has the licence
    #[arg(long, value_name = "NAME")]
    holder: String,
    /// From when on it is valid; from now on where not given
    #[arg(long, value_name = "TIME")]
    not_before: Option<Timestamp>,
    /// When it ends
    #[arg(long, value_name = "TIME", required_unless_present_any = ["days", "seconds"], conflicts_with_all = ["days", "seconds"])]
    expiry: Option<Timestamp>,
    /// When it ends, in days from its beginning
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    days: Option<u32>,
    /// When it ends, in seconds from its beginning, to try out what happens then
    #[arg(long, value_name = "N")]
    seconds: Option<u32>,
    /// For how many namespaces it is; any number where not given
    #[arg(long, value_name = "N")]
    namespaces: Option<u32>,
    /// What to print
    #[arg(short, long, value_enum, default_value_t = Form::Line)]
    output: Form,
    /// Name of the Secret
    #[arg(long, value_name = "NAME", default_value = "nsclass-licence")]
    name: String,
    /// The operator's namespace
    #[arg(long, env = "NSCLASS_OPERATOR_NAMESPACE", value_name = "NAME", default_value = "nsclass-system")]
    operator_namespace: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// The licence
    Line,
    /// A Secret with it
    Secret,
}

pub(super) fn run(command: &Issue, out: &mut Output) -> Result<ExitCode> {
    let place = || command.key.display().to_string();
    let key = SigningKey::from_pem(&text(&command.key)?).with_context(place)?;
    let not_before = command.not_before.unwrap_or_else(now);
    let seconds = command.days.map(|days| i64::from(days) * 86_400).or(command.seconds.map(i64::from));
    let lasts = seconds.map(|seconds| not_before.checked_add(SignedDuration::from_secs(seconds)));
    let Some(expiry) = command.expiry.or(lasts.transpose().context("--days")?) else {
        bail!("pass --expiry or --days");
    };
    let terms = Terms { holder: command.holder.clone(), not_before, expiry, namespaces: command.namespaces };
    let licence = sign(&terms, &key)?;
    match command.output {
        Form::Line => out.line(licence)?,
        Form::Secret => {
            let secret = json!({
                "apiVersion": "v1", "kind": "Secret",
                "metadata": {
                    "name": command.name, "namespace": command.operator_namespace, "labels": { LICENCE_LABEL: "true" },
                },
                "stringData": { "licence": licence },
            });
            out.line("---")?;
            out.line(nsclass_manifests::edit::new_file(&secret).trim_end())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// In whole seconds, as people read it.
fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}
