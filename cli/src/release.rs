//! `nsclass release`: the end of an installation (class.md C46), or of one instance (scope.md S35). It works with the controller up, down
//! or dead, and can be run again after anything.

mod leader;
mod objects;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args as ClapArgs;
use kube::Client;
use nsclass_shared::runtime::connect;

use crate::cluster::block_on;
use crate::output::{Output, Style};
use leader::Unmarked;
use objects::Bindings;

/// Who writes, in managedFields and in the API server's audit log.
const MANAGER: &str = "nsclass-release";

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
What it does, in this order:
  1. marks the instance as released, on its Lease in the operator's namespace. The controller sees that, stops
     writing, gives up its lease, says so, and does not lead again before the mark is gone;
  2. waits until nobody leads: the lease is given up, or its holder is dead;
  3. takes the finalizer nsclass.io/finalizer from namespaces and classes, so that they can be deleted;
  4. frees the bindings (spec.instance becomes empty), so that another instance may go on with them;
  5. deletes the webhook configuration that the controller keeps, which would refuse every class without it, and the
     certificates that it made, where asked to.
Every object that a class made stays. What belongs to another instance is left alone. The finalizers of classes that
another instance uses go with the last instance.

Examples:
  nsclass release --dry-run
  nsclass release && helm uninstall nsclass -n nsclass-system
  nsclass release --instance blue          # the controller of instance blue is dead and stays so
  nsclass release --undo                   # the controller of this version may lead again

Exit code 0: done; 2: it could not be done. Run it again then.")]
pub(crate) struct Release {
    /// The instance of the operator
    #[arg(long, env = "NSCLASS_INSTANCE", value_name = "NAME", default_value = "default")]
    instance: String,
    /// The operator's namespace
    #[arg(long, env = "NSCLASS_OPERATOR_NAMESPACE", value_name = "NAME", default_value = "nsclass-system")]
    operator_namespace: String,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Take the mark away, and nothing else
    #[arg(long)]
    undo: bool,
    /// Also delete the authority and the serving pair that the controller keeps for this Service of the webhook
    #[arg(long, value_name = "SERVICE", conflicts_with = "undo")]
    delete_certificates_of: Option<String>,
    /// How long to wait for the leader to stop, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
}

/// What every step needs.
struct Task<'a> {
    client: Client,
    command: &'a Release,
}

/// Releases the instance, or takes the mark away.
pub(crate) fn run(command: &Release, out: &mut Output) -> Result<ExitCode> {
    block_on(async {
        let task = Task { client: connect("nsclass").await?, command };
        if command.undo { task.undo(out).await } else { task.release(out).await }
    })?;
    Ok(ExitCode::SUCCESS)
}

impl Task<'_> {
    async fn undo(&self, out: &mut Output) -> Result<()> {
        let text = match (self.unmark().await?, self.command.dry_run) {
            (Unmarked::HadNone, _) => "it is not marked as released",
            (Unmarked::Done, false) => "no longer marked as released; its controller may lead",
            (Unmarked::Done, true) => "would no longer be marked as released",
            (Unmarked::MadeAnew, false) => {
                "its Lease was gone and is made anew without the mark; its controller may lead"
            }
            (Unmarked::MadeAnew, true) => "its Lease is gone and would be made anew without the mark",
        };
        self.say(out, text)
    }

    async fn release(&self, out: &mut Output) -> Result<()> {
        let word = self.done_word();
        self.mark().await?;
        self.say(out, &format!("{word} marked as released ({})", self.lease_title()))?;
        let timeout = Duration::from_secs(self.command.timeout);
        let free = if self.command.dry_run { self.holder().await? } else { self.until_free(timeout, out).await? };
        self.say(out, &free)?;
        let bindings = Bindings::read(&self.client, &self.command.instance).await.context("bindings")?;
        let namespaces = self.free_namespaces(&bindings).await.context("namespaces")?;
        self.say(out, &format!("{word} the finalizer off {}", count(namespaces, "namespace")))?;
        let classes = self.free_classes(&bindings).await.context("classes")?;
        self.say(out, &format!("{word} the finalizer off {}", count(classes, "class")))?;
        let freed = self.free_bindings(&bindings).await.context("bindings")?;
        self.say(out, &format!("{word} {} free for another instance", count(freed, "binding")))?;
        let hooks = self.delete_hooks().await.context("webhook configurations")?;
        self.say(out, &format!("{word} {} deleted", count(hooks, "webhook configuration")))?;
        if let Some(service) = &self.command.delete_certificates_of {
            let secrets = self.delete_certificates(service).await.context("certificates")?;
            self.say(out, &format!("{word} {} of certificates deleted", count(secrets, "Secret")))?;
        }
        if !bindings.others.is_empty() {
            let names: BTreeSet<&str> = bindings.others.values().map(|other| other.instance.as_str()).collect();
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            self.say(out, &format!("what instance {names} uses is left alone"))?;
        }
        let done = if self.command.dry_run { "nothing was changed" } else { "released; every object stays" };
        out.line(out.paint(Style::Good, done))
    }

    fn done_word(&self) -> &'static str {
        if self.command.dry_run { "would be:" } else { "done:" }
    }

    fn say(&self, out: &mut Output, text: &str) -> Result<()> {
        out.line(format!("instance {}: {text}", self.command.instance))?;
        // Waiting follows, and somebody watches.
        out.flush_now()
    }
}

fn count(number: usize, what: &str) -> String {
    let plural = if what.ends_with('s') { format!("{what}es") } else { format!("{what}s") };
    if number == 1 { format!("1 {what}") } else { format!("{number} {plural}") }
}
