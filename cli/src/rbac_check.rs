//! `nsclass rbac-check`: which rights the controller lacks for the classes that there are, or will be (class.md C49).

mod classes;
mod holder;
mod kinds;
mod role;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args as ClapArgs;
use kube::Client;
use nsclass_shared::rights::grant::Spelled;
use nsclass_shared::rights::{Needed, Object, Verb, needed_by_controller};
use nsclass_shared::runtime::connect;

use crate::cluster::block_on;
use crate::output::Output;
use classes::Class;
use holder::Holder;
use kinds::Resources;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  nsclass rbac-check                                           # every class of the cluster
  nsclass rbac-check -f class.yaml                             # a class that is not written yet
  nsclass rbac-check -f class.yaml | kubectl apply -f -        # and grant what it takes
  nsclass rbac-check -f class.yaml --roles roles.yaml          # without a cluster

What is printed is YAML: what is missing as comments, and for each class that lacks something one ClusterRole with all
that it takes, labelled so that the controller of the instance gets it. Without --roles the API server is asked what
the controller's ServiceAccount may do, which takes the right to create SubjectAccessReviews.

Classes with roles and role bindings take escalate and bind, unless the controller holds all that they grant. With
these, whoever may write classes can become cluster admin.

Exit code 0: nothing is missing; 1: something is; 2: it could not be told.")]
pub(crate) struct RbacCheck {
    /// Files with classes, among other objects; - for standard input. Without this, the classes of the cluster
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Files with the cluster roles that the controller has, instead of asking a cluster
    #[arg(long, value_name = "FILE", requires = "files")]
    roles: Vec<PathBuf>,
    /// With --roles: a file with the output of `kubectl api-resources`, for kinds that are not Kubernetes' own
    #[arg(long, value_name = "FILE", requires = "roles")]
    api_resources: Option<PathBuf>,
    /// The instance of the operator
    #[arg(long, env = "NSCLASS_INSTANCE", value_name = "NAME", default_value = "default")]
    instance: String,
    /// The controller's service account
    #[arg(long, value_name = "NAMESPACE/NAME", default_value = "nsclass-system/nsclass-controller", value_parser = account)]
    service_account: [String; 2],
}

fn account(text: &str) -> Result<[String; 2], String> {
    let (namespace, name) = text.split_once('/').unwrap_or_default();
    let is_whole = !namespace.is_empty() && !name.is_empty() && !name.contains('/');
    is_whole.then(|| [namespace.to_owned(), name.to_owned()]).ok_or_else(|| "write NAMESPACE/NAME".to_owned())
}

/// A right that a class takes, for which items, and whether the controller has it.
struct Taken {
    right: Spelled,
    needed: Needed,
    is_held: bool,
}

/// What one class takes.
struct Verdict {
    class: String,
    taken: Vec<Taken>,
    /// Kinds whose resource nobody knows.
    unknown: Vec<String>,
}

impl Verdict {
    fn is_fine(&self) -> bool {
        self.unknown.is_empty() && self.taken.iter().all(|taken| taken.is_held)
    }
}

/// Checks every class, and prints the roles.
pub(crate) fn run(command: &RbacCheck, out: &mut Output) -> Result<ExitCode> {
    let verdicts = block_on(check(command))?;
    role::print(command, &verdicts, out)?;
    Ok(if verdicts.iter().all(Verdict::is_fine) { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

async fn check(command: &RbacCheck) -> Result<Vec<Verdict>> {
    let client: Option<Client> = if command.roles.is_empty() { Some(connect("nsclass").await?) } else { None };
    let classes = match &client {
        Some(client) if command.files.is_empty() => classes::of_cluster(client).await.context("NamespaceClasses")?,
        _ => classes::of_files(&command.files)?,
    };
    let resources = match &client {
        Some(client) => Resources::of_cluster(client).await.context("what the API server serves")?,
        None => Resources::of_file(command.api_resources.as_deref())?,
    };
    let holder = match client {
        Some(client) => Holder::account(client, &command.service_account),
        None => Holder::of_files(&command.roles)?,
    };
    let mut verdicts = Vec::new();
    for class in &classes {
        verdicts.push(judge(class, &resources, &holder).await.with_context(|| format!("class {}", class.name))?);
    }
    Ok(verdicts)
}

async fn judge(class: &Class, resources: &Resources, holder: &Holder) -> Result<Verdict> {
    let mut verdict = Verdict { class: class.name.clone(), taken: Vec::new(), unknown: Vec::new() };
    for needed in needed_by_controller(&class.compiled) {
        // Only a class that is judged as a whole needs everything.
        let Object::Kind { gvk, name } = &needed.right.object else { continue };
        let Some(resource) = resources.find(gvk) else {
            let kind = gvk.group_kind().to_string();
            if !verdict.unknown.contains(&kind) {
                verdict.unknown.push(kind);
            }
            continue;
        };
        let right = Spelled { group: gvk.group.clone(), resource, name: name.clone(), verb: needed.right.verb };
        // The right to everything that a role grants would do as well, but changes with the class.
        let is_held = holder.has(&right).await?;
        verdict.taken.push(Taken { right, needed, is_held });
    }
    Ok(verdict)
}

/// Whether a right lets its holder grant what it does not hold.
fn is_grant(right: &Spelled) -> bool {
    matches!(right.verb, Verb::Escalate | Verb::Bind)
}
