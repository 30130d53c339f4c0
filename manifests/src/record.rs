//! What is kept of a file after it was parsed: enough to judge the folder and to tell what kustomize would make of it, without the tree.

use std::collections::HashSet;
use std::sync::Arc;

use crate::path::FolderPath;
use crate::render::FieldPath;
use crate::verdict::Reason;

/// One file. It is shared between a folder and the folder that an edit of another file leads to.
#[derive(Debug)]
pub struct FileRecord {
    /// Where it is.
    pub path: FolderPath,
    /// What it holds, byte for byte.
    pub bytes: Arc<[u8]>,
    /// What was found in it.
    pub content: FileContent,
}

/// What a file holds.
#[derive(Debug, PartialEq, Eq)]
pub enum FileContent {
    /// No document has apiVersion and kind: a file of another tool, left alone outside every graph.
    Foreign,
    /// Objects and empty documents.
    Objects(Vec<DocumentRecord>),
    /// It cannot be used, wherever it is.
    Faulty(Vec<Fault>),
}

/// Where a fault matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Wherever the document is.
    Always,
    /// Where a kustomization reaches the document (F19).
    InGraph,
    /// Where none does.
    OutsideGraph,
    /// Where a kustomization assigns a namespace to the document (F17).
    UnderNamespace,
}

/// Something wrong with a document or a file, before it is known who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where it matters.
    pub when: When,
    /// The document, from 1; `None` for the whole file.
    pub document: Option<u32>,
    /// The kind of fault.
    pub reason: Reason,
    /// What is wrong.
    pub what: String,
    /// What to change.
    pub remedy: String,
}

/// One document that holds something.
#[derive(Debug, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Its number in the file, from 1, counting empty documents.
    pub number: u32,
    /// apiVersion as written.
    pub api_version: Arc<str>,
    /// The API group of `api_version`.
    pub group: Arc<str>,
    /// kind as written.
    pub kind: Arc<str>,
    /// metadata.name as written; `None` with `generateName`, and in documents with faults.
    pub name: Option<Arc<str>>,
    /// metadata.namespace as written; `None` where it is absent, null or empty (F05).
    pub namespace: Option<Arc<str>>,
    /// Whether kustomize leaves it out of its output (F18).
    pub is_local: bool,
    /// What few documents have.
    pub extra: Option<Box<Extra>>,
}

/// Properties that few documents have.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// Whether its values are encrypted.
    pub is_encrypted: bool,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
    /// Fields beside `metadata.namespace` that kustomize sets to the assigned namespace (F17).
    pub supplied: Vec<FieldPath>,
    /// Mappings that name another object, in the order in which kustomize looks at them (F17).
    pub references: Vec<Reference>,
    /// Fields that hold `${NAME}` (F42).
    pub substituted: Vec<String>,
    /// What a custom resource definition defines.
    pub defines: Option<Definition>,
    /// A Flux Kustomization or an Argo CD Application (F24).
    pub applies: Option<Applier>,
}

/// A mapping with a name, and maybe a namespace, that kustomize completes from the object it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Where the mapping is.
    pub at: FieldPath,
    /// Which kinds it can name; a position in the table of field specifications.
    pub rule: usize,
    /// The name it holds.
    pub name: Arc<str>,
    /// The namespace it holds; the empty text where it is written and empty.
    pub namespace: Option<Arc<str>>,
    /// The kind it names, where it says so.
    pub kind: Option<Arc<str>>,
}

/// A kind that a CRD in the folder defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The API group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The resource.
    pub resource: String,
    /// Whether its objects live in a namespace.
    pub scope: crate::kinds::Scope,
}

/// An object that makes another controller apply a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applier {
    /// What it is, in words.
    pub what: &'static str,
    /// The directories it applies, as written, from the repository's root.
    pub paths: Vec<String>,
    /// The namespace it applies them to, and the field that says so.
    pub namespace: Option<(&'static str, String)>,
    /// Fields that change the manifests on their way to the cluster.
    pub changes: Vec<&'static str>,
    /// Fields that substitute variables.
    pub substitutes: Vec<&'static str>,
}

impl FileRecord {
    /// The documents that hold an object.
    pub fn documents(&self) -> &[DocumentRecord] {
        if let FileContent::Objects(documents) = &self.content { documents } else { &[] }
    }

    /// The document of that number.
    pub fn document(&self, number: u32) -> Option<&DocumentRecord> {
        self.documents().iter().find(|document| document.number == number)
    }
}

impl DocumentRecord {
    /// What few documents have, if this one has it.
    pub fn extra(&self) -> Option<&Extra> {
        self.extra.as_deref()
    }

    /// Whether its values are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.extra().is_some_and(|extra| extra.is_encrypted)
    }

    /// `Kind name`, for messages.
    pub fn title(&self) -> String {
        format!("{} {}", self.kind, self.name.as_deref().unwrap_or("without a name"))
    }
}

/// Keeps one copy of each apiVersion, kind and namespace: a folder has thousands of documents and a handful of those.
#[derive(Debug, Default)]
pub struct Interner(HashSet<Arc<str>>);

impl Interner {
    /// The shared copy of `text`.
    pub fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let text: Arc<str> = text.into();
        self.0.insert(text.clone());
        text
    }
}
