//! Where kustomize and the API disagree on what has a namespace (F16).

use super::Case;
use crate::folder::Placed;
use crate::kinds::Scope;
use crate::render::scope::is_cluster_scoped;
use crate::verdict::Reason;

pub(super) fn judge(case: &mut Case<'_>, documents: &[Placed]) {
    for document in documents {
        let Some(reached) = case.graph.reached(&document.file.path) else { continue };
        let Some((namespace, source)) = reached.context.namespaces.first().cloned() else { continue };
        let kustomization = case.graph.path(source).clone();
        let record = document.record();
        if record.is_local {
            continue;
        }
        let is_skipped = is_cluster_scoped(&record.api_version, &record.kind);
        let is_renamed = &*record.api_version == "v1" && &*record.kind == "Namespace";
        let scope = case.kinds.find(&record.group, &record.kind).map(|info| info.scope);
        let wrong =
            if is_renamed {
                reached.context.namespaces.iter().find(|(name, _)| Some(name) != record.name.as_ref()).map(
                    |(name, source)| format!("{} would rename {} to {name}", case.graph.path(*source), record.title()),
                )
            } else if scope == Some(Scope::Cluster) && !is_skipped {
                Some(format!(
                    "{kustomization} would put {} in the namespace {namespace}, and its kind is cluster-scoped",
                    record.title()
                ))
            } else if scope == Some(Scope::Namespaced) && is_skipped && record.namespace.is_none() {
                Some(format!("{kustomization} would leave {} without a namespace", record.title()))
            } else {
                None
            };
        if let Some(what) = wrong {
            let remedy = "name it in a kustomization that assigns no namespace";
            case.find(&document.file.path, record.number, Reason::UnsupportedRender, what, remedy);
        }
    }
}
