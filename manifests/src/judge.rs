//! From a tree to a verdict: an ordered list of rules, each of which adds what it finds (folders.md F20).

mod appliers;
mod context;
mod faults;
mod live;
mod namespaces;
mod renders;
mod scopes;
mod substitutions;

use std::collections::HashMap;
use std::sync::Arc;

use crate::folder::{Folder, Options};
use crate::graph::{Graph, Reached};
use crate::kinds::Kinds;
use crate::path::FolderPath;
use crate::record::FileRecord;
use crate::scan::Tree;
use crate::verdict::{Finding, Reason, Verdict};

/// Judges a folder: who its documents are, and whether everything in it is explained.
pub fn judge(tree: Tree, kinds: &dyn Kinds, options: &Options) -> Folder {
    let graph = Graph::build(&tree);
    let mut case = Case { graph: &graph, kinds, options, tree: &tree, findings: Vec::new() };
    case.findings.extend(tree.findings.iter().cloned());
    case.findings.extend(graph.findings.iter().cloned());
    faults::judge(&mut case);
    let namespaces::Decided { documents, locals, is_provisional } = namespaces::judge(&mut case);
    context::judge(&mut case, &documents);
    scopes::judge(&mut case, &documents);
    let by_live = live::judge(&mut case, &documents);
    appliers::judge(&mut case, &documents);
    substitutions::judge(&mut case, &documents);
    let ranges = ranges(&documents);
    let renders = renders::judge(&mut case, &documents, &ranges);
    let verdict = Verdict::new(case.findings);
    let mut in_render = vec![None; documents.len()];
    for (render, rendered) in renders.iter().enumerate() {
        for (position, document) in rendered.documents.iter().enumerate() {
            in_render[document.index] = Some((render, position));
        }
    }
    Folder {
        tree,
        graph: Arc::new(graph),
        documents,
        ranges: Arc::new(ranges),
        by_live: Arc::new(by_live),
        locals: Arc::new(locals),
        renders: Arc::new(renders),
        in_render: Arc::new(in_render),
        verdict: Arc::new(verdict),
        is_provisional,
    }
}

/// Where the documents of each file stand; documents come by file.
fn ranges(documents: &[crate::folder::Placed]) -> HashMap<FolderPath, std::ops::Range<usize>> {
    let mut ranges: HashMap<FolderPath, std::ops::Range<usize>> = HashMap::new();
    for (index, document) in documents.iter().enumerate() {
        match ranges.get_mut(&document.file.path) {
            Some(range) => range.end = index + 1,
            None => {
                ranges.insert(document.file.path.clone(), index..index + 1);
            }
        }
    }
    ranges
}

/// What every rule sees, and where it puts what it finds.
struct Case<'c> {
    tree: &'c Tree,
    graph: &'c Graph,
    kinds: &'c dyn Kinds,
    options: &'c Options,
    findings: Vec<Finding>,
}

impl Case<'_> {
    fn find(
        &mut self,
        path: &FolderPath,
        document: u32,
        reason: Reason,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.findings.push(Finding::new(path, reason, what, remedy).in_document(document));
    }

    fn reached(&self, file: &FileRecord) -> Option<&Reached> {
        self.graph.reached(&file.path)
    }
}
