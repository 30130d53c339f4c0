use std::process::ExitCode;

use anyhow::Result;
use nsclass_manifests::folder::Placed;
use nsclass_manifests::identity::{Identity, NamespaceSource};
use serde_json::{Value, json};

use super::{exit, load};
use crate::args::{Format, Target};
use crate::output::{Output, Style};

/// Every document with its raw and effective identity.
pub(super) fn run(target: &Target, out: &mut Output) -> Result<ExitCode> {
    let folder = load::load(target)?.folder;
    if target.output == Format::Json {
        let all: Vec<Value> = folder.documents().iter().map(as_json).collect();
        out.line(serde_json::to_string_pretty(&all)?)?;
    } else {
        let rows: Vec<[String; 3]> = folder.documents().iter().map(row).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
        let (first, second) = (width(0), width(1));
        for [document, identity, source] in &rows {
            let source = out.paint(if source.starts_with("None") { Style::Bad } else { Style::Quiet }, source);
            out.line(format!("{document:first$}  {identity:second$}  {source}"))?;
        }
    }
    Ok(exit(true))
}

fn row(document: &Placed) -> [String; 3] {
    let identity = document.effective().or_else(|| document.raw());
    let identity = identity.map_or_else(|| format!("{} without a name", document.record().kind), |id| id.to_string());
    let source = match &document.source {
        NamespaceSource::Kustomize(path) => format!("Kustomize {path}"),
        source => source.as_str().to_owned(),
    };
    let diagnostic = document.diagnostic.map(|diagnostic| format!(" ({})", diagnostic.as_str())).unwrap_or_default();
    [document.title(), identity, source + &diagnostic]
}

fn as_json(document: &Placed) -> Value {
    let identity = |identity: Option<Identity>| {
        identity.map(|id| {
            json!({
                "apiVersion": &*id.api_version, "kind": &*id.kind,
                "namespace": id.namespace.as_deref(), "name": &*id.name,
            })
        })
    };
    let from = if let NamespaceSource::Kustomize(path) = &document.source { Some(path.as_str()) } else { None };
    json!({
        "path": document.file.path.as_str(),
        "document": document.record().number,
        "raw": identity(document.raw()),
        "effective": identity(document.effective()),
        "source": document.source.as_str(),
        "from": from,
        "diagnostic": document.diagnostic.map(nsclass_manifests::identity::Diagnostic::as_str),
        "localConfig": document.record().is_local,
    })
}
