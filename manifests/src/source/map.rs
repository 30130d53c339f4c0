use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Entry, EntryKind, Source, SourceError};
use crate::path::FolderPath;

/// A folder held in memory: a checkout-free view of a Git tree, a test, or a tree about to be written.
#[derive(Debug, Clone, Default)]
pub struct MapSource {
    files: BTreeMap<FolderPath, Arc<[u8]>>,
    symlinks: BTreeSet<FolderPath>,
    /// Every directory that a file or symlink implies.
    directories: BTreeMap<FolderPath, BTreeMap<String, EntryKind>>,
}

impl MapSource {
    /// A folder of these files; directories follow from the paths.
    pub fn new(files: impl IntoIterator<Item = (FolderPath, Arc<[u8]>)>) -> Self {
        let mut source = Self::default();
        for (path, bytes) in files {
            source.insert(path, bytes);
        }
        source
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, path: FolderPath, bytes: impl Into<Arc<[u8]>>) {
        self.register(&path, EntryKind::File);
        self.files.insert(path, bytes.into());
    }

    /// Adds a symlink; where it points does not matter, since it is never followed.
    pub fn insert_symlink(&mut self, path: FolderPath) {
        self.register(&path, EntryKind::Symlink);
        self.symlinks.insert(path);
    }

    /// Removes a file; directories stay until the source is built anew.
    pub fn remove(&mut self, path: &FolderPath) {
        self.files.remove(path);
        if let Some(entries) = self.directories.get_mut(&path.parent()) {
            entries.remove(path.name());
        }
    }

    /// The files, by path.
    pub fn files(&self) -> &BTreeMap<FolderPath, Arc<[u8]>> {
        &self.files
    }

    fn register(&mut self, path: &FolderPath, kind: EntryKind) {
        let (mut child, mut kind) = (path.clone(), kind);
        while !child.is_root() {
            let parent = child.parent();
            self.directories.entry(parent.clone()).or_default().insert(child.name().to_owned(), kind);
            (child, kind) = (parent, EntryKind::Directory);
        }
    }
}

impl Source for MapSource {
    fn list(&self, directory: &FolderPath) -> Result<Vec<Entry>, SourceError> {
        match self.directories.get(directory) {
            Some(entries) => Ok(entries.iter().map(|(name, kind)| Entry { name: name.clone(), kind: *kind }).collect()),
            None if directory.is_root() => Ok(Vec::new()),
            None => Err(SourceError::Gone),
        }
    }

    fn read(&self, file: &FolderPath, limit: u64) -> Result<Vec<u8>, SourceError> {
        match self.files.get(file) {
            Some(bytes) if bytes.len() as u64 > limit => Err(SourceError::TooLarge { limit }),
            Some(bytes) => Ok(bytes.to_vec()),
            None if self.symlinks.contains(file) => Err(SourceError::Symlink),
            None => Err(SourceError::Gone),
        }
    }

    fn kind(&self, path: &FolderPath) -> Result<Option<EntryKind>, SourceError> {
        let mut above = path.parent();
        while !above.is_root() {
            if self.symlinks.contains(&above) {
                return Err(SourceError::Symlink);
            }
            above = above.parent();
        }
        if self.files.contains_key(path) {
            return Ok(Some(EntryKind::File));
        }
        if self.symlinks.contains(path) {
            return Ok(Some(EntryKind::Symlink));
        }
        Ok((path.is_root() || self.directories.contains_key(path)).then_some(EntryKind::Directory))
    }
}
