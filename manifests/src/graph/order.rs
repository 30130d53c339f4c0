use std::collections::HashMap;

use super::{Edge, Graph, NodeId};
use crate::path::FolderPath;
use crate::verdict::Reason;

/// Longest chain of kustomizations naming one another.
const MAX_CHAIN: usize = 1_000;

/// The directories on the way from a root, and every directory above them: none of these may be named (kustomize takes
/// any of them for a cycle).
#[derive(Default)]
struct Above(HashMap<FolderPath, usize>);

impl Above {
    fn each(directory: &FolderPath, mut visit: impl FnMut(FolderPath)) {
        let mut directory = directory.clone();
        loop {
            visit(directory.clone());
            if directory.is_root() {
                break;
            }
            directory = directory.parent();
        }
    }

    fn enter(&mut self, directory: &FolderPath) {
        Self::each(directory, |above| *self.0.entry(above).or_default() += 1);
    }

    fn leave(&mut self, directory: &FolderPath) {
        Self::each(directory, |above| {
            if let Some(count) = self.0.get_mut(&above) {
                *count -= 1;
                if *count == 0 {
                    self.0.remove(&above);
                }
            }
        });
    }
}

impl Graph {
    /// Removes the edges that lead back or up, each with a finding, and notes who names whom.
    pub(super) fn drop_cycles(&mut self) {
        let mut named = vec![false; self.nodes.len()];
        for edge in self.nodes.iter().flat_map(|node| &node.edges) {
            if let Edge::Kustomization(id) = edge {
                named[id.0 as usize] = true;
            }
        }
        let mut visited = vec![false; self.nodes.len()];
        // Roots first; what is left after them is on a cycle that nothing leads into.
        for wanted in [false, true] {
            for index in 0..self.nodes.len() {
                if named[index] == wanted && !visited[index] {
                    self.visit(index, &mut visited);
                }
            }
        }
        for index in 0..self.nodes.len() {
            for edge in self.nodes[index].edges.clone() {
                if let Edge::Kustomization(id) = edge {
                    self.nodes[id.0 as usize].parents.push(node_id(index));
                }
            }
        }
        self.roots = (0..self.nodes.len()).filter(|index| self.nodes[*index].parents.is_empty()).map(node_id).collect();
    }

    /// Walks everything below one kustomization, with a stack of its own: chains may be long.
    fn visit(&mut self, start: usize, visited: &mut [bool]) {
        let mut above = Above::default();
        let mut stack = vec![(start, 0)];
        visited[start] = true;
        above.enter(&self.nodes[start].directory);
        while let Some((index, position)) = stack.last_mut() {
            let index = *index;
            let Some(edge) = self.nodes[index].edges.get(*position).cloned() else {
                above.leave(&self.nodes[index].directory);
                stack.pop();
                continue;
            };
            *position += 1;
            let Edge::Kustomization(id) = edge else { continue };
            let target = id.0 as usize;
            let directory = self.nodes[target].directory.clone();
            let is_above = above.0.contains_key(&directory);
            if is_above || stack.len() >= MAX_CHAIN {
                let path = self.nodes[index].record.path.clone();
                let (what, remedy) = if is_above {
                    (
                        format!("it names {directory}, which holds it or names it: a cycle"),
                        "name a directory that is neither above it nor on the way to it",
                    )
                } else {
                    (format!("it ends a chain of {MAX_CHAIN} kustomizations"), "name fewer of them one through another")
                };
                self.find(&path, Reason::InvalidEntry, what, remedy);
                self.nodes[index].edges.retain(|edge| *edge != Edge::Kustomization(id));
                if let Some((_, position)) = stack.last_mut() {
                    *position -= 1;
                }
            } else if !visited[target] {
                visited[target] = true;
                above.enter(&directory);
                stack.push((target, 0));
            }
        }
    }

    /// Every kustomization after all that name it.
    pub(super) fn top_down(&self) -> Vec<NodeId> {
        let mut waiting: Vec<usize> = self.nodes.iter().map(|node| node.parents.len()).collect();
        let mut ready: Vec<NodeId> = self.roots.clone();
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(id) = ready.pop() {
            order.push(id);
            for edge in &self.node(id).edges {
                if let Edge::Kustomization(child) = edge {
                    let left = &mut waiting[child.0 as usize];
                    *left -= 1;
                    if *left == 0 {
                        ready.push(*child);
                    }
                }
            }
        }
        order
    }
}

fn node_id(index: usize) -> NodeId {
    // invariant: `Graph::add` numbers nodes in u32, and a folder has fewer entries than that.
    NodeId(u32::try_from(index).unwrap_or(u32::MAX))
}
