use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{check, exit, load};
use crate::args::{Format, Target};
use crate::output::Output;

/// What every object of the folder is in the cluster, with what its context supplies.
pub(super) fn run(target: &Target, out: &mut Output) -> Result<ExitCode> {
    let folder = load::load(target)?.folder;
    if !folder.verdict().is_valid() {
        check::findings(folder.verdict().refusals(), out)?;
        return Ok(exit(false));
    }
    let mut objects = Vec::new();
    for file in folder.tree().files() {
        let values = folder.values(&file.path);
        let values = values.map_err(|(index, error)| error_of(&folder.documents()[index].title(), &error))?;
        objects.extend(values.into_iter().filter(|(index, _)| !folder.documents()[*index].record().is_local));
    }
    if target.output == Format::Json {
        let all: Vec<Value> = objects.into_iter().map(|(_, value)| value).collect();
        out.line(serde_json::to_string_pretty(&all)?)?;
        return Ok(exit(true));
    }
    for (index, value) in &objects {
        out.line("---")?;
        out.line(format!("# {}", folder.documents()[*index].title()))?;
        out.line(nsclass_manifests::edit::new_file(value).trim_end())?;
    }
    Ok(exit(true))
}

fn error_of(title: &str, error: &nsclass_manifests::yaml::ValueError) -> anyhow::Error {
    Err::<(), _>(error.clone()).with_context(|| title.to_owned()).err().unwrap_or_else(|| anyhow::anyhow!("{title}"))
}
