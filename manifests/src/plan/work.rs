use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::{Change, FileChange, Ground, Plan, Policy, Refusal, check, delete, put};
use crate::folder::{Folder, Options};
use crate::identity::LiveId;
use crate::kinds::Kinds;
use crate::path::FolderPath;
use crate::verdict::Finding;

/// Files in the making.
#[derive(Default)]
pub(super) struct Work {
    /// New bytes, or `None` for a file that goes.
    pub(super) files: BTreeMap<FolderPath, Option<Arc<[u8]>>>,
    /// What must be live once the files are written, by object.
    pub(super) puts: BTreeMap<LiveId, Value>,
    /// What must be gone.
    pub(super) deletes: Vec<LiveId>,
    pub(super) kept: Vec<(usize, Refusal)>,
    pub(super) notes: Vec<Finding>,
}

impl Work {
    /// The bytes of a file as changed so far.
    pub(super) fn current(&self, folder: &Folder, path: &FolderPath) -> Option<Arc<[u8]>> {
        match self.files.get(path) {
            Some(changed) => changed.clone(),
            None => folder.tree().bytes_of(path),
        }
    }
}

/// Plans the files that these changes lead to. Changes that cannot be written are in [`Plan::refused`]; the others are
/// planned without them.
///
/// # Errors
/// Where nothing may be written at all: the folder is not valid, or the files that would be written do not render to
/// what is live (F33).
pub fn plan(
    folder: &Folder,
    kinds: &dyn Kinds,
    options: &Options,
    policy: Policy,
    changes: &[Change],
) -> Result<Plan, Refusal> {
    if !folder.verdict().is_valid() {
        return Err(Refusal::NotValid(folder.verdict().message()));
    }
    let ground = Ground { folder, kinds, options, policy };
    let mut work = Work::default();
    let mut refused = Vec::new();
    let mut deletes = Vec::new();
    let mut puts: BTreeMap<FolderPath, Vec<put::Put<'_>>> = BTreeMap::new();
    let last = last(&ground, changes);
    for (at, change) in changes.iter().enumerate() {
        match change {
            _ if !last[at] => {}
            Change::Put(live) => match put::put(&ground, &mut work, at, live) {
                Ok(None) => {}
                Ok(Some(put)) => puts.entry(folder.documents[put.index].file.path.clone()).or_default().push(put),
                Err(refusal) => refused.push((at, refusal)),
            },
            Change::Delete(live) => deletes.push((at, live)),
        }
    }
    for (path, puts) in puts {
        put::file(&ground, &mut work, &path, puts, &mut refused);
    }
    delete::delete(&ground, &mut work, deletes, &mut refused);
    finish(&ground, work, refused)
}

/// Which changes are the last ones of their objects: what happened to an object before is of no account.
fn last(ground: &Ground<'_>, changes: &[Change]) -> Vec<bool> {
    let mut later = HashSet::new();
    let mut last = vec![true; changes.len()];
    for (at, change) in changes.iter().enumerate().rev() {
        last[at] = match change {
            // What cannot be identified is refused when its turn comes.
            Change::Put(live) => put::identify(ground, live).map_or(true, |id| later.insert(id)),
            Change::Delete(id) => later.insert(id.clone()),
        };
    }
    last
}

fn finish(ground: &Ground<'_>, mut work: Work, mut refused: Vec<(usize, Refusal)>) -> Result<Plan, Refusal> {
    refused.sort_by_key(|(at, _)| *at);
    let mut plan = Plan {
        refused,
        kept: std::mem::take(&mut work.kept),
        notes: std::mem::take(&mut work.notes),
        ..Plan::default()
    };
    let before = |path: &FolderPath| ground.folder.tree().bytes_of(path);
    work.files.retain(|path, after| before(path) != *after);
    if work.files.is_empty() {
        return Ok(plan);
    }
    let after = ground.folder.with(&work.files, ground.kinds, ground.options);
    check::check(ground.folder, &after, &work)?;
    for (path, bytes) in work.files {
        plan.files.insert(path.clone(), FileChange { before: before(&path), after: bytes });
    }
    plan.folder = Some(after);
    Ok(plan)
}
