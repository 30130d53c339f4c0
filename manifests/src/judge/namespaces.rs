//! Which namespace each document has, and who says so (F02, F12, F15, F22).

use std::collections::HashMap;
use std::sync::Arc;

use super::Case;
use crate::folder::Placed;
use crate::graph::Reached;
use crate::identity::{Diagnostic, LiveId, NamespaceSource};
use crate::kinds::Scope;
use crate::record::{DocumentRecord, FileRecord};
use crate::render::scope::is_cluster_scoped;
use crate::verdict::Reason;

/// What was decided for one document.
struct Decision {
    source: NamespaceSource,
    namespace: Option<Arc<str>>,
    diagnostic: Option<Diagnostic>,
}

impl Decision {
    fn new(source: NamespaceSource, namespace: Option<Arc<str>>) -> Self {
        Self { source, namespace, diagnostic: None }
    }

    fn diagnosed(mut self, diagnostic: Diagnostic) -> Self {
        self.diagnostic = Some(diagnostic);
        self
    }
}

/// What was decided for a folder.
#[derive(Default)]
pub(super) struct Decided {
    /// Every document.
    pub(super) documents: Vec<Placed>,
    /// Documents that kustomize leaves out, by the identity they would have.
    pub(super) locals: HashMap<LiveId, usize>,
    /// Whether a kind was unknown to a look-up that was not ready.
    pub(super) is_provisional: bool,
}

/// Decides for every document.
pub(super) fn judge(case: &mut Case<'_>) -> Decided {
    let (tree, graph) = (case.tree, case.graph);
    let mut decided = Decided::default();
    decided.documents.reserve_exact(tree.files.values().map(|file| file.documents().len()).sum());
    for file in tree.files.values() {
        let reached = graph.reached(&file.path);
        for (position, record) in file.documents().iter().enumerate() {
            let info = case.kinds.find(&record.group, &record.kind);
            decided.is_provisional |= info.is_none() && !case.kinds.is_ready();
            let decision = match info.map(|info| info.scope) {
                Some(Scope::Cluster) => cluster(case, file, record),
                Some(Scope::Namespaced) => namespaced(case, file, record, reached),
                None => unknown(case, file, record, reached),
            };
            let owns = !matches!(decision.source, NamespaceSource::None | NamespaceSource::Unresolved);
            let mut live = record.name.as_ref().filter(|_| owns).map(|name| LiveId {
                group: record.group.clone(),
                resource: info.map_or_else(|| record.kind.clone(), |info| info.resource.clone()),
                namespace: decision.namespace.clone(),
                name: name.clone(),
            });
            if record.is_local
                && let Some(live) = live.take()
            {
                decided.locals.insert(live, decided.documents.len());
            }
            decided.documents.push(Placed {
                file: file.clone(),
                position,
                live,
                source: decision.source,
                diagnostic: decision.diagnostic,
                named_by: reached.and_then(|reached| reached.named_by.first().copied()),
            });
        }
    }
    decided
}

fn cluster(case: &mut Case<'_>, file: &FileRecord, record: &DocumentRecord) -> Decision {
    let decision = Decision::new(NamespaceSource::Explicit, None);
    let Some(namespace) = &record.namespace else { return decision };
    let what = format!("{} is cluster-scoped and states the namespace {namespace}", record.title());
    case.find(&file.path, record.number, Reason::ScopeMismatch, what, "remove metadata.namespace");
    decision.diagnosed(Diagnostic::ScopeMismatch)
}

fn namespaced(case: &mut Case<'_>, file: &FileRecord, record: &DocumentRecord, reached: Option<&Reached>) -> Decision {
    if let Some(namespace) = &record.namespace {
        overridden(case, file, record, namespace, reached);
        return Decision::new(NamespaceSource::Explicit, Some(namespace.clone()));
    }
    let nothing = Decision::new(NamespaceSource::None, None);
    if let Some(reached) = reached {
        let is_skipped = is_cluster_scoped(&record.api_version, &record.kind);
        match &reached.context.namespaces[..] {
            _ if reached.context.unsupported.is_some() => return nothing,
            [(namespace, source)] if !is_skipped => {
                let path = case.graph.path(*source).clone();
                return Decision::new(NamespaceSource::Kustomize(path), Some(namespace.clone()));
            }
            // Nothing assigns one, or kustomize takes the kind for a cluster-scoped one.
            [] | [_] => {}
            several => {
                let all: Vec<_> = several
                    .iter()
                    .map(|(name, source)| format!("{name} (from {})", case.graph.path(*source)))
                    .collect();
                let what = format!("several namespaces reach {}: {}", record.title(), all.join(", "));
                let remedy = "let one kustomization assign the namespace, or write it in the document";
                case.find(&file.path, record.number, Reason::AmbiguousNamespace, what, remedy);
                return nothing.diagnosed(Diagnostic::AmbiguousNamespace);
            }
        }
    }
    if let Some(fixed) = &case.options.fixed {
        return Decision::new(NamespaceSource::Fixed, Some(fixed.clone()));
    }
    if record.name.is_some() && !record.is_local {
        without(case, file, record, reached);
    }
    nothing
}

/// A namespaced document that nothing gives a namespace (F15). Below a kustomization that cannot be read, that one is
/// the fault.
fn without(case: &mut Case<'_>, file: &FileRecord, record: &DocumentRecord, reached: Option<&Reached>) {
    let nearest = case.graph.nearest(&file.path.parent()).map(|id| case.graph.node(id));
    let (what, remedy) = match (reached.and_then(|reached| reached.named_by.first()), nearest) {
        (None, Some(node)) if node.record.parsed.is_err() => return,
        (Some(id), _) => (
            format!("no namespace reaches {}: neither it nor {} says one", record.title(), case.graph.path(*id)),
            "set namespace in that kustomization, write metadata.namespace, or declare a Fixed namespaceContext"
                .to_owned(),
        ),
        (None, Some(node)) => (
            format!("{} has no namespace, and no kustomization names the file", record.title()),
            format!("name it in {}, write metadata.namespace, or declare a Fixed namespaceContext", node.record.path),
        ),
        (None, None) => (
            format!("{} has no namespace", record.title()),
            "write metadata.namespace, or declare a Fixed namespaceContext".to_owned(),
        ),
    };
    case.find(&file.path, record.number, Reason::NoNamespace, what, remedy);
}

/// A stated namespace that a kustomization replaces (F22).
fn overridden(
    case: &mut Case<'_>,
    file: &FileRecord,
    record: &DocumentRecord,
    own: &Arc<str>,
    reached: Option<&Reached>,
) {
    let Some(context) = reached.map(|reached| &reached.context) else { return };
    if is_cluster_scoped(&record.api_version, &record.kind) {
        return;
    }
    let Some((namespace, source)) = context.namespaces.iter().find(|(namespace, _)| namespace != own) else { return };
    let what = format!(
        "{} states the namespace {own}, and {} overrides it with {namespace}",
        record.title(),
        case.graph.path(*source)
    );
    let remedy =
        format!("remove metadata.namespace, change it to {namespace}, or take the file out of that kustomization");
    case.find(&file.path, record.number, Reason::ConflictingNamespace, what, remedy);
}

/// A kind that the look-up does not know: structure only (F03).
fn unknown(case: &mut Case<'_>, file: &FileRecord, record: &DocumentRecord, reached: Option<&Reached>) -> Decision {
    let decision = match &record.namespace {
        Some(namespace) => {
            overridden(case, file, record, namespace, reached);
            Decision::new(NamespaceSource::Explicit, Some(namespace.clone()))
        }
        None => Decision::new(NamespaceSource::Unresolved, None),
    };
    if !case.kinds.is_ready() {
        return decision;
    }
    let what = format!("the cluster has no kind {} in {}", record.kind, record.api_version);
    case.find(
        &file.path,
        record.number,
        Reason::UnresolvedMapping,
        what,
        "install its CRD, or correct apiVersion and kind",
    );
    decision.diagnosed(Diagnostic::UnresolvedMapping)
}
