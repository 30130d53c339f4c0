//! Which objects two states of a folder differ in, within the files that changed.

use std::{collections::BTreeMap, sync::Arc};

use nsclass_manifests::{folder::Folder, identity::LiveId, path::FolderPath};
use nsclass_shared::livegit::message::Operation;
use serde_json::Value;

/// An object whose document differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) id: LiveId,
    pub(super) operation: Operation,
    /// `group/version/resource namespace/name`, for messages.
    pub(super) object: String,
    /// `path#document`, where it stands, or stood.
    pub(super) title: String,
}

/// The objects of these files that are there, gone or different after; comments and layout do not count.
pub(super) fn written<'p>(
    before: &Folder,
    after: &Folder,
    files: impl Iterator<Item = &'p FolderPath>,
) -> Vec<Written> {
    let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
    for path in files {
        objects(before, path, &mut old);
        objects(after, path, &mut new);
    }
    let mut written = Vec::new();
    for (id, (value, title)) in &new {
        let operation = match old.get(id) {
            None => Operation::Create,
            Some((was, _)) if was == value => continue,
            Some(_) => Operation::Update,
        };
        written.push(Written { id: id.clone(), operation, object: name(id, value), title: title.clone() });
    }
    let gone = old.iter().filter(|(id, _)| !new.contains_key(*id));
    written.extend(gone.map(|(id, (value, title))| Written {
        id: id.clone(),
        operation: Operation::Delete,
        object: name(id, value),
        title: title.clone(),
    }));
    written
}

fn objects(folder: &Folder, path: &FolderPath, into: &mut BTreeMap<LiveId, (Value, String)>) {
    // A file that cannot be read is a finding of its folder, and nothing is written there.
    for (index, value) in folder.values(path).unwrap_or_default() {
        let placed = &folder.documents()[index];
        if let Some(id) = &placed.live {
            into.insert(id.clone(), (value, placed.title()));
        }
    }
}

fn name(id: &LiveId, value: &Value) -> String {
    let version = value.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    match &id.namespace {
        Some(namespace) => format!("{version}/{} {namespace}/{}", id.resource, id.name),
        None => format!("{version}/{} {}", id.resource, id.name),
    }
}

/// The bytes of a file of a folder.
pub(super) fn bytes(folder: &Folder, path: &FolderPath) -> Option<Arc<[u8]>> {
    folder.tree().bytes_of(path)
}
