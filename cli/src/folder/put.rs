use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use nsclass_manifests::plan::{Change, Existing, NewFiles, Policy};
use nsclass_manifests::yaml::{self, Reader};
use serde_json::Value;

use super::{load, write};
use crate::args::{ExistingArg, NewFilesArg, Target, Write};
use crate::output::Output;

/// Most bytes of live objects that are read.
const MAX_INPUT: u64 = 16 << 20;

/// Writes live objects into their documents.
pub(super) fn run(
    target: &Target,
    file: &Path,
    write: &Write,
    new_files: NewFilesArg,
    existing: ExistingArg,
    out: &mut Output,
) -> Result<ExitCode> {
    let objects = objects(file)?;
    let loaded = load::load(target)?;
    let policy = Policy {
        new_files: match new_files {
            NewFilesArg::Explicit => NewFiles::Explicit,
            NewFilesArg::Contextual => NewFiles::Contextual,
        },
        existing: match existing {
            ExistingArg::Preserve => Existing::Preserve,
            ExistingArg::Explicit => Existing::Explicit,
        },
    };
    let changes: Vec<Change> = objects.into_iter().map(Change::Put).collect();
    write::run(target, &loaded, policy, &changes, write, out)
}

/// The objects of a file: documents, and the items of lists as `kubectl get -o yaml` prints them.
fn objects(file: &Path) -> Result<Vec<Value>> {
    let shown = file.display();
    let mut bytes = Vec::new();
    let input: Box<dyn Read> = if file == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(fs::File::open(file).with_context(|| format!("{shown}"))?)
    };
    input.take(MAX_INPUT + 1).read_to_end(&mut bytes).with_context(|| format!("{shown}"))?;
    let parsed = yaml::parse(&bytes).with_context(|| format!("{shown}"))?;
    let mut objects = Vec::new();
    for document in parsed.documents.iter().filter(|document| !document.is_empty()) {
        let value =
            document.to_value(Reader::Kubernetes).with_context(|| format!("{shown}: document {}", document.number))?;
        let is_list = value["kind"].as_str().is_some_and(|kind| kind.ends_with("List"));
        match value {
            Value::Object(mut map) if is_list && map.get("items").is_some_and(Value::is_array) => {
                if let Some(Value::Array(items)) = map.remove("items") {
                    objects.extend(items);
                }
            }
            value => objects.push(value),
        }
    }
    if objects.is_empty() {
        bail!("{shown} holds no object");
    }
    Ok(objects)
}
