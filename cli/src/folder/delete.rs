use std::process::ExitCode;

use anyhow::{Result, bail};
use nsclass_manifests::folder::{Folder, Placed};
use nsclass_manifests::identity::LiveId;
use nsclass_manifests::plan::{Change, Policy};

use super::load;
use super::write;
use crate::args::{Target, Write};
use crate::output::Output;

/// Removes the document of one object.
pub(super) fn run(
    target: &Target,
    object: &str,
    namespace: Option<&str>,
    write: &Write,
    out: &mut Output,
) -> Result<ExitCode> {
    let loaded = load::load(target)?;
    let live = find(&loaded.folder, object, namespace)?;
    write::run(target, &loaded, Policy::default(), &[Change::Delete(live)], write, out)
}

/// The one object that the words mean.
fn find(folder: &Folder, object: &str, namespace: Option<&str>) -> Result<LiveId> {
    let Some((kind, name)) = object.split_once('/').filter(|(kind, name)| !kind.is_empty() && !name.is_empty()) else {
        bail!("{object:?} is not KIND/NAME");
    };
    let documents = folder.documents().iter();
    let found: Vec<&LiveId> = documents
        .filter(|document| means(document, kind, name, namespace))
        .filter_map(|document| document.live.as_ref())
        .collect();
    match found[..] {
        [one] => Ok(one.clone()),
        [] => {
            let place = namespace.map(|namespace| format!(" in the namespace {namespace}")).unwrap_or_default();
            bail!("no document is {object}{place}; `nsclass folder identify` lists them")
        }
        [first, second, ..] => {
            bail!("{object} could mean {first} or {second}; add -n NAMESPACE, or the group to the resource")
        }
    }
}

fn means(document: &Placed, kind: &str, name: &str, namespace: Option<&str>) -> bool {
    let Some(live) = &document.live else { return false };
    let qualified = format!("{}.{}", live.resource, live.group);
    let is_kind =
        [&*document.record().kind, &*live.resource, &*qualified].iter().any(|known| known.eq_ignore_ascii_case(kind));
    is_kind && *live.name == *name && (namespace.is_none() || live.namespace.as_deref() == namespace)
}
