//! Puts the documents of a root together as kustomize does, checking at each step that no two are one (F04).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::scope::is_cluster_scoped;
use crate::folder::Placed;
use crate::graph::{Edge, Graph, NodeId};
use crate::path::FolderPath;

/// A document on its way through kustomize.
pub(crate) struct Member<'d> {
    /// The document.
    pub(crate) index: usize,
    /// What the scan kept of it.
    pub(crate) placed: &'d Placed,
    /// The name; documents without one never get here.
    pub(crate) name: &'d str,
    /// Whether kustomize leaves it without a namespace.
    pub(crate) is_cluster: bool,
    /// The namespace it has now.
    pub(crate) namespace: Option<Arc<str>>,
    /// The namespace of the transformer that saw it; only documents that one saw can be named by others.
    pub(crate) assigned: Option<Arc<str>>,
}

impl Member<'_> {
    /// The namespace it had in its file, as kustomize compares namespaces.
    pub(crate) fn original(&self) -> &str {
        comparable(self.is_cluster, self.placed.record().namespace.as_deref())
    }

    /// The namespace it has now, as kustomize compares namespaces.
    pub(crate) fn current(&self) -> &str {
        comparable(self.is_cluster, self.namespace.as_deref())
    }
}

/// No namespace and `default` are one; cluster-scoped objects are apart from both.
fn comparable(is_cluster: bool, namespace: Option<&str>) -> &str {
    match namespace {
        _ if is_cluster => "",
        None => "default",
        Some(namespace) => namespace,
    }
}

/// Two documents that kustomize takes for one.
pub(crate) struct Collision {
    pub(crate) first: usize,
    pub(crate) second: usize,
    /// The namespace whose assignment makes them one.
    pub(crate) assigned: Option<Arc<str>>,
}

/// By apiVersion, kind, namespace and name, with the version: that is how kustomize tells them apart.
type Key<'d> = (&'d str, &'d str, Arc<str>, &'d str);

#[derive(Default)]
struct Heap<'d> {
    by_key: HashMap<Key<'d>, usize>,
    /// Members that no transformer saw yet.
    pending: Vec<usize>,
}

pub(crate) struct Accumulator<'d> {
    graph: &'d Graph,
    documents: &'d [Placed],
    ranges: &'d HashMap<FolderPath, Range<usize>>,
    pub(crate) members: Vec<Member<'d>>,
    pub(crate) collisions: Vec<Collision>,
    /// `default`, which is also no namespace.
    default: Arc<str>,
    /// What stands for the namespace of cluster-scoped objects.
    none: Arc<str>,
}

impl<'d> Accumulator<'d> {
    /// Nothing yet.
    pub(crate) fn new(
        graph: &'d Graph,
        documents: &'d [Placed],
        ranges: &'d HashMap<FolderPath, Range<usize>>,
    ) -> Self {
        let (members, collisions) = (Vec::new(), Vec::new());
        Self { graph, documents, ranges, members, collisions, default: "default".into(), none: "".into() }
    }

    /// Everything that a root names. Recursion is bounded: the graph cuts longer chains.
    pub(crate) fn root(&mut self, root: NodeId) {
        self.node(root);
    }

    fn node(&mut self, id: NodeId) -> Heap<'d> {
        let graph = self.graph;
        let node = graph.node(id);
        let mut heap = Heap::default();
        for edge in &node.edges {
            match edge {
                Edge::File(path) => self.file(path, &mut heap),
                Edge::Kustomization(child) => {
                    let below = self.node(*child);
                    self.merge(&mut heap, below);
                }
            }
        }
        if let Some(namespace) = node.namespace() {
            self.assign(&mut heap, namespace);
        }
        heap
    }

    fn file(&mut self, path: &FolderPath, heap: &mut Heap<'d>) {
        let documents = self.documents;
        for index in self.ranges.get(path).cloned().unwrap_or_default() {
            let placed = &documents[index];
            let record = placed.record();
            let Some(name) = record.name.as_deref() else { continue };
            let is_cluster = is_cluster_scoped(&record.api_version, &record.kind);
            let namespace = record.namespace.clone();
            self.members.push(Member { index, placed, name, is_cluster, namespace, assigned: None });
            heap.pending.push(self.members.len() - 1);
            self.insert(heap, self.members.len() - 1, None);
        }
    }

    fn key(&self, member: usize) -> Key<'d> {
        let member = &self.members[member];
        let record = member.placed.record();
        // Interning the few distinct namespaces would save little: keys are short-lived.
        let namespace = match &member.namespace {
            Some(namespace) if !member.is_cluster => namespace.clone(),
            None if !member.is_cluster => self.default.clone(),
            _ => self.none.clone(),
        };
        (&record.api_version, &record.kind, namespace, member.name)
    }

    fn insert(&mut self, heap: &mut Heap<'d>, member: usize, assigned: Option<&Arc<str>>) {
        if let Some(other) = heap.by_key.insert(self.key(member), member) {
            self.collisions.push(Collision {
                first: self.members[other].index,
                second: self.members[member].index,
                assigned: assigned.cloned(),
            });
        }
    }

    /// Adds one heap to another: the smaller to the larger, so that a long chain costs no more than its documents.
    fn merge(&mut self, heap: &mut Heap<'d>, mut other: Heap<'d>) {
        if heap.by_key.len() < other.by_key.len() {
            std::mem::swap(heap, &mut other);
        }
        heap.pending.append(&mut other.pending);
        for member in other.by_key.into_values() {
            self.insert(heap, member, None);
        }
    }

    /// What the namespace transformer does to everything below one kustomization.
    fn assign(&mut self, heap: &mut Heap<'d>, namespace: &Arc<str>) {
        for member in std::mem::take(&mut heap.pending) {
            let old = self.key(member);
            self.members[member].assigned = Some(namespace.clone());
            if self.members[member].is_cluster {
                continue;
            }
            if heap.by_key.get(&old) == Some(&member) {
                heap.by_key.remove(&old);
            }
            self.members[member].namespace = Some(namespace.clone());
            self.insert(heap, member, Some(namespace));
        }
    }
}
