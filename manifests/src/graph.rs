//! Who names whom: the kustomizations of a folder and the files that they reach (folders.md F12-F14).

mod build;
mod contexts;
mod order;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::kustomization::KustomizationRecord;
use crate::path::FolderPath;
use crate::verdict::Finding;

/// A kustomization, as a position in its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

/// What an entry leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edge {
    /// A file of manifests.
    File(FolderPath),
    /// The kustomization of a directory.
    Kustomization(NodeId),
}

/// A kustomization and what it names.
#[derive(Debug)]
pub struct Node {
    /// The file.
    pub record: Arc<KustomizationRecord>,
    /// The directory it stands in.
    pub directory: FolderPath,
    /// What it names, in kustomize's order: `resources`, then `bases`.
    pub edges: Vec<Edge>,
    /// The kustomizations that name it.
    pub parents: Vec<NodeId>,
    /// Whether what it does is told by its namespace and its entries alone.
    pub is_supported: bool,
    /// What reaches the files that it names.
    pub context: Context,
}

impl Node {
    /// The namespace it assigns.
    pub fn namespace(&self) -> Option<&Arc<str>> {
        self.record.parsed.as_ref().ok()?.namespace.as_ref()
    }
}

/// What the kustomizations above a file do to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// The distinct namespaces that reach it, each with the outermost kustomization that assigns it; four at most, which
    /// is enough to say that they are several.
    pub namespaces: Vec<(Arc<str>, NodeId)>,
    /// An unsupported kustomization above it: what reaches it is unknown.
    pub unsupported: Option<NodeId>,
    /// How many paths lead to it.
    pub paths: u64,
    /// Two of the kustomizations that begin to differ on those paths.
    pub forks: Vec<NodeId>,
}

/// A file that kustomizations reach.
#[derive(Debug, Clone, Default)]
pub struct Reached {
    /// The kustomizations that name it.
    pub named_by: Vec<NodeId>,
    /// What reaches it.
    pub context: Context,
}

/// The kustomizations of a folder. It has no cycle: entries that would close one are findings.
#[derive(Debug, Default)]
pub struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) by_directory: HashMap<FolderPath, NodeId>,
    /// Kustomizations that no other names, by directory.
    pub(crate) roots: Vec<NodeId>,
    /// Every file that is reached.
    pub(crate) reached: BTreeMap<FolderPath, Reached>,
    /// What is wrong with the entries.
    pub(crate) findings: Vec<Finding>,
}

impl Graph {
    /// A kustomization.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The kustomizations that no other in the folder names, by path.
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// What reaches a file; `None` outside every graph.
    pub fn reached(&self, file: &FolderPath) -> Option<&Reached> {
        self.reached.get(file)
    }

    /// The path of a kustomization file.
    pub fn path(&self, id: NodeId) -> &FolderPath {
        &self.node(id).record.path
    }

    /// The kustomization that stands nearest to `directory`, on it or above it.
    pub fn nearest(&self, directory: &FolderPath) -> Option<NodeId> {
        let mut directory = directory.clone();
        loop {
            if let Some(id) = self.by_directory.get(&directory) {
                return Some(*id);
            }
            if directory.is_root() {
                return None;
            }
            directory = directory.parent();
        }
    }
}
