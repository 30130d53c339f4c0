//! What kustomize makes of each root, and what it would refuse there (F04, F16, F17).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Case;
use crate::folder::Placed;
use crate::graph::{Edge, NodeId};
use crate::path::FolderPath;
use crate::render::accumulate::{Accumulator, Collision, Member};
use crate::render::references::{Ambiguous, Candidates};
use crate::render::{Rendered, RenderedDocument};
use crate::verdict::Reason;
use crate::yaml::Reader;
use crate::yaml::resolve::{Resolved, plain};

/// Renders every root that is explained so far.
pub(super) fn judge(
    case: &mut Case<'_>,
    documents: &[Placed],
    ranges: &HashMap<FolderPath, Range<usize>>,
) -> Vec<Rendered> {
    let roots: Vec<NodeId> = case.graph.roots().iter().copied().filter(|root| is_explained(case, *root)).collect();
    roots.into_iter().map(|root| render(case, documents, ranges, root)).collect()
}

/// Whether everything below is supported, reached once and given one namespace at most; else other findings say why not.
fn is_explained(case: &Case<'_>, root: NodeId) -> bool {
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        let node = case.graph.node(id);
        let context = &node.context;
        if context.unsupported.is_some() || context.namespaces.len() > 1 || context.paths > 1 {
            return false;
        }
        for edge in &node.edges {
            match edge {
                Edge::Kustomization(child) => pending.push(*child),
                Edge::File(path) => {
                    if case.graph.reached(path).is_some_and(|reached| reached.named_by.len() > 1) {
                        return false;
                    }
                }
            }
        }
    }
    true
}

fn render(
    case: &mut Case<'_>,
    documents: &[Placed],
    ranges: &HashMap<FolderPath, Range<usize>>,
    root: NodeId,
) -> Rendered {
    let mut accumulator = Accumulator::new(case.graph, documents, ranges);
    accumulator.root(root);
    let mut told = HashSet::new();
    for collision in std::mem::take(&mut accumulator.collisions) {
        // Two that are one before the transform are mostly one after it too.
        if told.insert((collision.first.min(collision.second), collision.first.max(collision.second))) {
            collide(case, documents, &collision);
        }
    }
    let members = accumulator.members;
    let refers = |member: &Member<'_>| member.placed.record().extra().is_some_and(|extra| !extra.references.is_empty());
    // Most roots have nothing that refers to anything.
    let candidates = Candidates::new(if members.iter().any(refers) { &members } else { &[] });
    let mut rendered = Vec::with_capacity(members.len());
    for member in &members {
        match candidates.supplied(member) {
            Ok(supplied) => {
                for (path, namespace) in &supplied.fields {
                    if plain(namespace, Reader::Kustomize) != Resolved::Text {
                        let what = format!(
                            "kustomize would write the namespace {namespace} into {path} as something other than a string"
                        );
                        let record = member.placed.record();
                        case.find(
                            &member.placed.file.path,
                            record.number,
                            Reason::UnsupportedRender,
                            what,
                            "rename the namespace",
                        );
                    }
                }
                let is_dropped = member.placed.record().is_local;
                rendered.push(RenderedDocument { index: member.index, supplied, is_dropped });
            }
            Err(ambiguous) => ambiguity(case, documents, member, &ambiguous),
        }
    }
    Rendered { root, documents: rendered }
}

fn collide(case: &mut Case<'_>, documents: &[Placed], collision: &Collision) {
    let (first, second) = (&documents[collision.first], &documents[collision.second]);
    if first.live.is_some() && first.live == second.live {
        // Said already, in the words of the API.
        return;
    }
    let record = second.record();
    let when = match &collision.assigned {
        Some(namespace) => format!(" once the namespace {namespace} is assigned"),
        None => String::new(),
    };
    let what = format!("kustomize takes {} for {}{when}", record.title(), first.title());
    case.find(&second.file.path, record.number, Reason::DuplicateIdentity, what, "rename or remove one of the two");
}

fn ambiguity(case: &mut Case<'_>, documents: &[Placed], member: &Member<'_>, ambiguous: &Ambiguous) {
    let [first, second] = ambiguous.candidates.map(|index| documents[index].title());
    let what = format!("{} could mean {first} or {second}, and kustomize refuses to choose", ambiguous.at);
    let remedy = format!("write {}.namespace, or rename one of the two", ambiguous.at);
    let record = member.placed.record();
    case.find(&member.placed.file.path, record.number, Reason::UnsupportedRender, what, remedy);
}
