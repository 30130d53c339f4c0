use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use nsclass_manifests::folder::{Folder, Options};
use nsclass_manifests::judge;
use nsclass_manifests::kinds::KindTable;
use nsclass_manifests::limits::Limits;
use nsclass_manifests::path::FolderPath;
use nsclass_manifests::scan::scan;
use nsclass_manifests::source::DirSource;

use crate::args::Target;

/// A folder with what it was judged by.
pub(crate) struct Loaded {
    pub(crate) folder: Folder,
    pub(crate) kinds: KindTable,
    pub(crate) options: Options,
}

/// Reads and judges the folder.
pub(crate) fn load(target: &Target) -> Result<Loaded> {
    let mut kinds = KindTable::builtin();
    if let Some(text) = api_resources(target)? {
        kinds.add_api_resources(&text)?;
    }
    let options = Options {
        fixed: target.namespace_context.as_deref().map(Into::into),
        rules: Vec::new(),
        location: target.repository_path.as_deref().map(location).transpose()?,
    };
    let source = DirSource::open(&target.directory)
        .with_context(|| format!("{} cannot be opened as a directory", target.directory.display()))?;
    let tree = scan(&source, &Limits::default());
    for kind in tree.definitions() {
        kinds.insert_if_unknown(&kind.group, &kind.kind, &kind.resource, kind.scope);
    }
    let folder = judge(tree, &kinds, &options);
    Ok(Loaded { folder, kinds, options })
}

fn location(path: &str) -> Result<FolderPath> {
    FolderPath::new(path).with_context(|| format!("--repository-path {path}"))
}

/// The list of kinds that the user passed or asked for.
fn api_resources(target: &Target) -> Result<Option<String>> {
    if let Some(file) = &target.api_resources {
        let text = fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
        return Ok(Some(text));
    }
    if !target.cluster {
        return Ok(None);
    }
    let output = Command::new("kubectl")
        .arg("api-resources")
        .output()
        .context("kubectl cannot be run; install it, or pass --api-resources FILE")?;
    if !output.status.success() {
        bail!("kubectl api-resources failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(Some(String::from_utf8(output.stdout).context("the output of kubectl api-resources is no UTF-8")?))
}
