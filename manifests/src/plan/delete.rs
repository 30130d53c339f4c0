use std::collections::BTreeMap;
use std::sync::Arc;

use super::work::Work;
use super::{Ground, Refusal};
use crate::edit;
use crate::folder::Placed;
use crate::identity::LiveId;
use crate::kustomization::resolve;
use crate::path::FolderPath;
use crate::yaml;

/// Removes documents, the last of each file first, so that numbers stay true (F34).
pub(super) fn delete(
    ground: &Ground<'_>,
    work: &mut Work,
    deletes: Vec<(usize, &LiveId)>,
    refused: &mut Vec<(usize, Refusal)>,
) {
    let mut found: BTreeMap<(FolderPath, std::cmp::Reverse<u32>), (usize, &LiveId)> = BTreeMap::new();
    for (at, live) in deletes {
        match ground.folder.find(live) {
            Some(placed) => {
                found.insert((placed.file.path.clone(), std::cmp::Reverse(placed.record().number)), (at, live));
            }
            None => refused.push((at, Refusal::NotFound(live.to_string()))),
        }
    }
    for (at, live) in found.into_values() {
        let Some(placed) = ground.folder.find(live) else { continue };
        match one(ground, work, placed) {
            Ok(()) => {
                work.puts.remove(live);
                work.deletes.push(live.clone());
            }
            Err(refusal) => refused.push((at, refusal)),
        }
    }
}

fn one(ground: &Ground<'_>, work: &mut Work, placed: &Placed) -> Result<(), Refusal> {
    let path = &placed.file.path;
    let bytes = work.current(ground.folder, path).unwrap_or_default();
    let number = placed.record().number as usize;
    let refused = |reason: edit::Refused| Refusal::Edit { document: placed.title(), reason };
    let whole = |reason| edit::Refused { path: String::new(), position: None, reason };
    let file = yaml::parse(&bytes).map_err(|_| refused(whole(edit::Reason::Mismatch)))?;
    let rest = edit::remove_document(&file, number).map_err(refused)?;
    if rest.is_none() && placed.named_by.is_some() {
        unregister(ground, work, placed)?;
    }
    work.files.insert(path.clone(), rest.map(|text| text.into_bytes().into()));
    Ok(())
}

/// Removes the line of a file that goes from the kustomization that names it.
fn unregister(ground: &Ground<'_>, work: &mut Work, placed: &Placed) -> Result<(), Refusal> {
    let Some(id) = placed.named_by else { return Ok(()) };
    let record = &ground.folder.graph.node(id).record;
    let path = &placed.file.path;
    let refused = |reason: String| Refusal::Entry { kustomization: record.path.clone(), file: path.clone(), reason };
    let Ok(parsed) = &record.parsed else { return Err(refused("the kustomization cannot be read".to_owned())) };
    let is_it = |entry: &&String| resolve(&record.directory(), entry).as_ref() == Ok(path);
    let entry = parsed.resources.iter().find(is_it);
    let entry = entry.ok_or_else(|| refused("resources does not name it; remove the entry by hand".to_owned()))?;
    let bytes: Arc<[u8]> = work.current(ground.folder, &record.path).unwrap_or_default();
    let file = yaml::parse(&bytes).map_err(|error| refused(error.to_string()))?;
    let text = edit::remove_resource(&file, entry).map_err(|reason| refused(reason.to_string()))?;
    work.files.insert(record.path.clone(), Some(text.into_bytes().into()));
    Ok(())
}
