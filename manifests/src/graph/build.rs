use std::collections::HashSet;
use std::sync::Arc;

use super::{Edge, Graph, Node, NodeId};
use crate::kustomization::{FILE_NAMES, KustomizationRecord, resolve};
use crate::path::FolderPath;
use crate::scan::Tree;
use crate::source::EntryKind;
use crate::verdict::{Finding, Reason};

impl Graph {
    /// Follows the entries of every kustomization of the tree.
    pub fn build(tree: &Tree) -> Self {
        let mut graph = Self::default();
        for (directory, records) in &tree.kustomizations {
            graph.add(directory, records);
        }
        for index in 0..graph.nodes.len() {
            let edges = graph.follow(index, tree);
            graph.nodes[index].edges = edges;
        }
        graph.drop_cycles();
        graph.attribute();
        graph
    }

    fn add(&mut self, directory: &FolderPath, records: &[Arc<KustomizationRecord>]) {
        let [first, others @ ..] = records else { return };
        if let Some(second) = others.first() {
            let what = format!("{} stands beside it, and kustomize refuses two", second.path.name());
            self.find(&first.path, Reason::InvalidKustomization, what, "keep one of them");
        }
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        match &first.parsed {
            Ok(parsed) => {
                for key in &parsed.unsupported {
                    let what = format!("{key} changes manifests in a way that cannot be written back");
                    let remedy = format!("remove {key}, or keep this directory out of the target's path");
                    self.find(&first.path, Reason::UnsupportedKustomization, what, remedy);
                }
                if !parsed.bases.is_empty() {
                    self.find(&first.path, Reason::Note, "bases is deprecated", "name the directories in resources");
                }
            }
            Err(faults) => {
                for fault in faults {
                    self.find(&first.path, fault.reason, fault.what.clone(), fault.remedy.clone());
                }
            }
        }
        self.by_directory.insert(directory.clone(), id);
        self.nodes.push(Node {
            record: first.clone(),
            directory: directory.clone(),
            edges: Vec::new(),
            parents: Vec::new(),
            is_supported: others.is_empty() && first.is_supported(),
            context: super::Context::default(),
        });
    }

    pub(super) fn find(
        &mut self,
        path: &FolderPath,
        reason: Reason,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.findings.push(Finding::new(path, reason, what, remedy));
    }

    /// Where the entries of one kustomization lead.
    fn follow(&mut self, index: usize, tree: &Tree) -> Vec<Edge> {
        let record = self.nodes[index].record.clone();
        let Ok(parsed) = &record.parsed else { return Vec::new() };
        let mut seen = HashSet::new();
        let mut edges = Vec::new();
        let resources = parsed.resources.iter().map(|entry| ("resources", entry));
        for (key, entry) in resources.chain(parsed.bases.iter().map(|entry| ("bases", entry))) {
            let mut refuse = |what: &str, remedy: &str| {
                self.findings.push(Finding::new(
                    &record.path,
                    Reason::InvalidEntry,
                    format!("the entry {entry:?} of {key} {what}"),
                    remedy,
                ));
            };
            let path = match resolve(&record.directory(), entry) {
                Ok(path) => path,
                Err(error) => {
                    refuse(&error.to_string(), error.remedy());
                    continue;
                }
            };
            if !seen.insert(path.clone()) {
                refuse("names what another entry names too", "keep one of them");
                continue;
            }
            edges.extend(self.edge(&record, key, entry, path, tree));
        }
        edges
    }

    /// Where one entry leads, if it leads anywhere.
    fn edge(
        &mut self,
        record: &KustomizationRecord,
        key: &str,
        entry: &str,
        path: FolderPath,
        tree: &Tree,
    ) -> Option<Edge> {
        let kind = if path.is_root() { Some(EntryKind::Directory) } else { tree.listing.get(&path).copied() };
        let mut refuse = |what: &str, remedy: &str| {
            let reason = if kind == Some(EntryKind::Symlink) { Reason::Symlink } else { Reason::InvalidEntry };
            self.findings.push(Finding::new(
                &record.path,
                reason,
                format!("the entry {entry:?} of {key} {what}"),
                remedy,
            ));
        };
        match kind {
            None => refuse("names nothing that is here", "add the file, or remove the entry"),
            Some(EntryKind::Symlink) => refuse("names a symlink, which is never followed", "put the file itself there"),
            Some(EntryKind::Other) => refuse("names no file or directory", "name a file or a directory"),
            Some(EntryKind::File) if FILE_NAMES.contains(&path.name()) => {
                refuse("names a kustomization file", "name its directory");
            }
            Some(EntryKind::File) => {
                if !path.is_within(&record.directory()) {
                    refuse(
                        "names a file outside of the kustomization's directory, which kustomize refuses",
                        "give that directory a kustomization of its own and name the directory",
                    );
                } else if key == "bases" {
                    refuse("names a file", "name it in resources");
                }
                return Some(Edge::File(path));
            }
            Some(EntryKind::Directory) => {
                let odd = entry.split('/').any(|part| part.contains("..") && part != "..");
                match self.by_directory.get(&path).copied() {
                    _ if odd => refuse("has `..` inside of a name, which kustomize refuses", "rename the directory"),
                    None => refuse("names a directory without a kustomization", "give it a kustomization.yaml"),
                    Some(id) => return Some(Edge::Kustomization(id)),
                }
            }
        }
        None
    }
}
