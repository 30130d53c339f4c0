use std::sync::Arc;

use serde_json::{Map, Value};

use super::wanted::{Own, wanted};
use super::work::Work;
use super::{Existing, Ground, Refusal, new_file, sealed};
use crate::edit::{self, Edited};
use crate::identity::{LiveId, NamespaceSource};
use crate::kinds::Scope;
use crate::live;
use crate::path::FolderPath;
use crate::render::{FieldPath, Supplied};
use crate::yaml::{self, Document, File, Reader};

/// A live object that has a document.
pub(super) struct Put<'l> {
    /// Its position among the changes.
    pub(super) at: usize,
    /// The document.
    pub(super) index: usize,
    /// Who it is.
    pub(super) id: LiveId,
    /// What is live.
    pub(super) live: &'l Value,
}

/// Finds the document of a live object; one without a document is written into a new file at once.
pub(super) fn put<'l>(
    ground: &Ground<'_>,
    work: &mut Work,
    at: usize,
    live: &'l Value,
) -> Result<Option<Put<'l>>, Refusal> {
    let id = identify(ground, live)?;
    let is_secret = id.group.is_empty() && text(live, "kind")? == "Secret";
    if is_secret && !sealed::is_sealed(live) {
        return Err(Refusal::Secret(id.to_string()));
    }
    if let Some(local) = ground.folder.locals.get(&id) {
        return Err(Refusal::Local { document: ground.folder.documents[*local].title() });
    }
    match ground.folder.by_live.get(&id) {
        Some(index) if is_secret => sealed::replace(ground, work, *index, id, live).map(|()| None),
        Some(index) => Ok(Some(Put { at, index: *index, id, live })),
        None => new_file::put(ground, work, id, live).map(|()| None),
    }
}

fn text<'v>(live: &'v Value, key: &'static str) -> Result<&'v str, Refusal> {
    live.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).ok_or(Refusal::NoObject(key))
}

/// Which live object this is.
pub(super) fn identify(ground: &Ground<'_>, live: &Value) -> Result<LiveId, Refusal> {
    let (api_version, kind) = (text(live, "apiVersion")?, text(live, "kind")?);
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let metadata = live.get("metadata").ok_or(Refusal::NoObject("metadata"))?;
    let name = metadata.get("name").and_then(Value::as_str).ok_or(Refusal::NoObject("metadata.name"))?;
    let namespace = metadata.get("namespace").and_then(Value::as_str).filter(|text| !text.is_empty());
    let info = ground.kinds.find(group, kind);
    let namespace = match info.map(|info| info.scope) {
        Some(Scope::Cluster) => None,
        Some(Scope::Namespaced) => Some(namespace.ok_or(Refusal::NoObject("metadata.namespace"))?),
        None => namespace,
    };
    Ok(LiveId {
        group: group.into(),
        resource: info.map_or_else(|| Arc::from(kind), |info| info.resource.clone()),
        namespace: namespace.map(Arc::from),
        name: name.into(),
    })
}

/// Writes live objects into the documents of one file, which is parsed once: their changes do not overlap.
pub(super) fn file(
    ground: &Ground<'_>,
    work: &mut Work,
    path: &FolderPath,
    puts: Vec<Put<'_>>,
    refused: &mut Vec<(usize, Refusal)>,
) {
    let bytes = work.current(ground.folder, path).unwrap_or_default();
    // invariant: a valid folder holds only files that parse; another one is never planned for.
    let Ok(file) = yaml::parse(&bytes) else { return };
    let mut changes = Vec::new();
    for put in puts {
        match document(ground, work, &file, &put) {
            Ok(edited) => {
                changes.extend(edited.changes);
                work.puts.insert(put.id, edited.live);
            }
            Err(refusal) => refused.push((put.at, refusal)),
        }
    }
    if changes.is_empty() {
        return;
    }
    changes.sort_by_key(|change| change.span);
    let mut text = file.text.to_owned();
    for change in changes.iter().rev() {
        text.replace_range(change.span.range(), &change.text);
    }
    work.files.insert(path.clone(), Some(text.into_bytes().into()));
}

/// What becomes of one document.
struct Written {
    changes: Vec<edit::Change>,
    /// What its render must be.
    live: Value,
}

fn document(ground: &Ground<'_>, work: &mut Work, file: &File<'_>, put: &Put<'_>) -> Result<Written, Refusal> {
    let folder = ground.folder;
    let placed = &folder.documents[put.index];
    let (record, title) = (placed.record(), placed.title());
    let api_version = text(put.live, "apiVersion")?;
    if api_version != &*record.api_version {
        let (written, live) = (record.api_version.to_string(), api_version.to_owned());
        return Err(Refusal::Version { document: title, written, live });
    }
    let refused = |reason: edit::Refused| Refusal::Edit { document: title.clone(), reason };
    let number = record.number as usize;
    let whole = |reason| refused(edit::Refused { path: String::new(), position: None, reason });
    let document = file.documents.get(number - 1).ok_or_else(|| whole(edit::Reason::NoDocument(number)))?;
    let unreadable = |error: yaml::ValueError| whole(edit::Reason::Unreadable(error.kind));
    let reader = folder.reader(put.index);
    let value = document.to_value(reader).map_err(unreadable)?;
    let rendered = folder.value(put.index, document).map_err(unreadable)?;
    let supplied = folder.supplied(put.index);
    let live = live::clean(put.live, Some(&rendered));
    let own = Own {
        title: title.clone(),
        value: &value,
        render: &rendered,
        annotations: &annotations(document),
        supplied: &supplied,
        supplied_by: supplied_by(ground, put.index),
    };
    let mut wanted = wanted(&live, &own)?;
    let mut edited = edit(file, number, &wanted, reader, &refused)?;
    let is_explicit = ground.policy.existing == Existing::Explicit;
    if is_explicit && !edited.changes.is_empty() && writes_namespace(&mut wanted, &supplied) {
        edited = edit(file, number, &wanted, reader, &refused)?;
    }
    work.kept.extend(edited.refused.iter().map(|kept| (put.at, refused(kept.clone()))));
    Ok(Written { changes: edited.changes, live })
}

/// Edits the document; only substituted values may stay as they are (F42).
fn edit(
    file: &File<'_>,
    number: usize,
    wanted: &Value,
    reader: Reader,
    refused: &impl Fn(edit::Refused) -> Refusal,
) -> Result<Edited, Refusal> {
    let edited = edit::edit(file, number, wanted, reader).map_err(refused)?;
    match edited.refused.iter().find(|kept| kept.reason != edit::Reason::SubstitutedValue) {
        Some(reason) => Err(refused(reason.clone())),
        None => Ok(edited),
    }
}

/// Adds the namespace that the context supplies, where the document has none (F35). Returns whether it did.
fn writes_namespace(wanted: &mut Value, supplied: &Supplied) -> bool {
    let path = FieldPath::keys(&["metadata", "namespace"]);
    match &supplied.namespace {
        Some(namespace) if path.find(wanted).is_none() => path.set(wanted, Value::from(&**namespace)),
        _ => false,
    }
}

/// Who supplies what the document does not say.
fn supplied_by(ground: &Ground<'_>, index: usize) -> String {
    let placed = &ground.folder.documents[index];
    match (&placed.source, ground.folder.in_render[index]) {
        (NamespaceSource::Kustomize(path), _) => path.to_string(),
        (_, Some((render, _))) => {
            let root = ground.folder.renders[render].root;
            ground.folder.graph.path(root).to_string()
        }
        _ => "the target's namespaceContext".to_owned(),
    }
}

/// The text of each annotation as written.
fn annotations(document: &Document<'_>) -> Map<String, Value> {
    let written = document.root.at(&["metadata", "annotations"]).and_then(|node| node.as_mapping());
    let entries = written.into_iter().flat_map(|mapping| &mapping.entries);
    entries.filter_map(|entry| Some((entry.key.as_str()?.to_owned(), Value::from(entry.value.as_str()?)))).collect()
}
