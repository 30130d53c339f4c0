use super::{Context, Edge, Graph, NodeId};
use crate::verdict::Reason;

/// How many distinct namespaces of one file are told apart.
const MAX_NAMESPACES: usize = 4;

impl Context {
    /// Adds what reaches a file by one more way, which begins at `fork`.
    fn merge(&mut self, other: &Self, fork: NodeId) {
        for (namespace, source) in &other.namespaces {
            let is_known = self.namespaces.iter().any(|(known, _)| known == namespace);
            if !is_known && self.namespaces.len() < MAX_NAMESPACES {
                self.namespaces.push((namespace.clone(), *source));
            }
        }
        self.unsupported = self.unsupported.or(other.unsupported);
        self.paths = self.paths.saturating_add(other.paths);
        if self.forks.len() < 2 {
            self.forks.push(fork);
        }
    }
}

impl Graph {
    /// Lets namespaces flow from each kustomization that assigns one to everything it reaches (F12).
    pub(super) fn attribute(&mut self) {
        for id in self.top_down() {
            let index = id.0 as usize;
            let mut context = Context::default();
            for parent in self.nodes[index].parents.clone() {
                context.merge(&self.node(parent).context, parent);
            }
            if context.paths == 0 {
                context.paths = 1;
            }
            if context.forks.len() > 1 {
                self.reached_twice(id, &context);
            }
            self.nested(id, &context);
            let node = &mut self.nodes[index];
            if !node.is_supported {
                context.unsupported = context.unsupported.or(Some(id));
            }
            if let Some(namespace) = node.namespace()
                && context.namespaces.iter().all(|(known, _)| known != namespace)
            {
                context.namespaces.push((namespace.clone(), id));
            }
            node.context = context;
            for edge in self.nodes[index].edges.clone() {
                if let Edge::File(path) = edge {
                    let reached = self.reached.entry(path).or_default();
                    reached.named_by.push(id);
                    reached.context.merge(&self.nodes[index].context, id);
                }
            }
        }
        let twice: Vec<_> = self.reached.iter().filter(|(_, reached)| reached.named_by.len() > 1).collect();
        let found: Vec<_> = twice
            .into_iter()
            .map(|(path, reached)| {
                let mut both: Vec<_> = reached.named_by.iter().take(2).map(|id| self.path(*id).clone()).collect();
                both.sort();
                (path.clone(), format!("it is reached through {} and through {}", both[0], both[1]))
            })
            .collect();
        for (path, what) in found {
            self.find(
                &path,
                Reason::ReachedTwice,
                what,
                "name it in one kustomization only: one document is one live object",
            );
        }
    }

    /// A kustomization that two others name (F14).
    fn reached_twice(&mut self, id: NodeId, context: &Context) {
        let mut both: Vec<_> = context.forks.iter().map(|fork| self.path(*fork).clone()).collect();
        both.sort();
        let what = format!("what it names is reached through {} and through {}", both[0], both[1]);
        let path = self.path(id).clone();
        self.find(&path, Reason::ReachedTwice, what, "give each a copy of its own: one document is one live object");
    }

    /// A parent and a child that both assign a namespace (F22).
    fn nested(&mut self, id: NodeId, above: &Context) {
        let Some(own) = self.node(id).namespace().cloned() else { return };
        let path = self.path(id).clone();
        for (namespace, source) in above.namespaces.clone() {
            let parent = self.path(source).clone();
            if namespace == own {
                let what = format!("it assigns the namespace {own}, and so does {parent}, which reaches it");
                self.find(&path, Reason::Note, what, "one of the two is enough");
            } else {
                let what =
                    format!("it assigns the namespace {own}, and {parent}, which reaches it, assigns {namespace}");
                self.find(&path, Reason::AmbiguousNamespace, what, "keep one of the two namespaces");
            }
        }
    }
}
