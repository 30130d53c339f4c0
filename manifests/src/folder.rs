//! A folder that was judged: its documents, the objects they are, and the verdict.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::Value;

use crate::graph::{Graph, NodeId};
use crate::identity::{Diagnostic, Identity, LiveId, NamespaceSource};
use crate::kinds::Kinds;
use crate::path::FolderPath;
use crate::record::{DocumentRecord, FileRecord};
use crate::render::{Rendered, Supplied, render};
use crate::scan::Tree;
use crate::verdict::Verdict;
use crate::yaml::{self, Document, Reader, ValueError};

/// What a target declares about its folder.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `spec.namespaceContext: {type: Fixed}`: the namespace of documents that nothing else gives one.
    pub fixed: Option<Arc<str>>,
    /// The rules bound to the target (F36).
    pub rules: Vec<BoundRule>,
    /// Where the folder is in its repository, for paths that Flux and Argo CD objects name.
    pub location: Option<FolderPath>,
}

/// A rule that selects live objects for the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundRule {
    /// What it is called, for messages.
    pub name: String,
    /// The namespaces that it selects; `None` for a cluster rule.
    pub namespaces: Option<Vec<Arc<str>>>,
}

/// A document in its folder.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Its file.
    pub file: Arc<FileRecord>,
    /// Its position among the file's documents.
    pub(crate) position: usize,
    /// The object it is in the cluster; `None` where it is none, or nobody can tell.
    pub live: Option<LiveId>,
    /// Where its namespace comes from.
    pub source: NamespaceSource,
    /// What a store should know.
    pub diagnostic: Option<Diagnostic>,
    /// The only kustomization that names it.
    pub named_by: Option<NodeId>,
}

impl Placed {
    /// What the scan kept of it.
    pub fn record(&self) -> &DocumentRecord {
        &self.file.documents()[self.position]
    }

    /// `path#document`.
    pub fn title(&self) -> String {
        format!("{}#{}", self.file.path, self.record().number)
    }

    /// The identity as written (F01); `None` for a document without a name.
    pub fn raw(&self) -> Option<Identity> {
        let record = self.record();
        Some(Identity {
            api_version: record.api_version.clone(),
            kind: record.kind.clone(),
            namespace: record.namespace.clone(),
            name: record.name.clone()?,
        })
    }

    /// The identity with the namespace that its context supplies; `None` where the document owns no live object.
    pub fn effective(&self) -> Option<Identity> {
        let live = self.live.as_ref()?;
        Some(Identity { namespace: live.namespace.clone(), ..self.raw()? })
    }
}

/// A judged folder.
#[derive(Debug, Clone)]
pub struct Folder {
    pub(crate) tree: Tree,
    pub(crate) graph: Arc<Graph>,
    pub(crate) documents: Vec<Placed>,
    /// Where the documents of each file begin and end in `documents`.
    pub(crate) ranges: Arc<HashMap<FolderPath, std::ops::Range<usize>>>,
    pub(crate) by_live: Arc<HashMap<LiveId, usize>>,
    /// Documents that kustomize leaves out, by the identity they would have (F18).
    pub(crate) locals: Arc<HashMap<LiveId, usize>>,
    /// What kustomize makes of each root.
    pub(crate) renders: Arc<Vec<Rendered>>,
    /// Where each document is in `renders`, if a kustomization reaches it.
    pub(crate) in_render: Arc<Vec<Option<(usize, usize)>>>,
    pub(crate) verdict: Arc<Verdict>,
    /// Whether a kind was unknown to a look-up that was not ready.
    pub(crate) is_provisional: bool,
}

impl Folder {
    /// The folder after `changes`: new bytes, or `None` for a file that is gone.
    ///
    /// Judging looks at records, never at bytes. Where the records of the changed files are equal to what they were (the
    /// same objects, naming the same others), the judgement stands and is shared; else everything is judged anew.
    #[must_use]
    pub fn with(
        &self,
        changes: &BTreeMap<FolderPath, Option<Arc<[u8]>>>,
        kinds: &dyn Kinds,
        options: &Options,
    ) -> Self {
        let tree = self.tree.with(changes.iter().map(|(path, bytes)| (path.clone(), bytes.clone())));
        let is_same = |path: &FolderPath| match (self.tree.files.get(path), tree.files.get(path)) {
            (Some(before), Some(after)) => before.content == after.content,
            _ => false,
        };
        if !changes.keys().all(is_same) {
            return crate::judge(tree, kinds, options);
        }
        let mut folder = Self { tree, ..self.clone() };
        for path in changes.keys() {
            let range = folder.ranges.get(path).cloned().unwrap_or_default();
            if let Some(file) = folder.tree.files.get(path) {
                folder.documents[range].iter_mut().for_each(|document| document.file = file.clone());
            }
        }
        folder
    }

    /// Whether both were judged once, so that everything but the bytes of equal records is the same.
    pub(crate) fn shares_judgement(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.by_live, &other.by_live)
    }

    /// The answer.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// What was read.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Who names whom.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Every document that holds an object, by path and number.
    pub fn documents(&self) -> &[Placed] {
        &self.documents
    }

    /// The document that is this live object.
    pub fn find(&self, live: &LiveId) -> Option<&Placed> {
        self.by_live.get(live).map(|index| &self.documents[*index])
    }

    /// What kustomize makes of each kustomization that no other names.
    pub fn renders(&self) -> &[Rendered] {
        &self.renders
    }

    /// What the context of a document supplies: its kustomizations, or the target's namespace context.
    pub fn supplied(&self, index: usize) -> Supplied {
        let rendered = self.in_render[index].map(|(render, position)| &self.renders[render].documents[position]);
        let mut supplied = rendered.map(|rendered| rendered.supplied.clone()).unwrap_or_default();
        let document = &self.documents[index];
        if document.source == NamespaceSource::Fixed {
            supplied.namespace = document.live.as_ref().and_then(|live| live.namespace.clone());
        }
        supplied
    }

    /// How a document is read: as kustomize does where a kustomization reaches it, else as the Kubernetes decoder does (F38).
    pub fn reader(&self, index: usize) -> Reader {
        if self.documents[index].named_by.is_some() { Reader::Kustomize } else { Reader::Kubernetes }
    }

    /// What every object of a file is once its context is applied, by position in [`Folder::documents`].
    ///
    /// # Errors
    /// A document that its reader refuses, by position, and why; a valid folder has none.
    pub fn values(&self, file: &FolderPath) -> Result<Vec<(usize, Value)>, (usize, ValueError)> {
        let range = self.ranges.get(file).cloned().unwrap_or_default();
        let Some(first) = self.documents.get(range.start).filter(|_| !range.is_empty()) else { return Ok(Vec::new()) };
        let Ok(parsed) = yaml::parse(&first.file.bytes) else { return Ok(Vec::new()) };
        let mut values = Vec::with_capacity(range.len());
        for index in range {
            let number = self.documents[index].record().number as usize;
            let Some(document) = parsed.documents.get(number - 1) else { continue };
            let value = self.value(index, document).map_err(|error| (index, error))?;
            values.push((index, value));
        }
        Ok(values)
    }

    /// What one parsed document is once its context is applied.
    pub(crate) fn value(&self, index: usize, document: &Document<'_>) -> Result<Value, ValueError> {
        let supplied = self.supplied(index);
        match self.reader(index) {
            Reader::Kustomize => render(document, &supplied),
            Reader::Kubernetes => {
                let mut value = document.to_value(Reader::Kubernetes)?;
                supplied.apply(&mut value);
                Ok(value)
            }
        }
    }

    /// The verdict to publish after `previous`: while discovery is down and kinds of the folder are unknown for that
    /// reason, the previous one stands (F23).
    pub fn settled(&self, previous: &Verdict) -> Verdict {
        let keeps = self.is_provisional && previous.validity() != crate::verdict::Validity::Unknown;
        if keeps { previous.clone() } else { Verdict::clone(&self.verdict) }
    }
}
