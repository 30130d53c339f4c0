//! `nsclass render`: what a class gives for a namespace, without a cluster. The same functions decide as in the operator.

mod input;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args as ClapArgs;
use nsclass_manifests::kinds::{KindTable, Kinds, Scope as Place};
use nsclass_shared::class::ReadClass;
use nsclass_shared::config::{Config, Settings};
use nsclass_shared::finding::{Finding, Reason};
use nsclass_shared::identity::Gvk;
use nsclass_shared::kinds::Scope;
use nsclass_shared::render::{RenderError, Rendered};
use nsclass_shared::variables::Variables;

use crate::input::text;
use crate::output::{Output, Style};
use input::Input;

/// Stands for the UID of a namespace whose file has none.
const NO_UID: &str = "00000000-0000-0000-0000-000000000000";

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  nsclass render -f class.yaml -n namespace.yaml
  nsclass render -f class.yaml -n namespace.yaml --config nsclass.yaml | kubectl diff -f -
  kubectl get namespace payments -o yaml | nsclass render -f class.yaml -n -
  cat class.yaml namespace.yaml | nsclass render -f -

The objects go to standard output, without the labels and annotations that the operator marks its own with. What is
wrong with the class, or worth a look, goes to standard error, all of it at once.

Exit code 0: rendered; 1: the class is refused, or gives nothing for this namespace; 2: it could not be read.")]
pub(crate) struct Render {
    /// The class, in a file of its own or among others; - for standard input
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    class: PathBuf,
    /// The namespace, with its labels and annotations; - for standard input. Without this it is in the class's file
    #[arg(short, long, value_name = "FILE")]
    namespace: Option<PathBuf>,
    /// The operator's configuration: policy and guarded keys; without one, everything has its default
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A file with the output of `kubectl api-resources`: which kinds there are besides Kubernetes' own
    #[arg(long, value_name = "FILE")]
    api_resources: Option<PathBuf>,
}

/// Renders, or says why not.
pub(crate) fn run(command: &Render, out: &mut Output) -> Result<ExitCode> {
    let settings = settings(command)?;
    let kinds = kinds(command)?;
    let Input { class_name, spec, namespace } = input::read(&command.class, command.namespace.as_deref())?;
    if settings.is_reserved(&namespace.name) {
        let text = format!(
            "namespace {} is reserved: the operator binds it only if scope.allowReserved names it",
            namespace.name
        );
        complain(out, Style::Warning, "warning", &text);
    }
    let class = match ReadClass::of_value(&class_name, spec) {
        Ok(class) => class.compiled,
        Err(error) => {
            complain(out, Style::Bad, "error", &error.to_string());
            return Ok(ExitCode::from(1));
        }
    };
    let scope = |gvk: &Gvk| scope(&kinds, gvk);
    let mut findings = class.validate(&settings.policy, &scope, &settings.guarded);
    let uid = namespace.uid.as_deref().unwrap_or(NO_UID);
    let variables = Variables::live(&namespace.name, uid, &namespace.labels, &namespace.annotations, &class_name);
    let rendered = class.render(&variables, &scope, &settings.guarded);
    add_missing(&mut findings, &rendered, &settings);
    for finding in &findings {
        say(out, finding, kinds.is_ready());
    }
    match rendered {
        Ok(rendered) if !findings.iter().any(Finding::is_error) => {
            for object in &rendered.objects {
                out.line("---")?;
                out.line(format!("# {}", object.item.label))?;
                out.line(nsclass_manifests::edit::new_file(&object.manifest).trim_end())?;
            }
            Ok(ExitCode::SUCCESS)
        }
        _ => Ok(ExitCode::from(1)),
    }
}

/// What only the values of this namespace make wrong. What the class alone has wrong is found twice.
fn add_missing(findings: &mut Vec<Finding>, rendered: &Result<Rendered, RenderError>, settings: &Settings) {
    let more = match rendered {
        Ok(rendered) => rendered.denials(&settings.policy),
        Err(error) => error.findings.clone(),
    };
    for finding in more {
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
}

fn say(out: &Output, finding: &Finding, knows_all: bool) {
    let (style, word) = if finding.is_error() { (Style::Bad, "error") } else { (Style::Warning, "warning") };
    let text = if finding.reason == Reason::KindNotFound && !knows_all {
        format!(
            "{} ({}): no kind of Kubernetes itself, so nobody can tell here whether it is namespaced; pass --api-resources",
            finding.path,
            finding.item.as_ref().map_or("", |item| &item.label)
        )
    } else {
        finding.to_string()
    };
    complain(out, style, word, &format!("{text} ({})", finding.reason));
}

fn complain(out: &Output, style: Style, word: &str, text: &str) {
    // Nothing is left to be done where even standard error is gone.
    let _ = writeln!(io::stderr(), "{}: {text}", out.paint_error(style, word));
}

fn settings(command: &Render) -> Result<Settings> {
    let (text, name) = match &command.config {
        None => (String::new(), String::new()),
        Some(path) => (text(path)?, path.display().to_string()),
    };
    Config::parse(&text).and_then(Config::settings).with_context(|| name)
}

fn kinds(command: &Render) -> Result<KindTable> {
    let mut kinds = KindTable::builtin();
    if let Some(path) = &command.api_resources {
        kinds.add_api_resources(&text(path)?).with_context(|| path.display().to_string())?;
    }
    Ok(kinds)
}

fn scope(kinds: &KindTable, gvk: &Gvk) -> Scope {
    match kinds.find(&gvk.group, &gvk.kind).map(|kind| kind.scope) {
        Some(Place::Namespaced) => Scope::Namespaced,
        Some(Place::Cluster) => Scope::ClusterScoped,
        None => Scope::Unknown,
    }
}

/// A namespace as far as a class can see it.
#[derive(Debug)]
struct Namespace {
    name: String,
    uid: Option<String>,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
}
