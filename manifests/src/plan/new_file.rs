use serde_json::Value;

use super::work::Work;
use super::{Ground, NewFiles, Refusal, sealed};
use crate::edit;
use crate::graph::NodeId;
use crate::identity::LiveId;
use crate::live;
use crate::path::FolderPath;
use crate::render::FieldPath;
use crate::verdict::{Finding, Reason};
use crate::yaml;

/// Longest component of a new path, in bytes; file systems take 255.
const MAX_COMPONENT: usize = 240;

/// Writes an object that has no document into a file of its own (F35).
pub(super) fn put(ground: &Ground<'_>, work: &mut Work, id: LiveId, live: &Value) -> Result<(), Refusal> {
    let kind = live.get("kind").and_then(Value::as_str).unwrap_or_default();
    if ground.kinds.find(&id.group, kind).is_none() {
        return Err(Refusal::UnknownKind(kind.to_owned()));
    }
    let cleaned = live::clean(live, None);
    let context = match (ground.policy.new_files, &id.namespace) {
        (NewFiles::Contextual, Some(namespace)) => context(ground, namespace),
        _ => None,
    };
    let path = place(ground, work, context, &id)?;
    let mut value = cleaned.clone();
    if let Some(context) = context {
        // The code that guards a sealed Secret covers its namespace, which the context supplies a second time.
        if sealed::stamp(&value).is_none() {
            FieldPath::keys(&["metadata", "namespace"]).remove(&mut value);
        }
        register(ground, work, context, &path)?;
    } else if let Some(near) = near(ground, &path) {
        let what = format!("{id} is written here and is not deployed by {near}, which does not name the file");
        work.notes.push(Finding::new(&path, Reason::NotDeployed, what, format!("name it in {near} if it should be")));
    }
    work.files.insert(path, Some(edit::new_file(&value).into_bytes().into()));
    work.puts.insert(id, cleaned);
    Ok(())
}

/// The kustomization that a file beside the new one would look for.
fn near(ground: &Ground<'_>, path: &FolderPath) -> Option<FolderPath> {
    let graph = &ground.folder.graph;
    let id = graph.nearest(&path.parent()).or_else(|| graph.roots().first().copied())?;
    Some(graph.path(id).clone())
}

/// The one kustomization that assigns the namespace, if there is exactly one and nothing above it interferes.
fn context(ground: &Ground<'_>, namespace: &str) -> Option<NodeId> {
    let graph = &ground.folder.graph;
    let ids = (0..graph.nodes.len()).map(|index| NodeId(u32::try_from(index).unwrap_or(u32::MAX)));
    let mut assigning = ids.filter(|id| graph.node(*id).namespace().is_some_and(|own| **own == *namespace));
    let only = assigning
        .next()
        .filter(|id| graph.node(*id).record.parsed.as_ref().is_ok_and(|parsed| parsed.has_resources_list))?;
    assigning.next().is_none().then_some(only)
}

/// Where the file goes.
fn place(ground: &Ground<'_>, work: &Work, context: Option<NodeId>, id: &LiveId) -> Result<FolderPath, Refusal> {
    let group = if id.group.is_empty() { "core" } else { &id.group };
    let file = format!("{}.yaml", id.name);
    let namespace = id.namespace.as_deref().unwrap_or("_cluster");
    let directory = context.map_or_else(FolderPath::root, |id| ground.folder.graph.node(id).directory.clone());
    let mut path = directory;
    for part in [namespace, group, &*id.resource, &*file] {
        let is_odd = part.starts_with('.') || part.contains(['/', '\\', '%']) || part.len() > MAX_COMPONENT;
        let next = if is_odd { None } else { path.child(part).ok() };
        path = next.ok_or_else(|| Refusal::NewFile {
            path: path.clone(),
            what: format!("{part:?} cannot be part of a path; write the document by hand"),
        })?;
    }
    let is_taken = work.current(ground.folder, &path).is_some() || ground.folder.tree().listing.contains_key(&path);
    if is_taken {
        let what = format!("something else stands where {id} belongs; move it");
        return Err(Refusal::NewFile { path, what });
    }
    if !ground.folder.tree().would_scan(&path) {
        let what = format!(
            "{id} belongs here, but a scan would not find it: the directory is a chart's, is ignored, or is no directory"
        );
        return Err(Refusal::NewFile { path, what });
    }
    Ok(path)
}

/// Adds the line for a new file to the kustomization nearest to it.
fn register(ground: &Ground<'_>, work: &mut Work, context: NodeId, path: &FolderPath) -> Result<(), Refusal> {
    let graph = &ground.folder.graph;
    let refused = |what: String| Refusal::NewFile { path: path.clone(), what };
    let nearest = graph.nearest(&path.parent()).unwrap_or(context);
    if graph.node(nearest).context.namespaces != graph.node(context).context.namespaces {
        return Err(refused(format!(
            "{} stands nearer and is not in that context; name the file by hand",
            graph.path(nearest)
        )));
    }
    let record = &graph.node(nearest).record;
    let entry =
        path.below(&record.directory()).ok_or_else(|| refused("no kustomization stands above it".to_owned()))?;
    let bytes = work.current(ground.folder, &record.path).unwrap_or_default();
    let file = yaml::parse(&bytes).map_err(|error| refused(error.to_string()))?;
    let text = edit::add_resource(&file, entry).map_err(|reason| refused(format!("{}: {reason}", record.path)))?;
    work.files.insert(record.path.clone(), Some(text.into_bytes().into()));
    Ok(())
}
