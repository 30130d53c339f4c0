//! A kustomization file, read by an allow-list (folders.md F10, F11). It is context: read, never managed.

mod entry;
mod inert;
mod keys;
mod parse;

use std::sync::Arc;

pub use entry::{EntryError, resolve};
pub use parse::parse;

use crate::path::FolderPath;
use crate::record::Fault;

/// The names that make a file a kustomization, in the order in which kustomize tries them.
pub const FILE_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// What a kustomization says, within the supported subset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kustomization {
    /// The namespace that it assigns.
    pub namespace: Option<Arc<str>>,
    /// The entries of `resources` as written.
    pub resources: Vec<String>,
    /// The entries of `bases` as written; kustomize reads them after `resources`.
    pub bases: Vec<String>,
    /// Whether `resources` is a list, so that a line can be added to it.
    pub has_resources_list: bool,
    /// Keys outside the supported subset that have a value, as written.
    pub unsupported: Vec<String>,
}

/// A kustomization file of the folder.
#[derive(Debug)]
pub struct KustomizationRecord {
    /// The file.
    pub path: FolderPath,
    /// What it holds, byte for byte.
    pub bytes: Arc<[u8]>,
    /// What it says, or why it cannot be used.
    pub parsed: Result<Kustomization, Vec<Fault>>,
}

impl KustomizationRecord {
    /// Reads a kustomization file.
    pub fn new(path: FolderPath, bytes: Arc<[u8]>) -> Self {
        let parsed = parse(&bytes);
        Self { path, bytes, parsed }
    }

    /// The directory that the entries are relative to.
    pub fn directory(&self) -> FolderPath {
        self.path.parent()
    }

    /// Whether everything it says is supported.
    pub fn is_supported(&self) -> bool {
        self.parsed.as_ref().is_ok_and(|parsed| parsed.unsupported.is_empty())
    }
}
