//! Documents that say something about other documents: encrypted ones, CRDs, and objects of Flux and Argo CD.

use super::document::Extraction;
use super::text::{Text, is_null, text};
use crate::kinds::Scope;
use crate::record::{Applier, Definition};
use crate::yaml::Node;

/// Fields of a Flux Kustomization that change what it applies.
const FLUX_CHANGES: [&str; 8] = [
    "spec.patches",
    "spec.patchesStrategicMerge",
    "spec.patchesJson6902",
    "spec.images",
    "spec.components",
    "spec.namePrefix",
    "spec.nameSuffix",
    "spec.commonMetadata",
];

pub(super) fn collect(root: &Node<'_>, out: &mut Extraction<'_>) {
    if root.get("sops").is_some_and(|sops| sops.as_mapping().is_some()) {
        out.extra().is_encrypted = true;
    }
    let group = out.record.group.clone();
    match (&*group, &*out.record.kind.clone()) {
        ("apiextensions.k8s.io", "CustomResourceDefinition") => out.extra().defines = definition(root),
        ("kustomize.toolkit.fluxcd.io", "Kustomization") => out.extra().applies = Some(flux(root)),
        ("argoproj.io", "Application") => out.extra().applies = Some(argo(root)),
        _ => {}
    }
}

fn string<'n>(root: &'n Node<'_>, path: &[&str]) -> Option<&'n str> {
    if let Text::Is(found) = text(root.at(path)) { Some(found) } else { None }
}

fn definition(root: &Node<'_>) -> Option<Definition> {
    let scope = match string(root, &["spec", "scope"])? {
        "Namespaced" => Scope::Namespaced,
        "Cluster" => Scope::Cluster,
        _ => return None,
    };
    Some(Definition {
        group: string(root, &["spec", "group"])?.to_owned(),
        kind: string(root, &["spec", "names", "kind"])?.to_owned(),
        resource: string(root, &["spec", "names", "plural"])?.to_owned(),
        scope,
    })
}

/// Whether the field is there and says something.
fn has(root: &Node<'_>, dotted: &str) -> bool {
    let found = dotted.split('.').try_fold(root, |node, key| node.get(key));
    found.is_some_and(|node| {
        let is_empty = node.as_mapping().is_some_and(|mapping| mapping.entries.is_empty())
            || node.as_sequence().is_some_and(|sequence| sequence.items.is_empty());
        !is_null(node) && !is_empty && node.as_str() != Some("")
    })
}

fn flux(root: &Node<'_>) -> Applier {
    Applier {
        what: "the Flux Kustomization",
        paths: vec![string(root, &["spec", "path"]).unwrap_or("./").to_owned()],
        namespace: string(root, &["spec", "targetNamespace"]).map(|name| ("spec.targetNamespace", name.to_owned())),
        changes: FLUX_CHANGES.into_iter().filter(|field| has(root, field)).collect(),
        substitutes: ["spec.postBuild.substitute", "spec.postBuild.substituteFrom"]
            .into_iter()
            .filter(|field| has(root, field))
            .collect(),
    }
}

fn argo(root: &Node<'_>) -> Applier {
    let mut sources: Vec<&Node<'_>> = root.at(&["spec", "source"]).into_iter().collect();
    if let Some(several) = root.at(&["spec", "sources"]).and_then(Node::as_sequence) {
        sources.extend(several.items.iter().map(|item| &item.node));
    }
    let changes =
        [("kustomize", "spec.source.kustomize"), ("helm", "spec.source.helm"), ("plugin", "spec.source.plugin")];
    Applier {
        what: "the Argo CD Application",
        paths: sources.iter().filter_map(|source| string(source, &["path"])).map(str::to_owned).collect(),
        namespace: string(root, &["spec", "destination", "namespace"])
            .map(|name| ("spec.destination.namespace", name.to_owned())),
        changes: changes
            .into_iter()
            .filter(|(key, _)| sources.iter().any(|source| has(source, key)))
            .map(|(_, field)| field)
            .collect(),
        substitutes: Vec::new(),
    }
}
