//! From a tree of files to records: which files are looked at (folders.md F09), and what is in them (F05-F07).

mod document;
mod file;
mod ignores;
mod oddities;
pub(crate) mod references;
mod special;
pub(crate) mod text;
mod walk;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

pub(crate) use file::parse as parse_file;
use ignores::Ignores;
pub use walk::scan;

use crate::kustomization::KustomizationRecord;
use crate::path::FolderPath;
use crate::record::{FileRecord, Interner};
use crate::source::EntryKind;
use crate::verdict::Finding;

/// A folder, read: every file that matters, what is in it, and what could not be read.
///
/// It says nothing of namespaces yet; that takes the kinds ([`crate::judge()`]). Cloning shares the records.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// What is where, for the entries of kustomizations: everything that was listed or asked for.
    pub(crate) listing: BTreeMap<FolderPath, EntryKind>,
    /// The files with YAML in them, kustomizations apart.
    pub(crate) files: BTreeMap<FolderPath, Arc<FileRecord>>,
    /// The kustomizations, by directory; several files in one directory are one fault.
    pub(crate) kustomizations: BTreeMap<FolderPath, Vec<Arc<KustomizationRecord>>>,
    /// Directories whose every entry was looked at: not those of charts, and not those that are ignored.
    walked: HashSet<FolderPath>,
    /// The `.sourceignore` patterns that apply in a directory that has some of its own.
    ignores: BTreeMap<FolderPath, Ignores>,
    /// What could not be read.
    pub(crate) findings: Vec<Finding>,
}

impl Tree {
    /// The files that were read, kustomizations apart.
    pub fn files(&self) -> impl Iterator<Item = &Arc<FileRecord>> {
        self.files.values()
    }

    /// The bytes of a file that was read, a kustomization too.
    pub fn bytes_of(&self, path: &FolderPath) -> Option<Arc<[u8]>> {
        if let Some(file) = self.files.get(path) {
            return Some(file.bytes.clone());
        }
        let records = self.kustomizations.get(&path.parent())?;
        records.iter().find(|record| record.path == *path).map(|record| record.bytes.clone())
    }

    /// The kinds that CRDs in the folder define.
    pub fn definitions(&self) -> impl Iterator<Item = &crate::record::Definition> {
        let documents = self.files.values().flat_map(|file| file.documents());
        documents.filter_map(|document| document.extra()?.defines.as_ref())
    }

    /// The sum of the sizes of the files that were read, in bytes.
    pub fn bytes(&self) -> usize {
        let files: usize = self.files.values().map(|file| file.bytes.len()).sum();
        let kustomizations: usize = self.kustomizations.values().flatten().map(|file| file.bytes.len()).sum();
        files + kustomizations
    }

    /// The tree after `changes`: new bytes, or `None` for a file that is gone. What did not change is shared.
    #[must_use]
    pub fn with(&self, changes: impl IntoIterator<Item = (FolderPath, Option<Arc<[u8]>>)>) -> Self {
        let mut tree = self.clone();
        let mut interner = Interner::default();
        for (path, bytes) in changes {
            let is_kustomization = crate::kustomization::FILE_NAMES.contains(&path.name());
            let directory = path.parent();
            if is_kustomization && let Some(records) = tree.kustomizations.get_mut(&directory) {
                records.retain(|record| record.path != path);
                if records.is_empty() {
                    tree.kustomizations.remove(&directory);
                }
            }
            let Some(bytes) = bytes else {
                tree.files.remove(&path);
                tree.listing.remove(&path);
                continue;
            };
            tree.list(&path);
            if is_kustomization {
                let record = Arc::new(KustomizationRecord::new(path, bytes));
                tree.kustomizations.entry(directory).or_default().push(record);
            } else {
                let record = FileRecord::read(path.clone(), bytes, &mut interner);
                tree.files.insert(path, Arc::new(record));
            }
        }
        tree
    }

    /// Whether a scan would find a new file there.
    pub(crate) fn would_scan(&self, path: &FolderPath) -> bool {
        let mut ignores = Ignores::default();
        let mut at = FolderPath::root();
        for part in path.components() {
            if let Some(nearer) = self.ignores.get(&at) {
                ignores = nearer.clone();
            }
            let is_unread = match self.listing.get(&at) {
                Some(EntryKind::Directory) => !self.walked.contains(&at),
                Some(_) => true,
                None => false,
            };
            let Ok(next) = at.child(part) else { return false };
            let is_file = next == *path;
            if is_unread || ignores.ignores(&next, !is_file) || (!is_file && part.starts_with('.')) {
                return false;
            }
            at = next;
        }
        walk::is_yaml(path.name())
    }

    /// Notes a file and the directories above it.
    fn list(&mut self, path: &FolderPath) {
        self.listing.insert(path.clone(), EntryKind::File);
        let mut above = path.parent();
        while !above.is_root() {
            if self.listing.insert(above.clone(), EntryKind::Directory).is_none() {
                self.walked.insert(above.clone());
            }
            above = above.parent();
        }
    }
}
