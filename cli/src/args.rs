use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::licence::LicenceCommand;
use crate::rbac_check::RbacCheck;
use crate::release::Release;
use crate::render::Render;
use crate::smoke::Smoke;
use crate::usage::Usage;

/// Namespace Class from the command line
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to colour the output
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read, judge and edit a directory of manifests in place
    Folder {
        #[command(subcommand)]
        command: FolderCommand,
    },
    /// Show what a class gives for a namespace, without a cluster
    Render(Render),
    /// Say which rights the controller lacks for its classes, and print the role to add
    RbacCheck(RbacCheck),
    /// Let go of everything before the operator is removed: stop its controller, take finalizers off
    Release(Release),
    /// Try on a cluster what the operator promises, with a class and a namespace that go again
    Smoke(Smoke),
    /// Issue, verify and explain the licences that an operator with gate.mode Hybrid or Strict wants
    Licence {
        #[command(subcommand)]
        command: LicenceCommand,
    },
    /// Print what an operator manages, as it last reported: namespaces, classes, objects
    Usage(Usage),
    /// Print the completion script of a shell
    #[command(after_help = "Example:\n  nsclass completions bash > /etc/bash_completion.d/nsclass")]
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum FolderCommand {
    /// Say whether live objects can be written back here, and everything that stands in the way
    #[command(after_help = "\
Examples:
  nsclass folder check clusters/prod/team-a
  nsclass folder check . --api-resources <(kubectl api-resources)
  nsclass folder check . -o json | jq .findings

Exit code 0: valid; 1: not valid; 2: it could not be read.")]
    Check(Target),
    /// List every document with its identity, and who supplies its namespace
    #[command(after_help = "\
Examples:
  nsclass folder identify clusters/prod/team-a
  nsclass folder identify . -o json | jq '.[] | select(.source == \"None\")'")]
    Identify(Target),
    /// Print what kustomize makes of the folder, as JSON documents or one YAML stream
    #[command(after_help = "\
Examples:
  nsclass folder render clusters/prod/team-a | kubectl diff -f -
  nsclass folder render . -o json")]
    Render(Target),
    /// Write a live object into its document, where it stands
    #[command(after_help = "\
Examples:
  kubectl get deployment web -n team-a -o yaml | nsclass folder put . -f - --dry-run
  nsclass folder put clusters/prod/team-a -f web.yaml
  nsclass folder put . -f new.yaml --new-files contextual

Exit code 0: written, or nothing to write; 1: refused; 2: it could not be done.")]
    Put {
        #[command(flatten)]
        target: Target,
        /// The live object, a list of them, or several documents; - for standard input
        #[arg(short = 'f', long = "filename", value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        write: Write,
        /// How objects without a document are written
        #[arg(long, value_enum, default_value_t = NewFilesArg::Explicit)]
        new_files: NewFilesArg,
        /// What becomes of a namespace that the context supplies
        #[arg(long, value_enum, default_value_t = ExistingArg::Preserve)]
        existing: ExistingArg,
    },
    /// Remove the document of an object that is gone
    #[command(after_help = "\
Examples:
  nsclass folder delete . deployment/web -n team-a --dry-run
  nsclass folder delete . clusterroles.rbac.authorization.k8s.io/reader")]
    Delete {
        #[command(flatten)]
        target: Target,
        /// The object, as KIND/NAME, RESOURCE/NAME or RESOURCE.GROUP/NAME
        #[arg(value_name = "KIND/NAME")]
        object: String,
        /// Its namespace
        #[arg(short, long)]
        namespace: Option<String>,
        #[command(flatten)]
        write: Write,
    },
}

/// Which folder, and what is known beside it.
#[derive(Debug, ClapArgs)]
pub(crate) struct Target {
    /// The directory
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// A file with the output of `kubectl api-resources`: which kinds there are, and which are namespaced
    #[arg(long, value_name = "FILE", conflicts_with = "cluster")]
    pub(crate) api_resources: Option<PathBuf>,
    /// Ask the cluster of the current context which kinds there are (runs `kubectl api-resources`)
    #[arg(long)]
    pub(crate) cluster: bool,
    /// The namespace of documents that nothing else gives one (`namespaceContext: {type: Fixed}`)
    #[arg(long, value_name = "NAMESPACE")]
    pub(crate) namespace_context: Option<String>,
    /// Where the folder is in its repository, for the paths of Flux and Argo CD objects
    #[arg(long, value_name = "PATH")]
    pub(crate) repository_path: Option<String>,
    /// How to print
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    pub(crate) output: Format,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Write {
    /// Show the changes as a unified diff, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum NewFilesArg {
    /// With their namespace, in a file that needs no context
    Explicit,
    /// Without it, named in the one kustomization that assigns it
    Contextual,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ExistingArg {
    /// It stays where it is supplied
    Preserve,
    /// It is written down with the next update
    Explicit,
}
