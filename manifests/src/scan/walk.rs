use std::sync::Arc;

use super::Tree;
use super::ignores::{self, Ignores};
use crate::kustomization::{FILE_NAMES, KustomizationRecord, resolve};
use crate::limits::Limits;
use crate::path::FolderPath;
use crate::record::{FileRecord, Interner};
use crate::source::{Entry, EntryKind, Source, SourceError};
use crate::verdict::{Finding, Reason};

/// Reads a folder. It never fails: what cannot be read is a finding.
pub fn scan(source: &dyn Source, limits: &Limits) -> Tree {
    let mut walk =
        Walk { source, limits, tree: Tree::default(), interner: Interner::default(), bytes: 0, is_full: false };
    let mut pending = vec![(FolderPath::root(), 0, Ignores::default())];
    while let Some((directory, depth, ignores)) = pending.pop() {
        walk.directory(&directory, depth, ignores, &mut pending);
    }
    walk.follow_entries();
    walk.tree
}

struct Walk<'s> {
    source: &'s dyn Source,
    limits: &'s Limits,
    tree: Tree,
    interner: Interner,
    bytes: u64,
    /// A budget of the whole folder is spent; nothing more is read.
    is_full: bool,
}

impl Walk<'_> {
    fn find(&mut self, finding: Finding) {
        self.tree.findings.push(finding);
    }

    fn unreadable(&mut self, path: &FolderPath, error: &SourceError) {
        let reason = match error {
            SourceError::TooLarge { .. } => Reason::TooLarge,
            SourceError::Symlink => Reason::Symlink,
            _ => Reason::Unreadable,
        };
        let text = error.to_string();
        let (what, remedy) = text.split_once("; ").unwrap_or((&text, ""));
        self.find(Finding::new(path, reason, what, remedy));
    }

    fn full(&mut self, path: &FolderPath, what: String) {
        self.is_full = true;
        self.find(Finding::new(
            path,
            Reason::TooLarge,
            what,
            "narrow the target's path, or name other trees in .sourceignore",
        ));
    }

    /// Reads a directory, unless it is one that is left alone.
    fn directory(
        &mut self,
        directory: &FolderPath,
        depth: usize,
        mut ignores: Ignores,
        pending: &mut Vec<(FolderPath, usize, Ignores)>,
    ) {
        if self.is_full {
            return;
        }
        if depth > self.limits.depth {
            return self.full(directory, format!("directories are nested more than {} deep", self.limits.depth));
        }
        let mut entries = match self.source.list(directory) {
            Ok(entries) => entries,
            Err(error) => return self.unreadable(directory, &error),
        };
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        if entries.iter().any(|entry| entry.name == "Chart.yaml" && entry.kind != EntryKind::Directory) {
            return;
        }
        if entries.iter().any(|entry| entry.name == ignores::FILE_NAME && entry.kind == EntryKind::File) {
            ignores = self.ignores(directory, &ignores);
            self.tree.ignores.insert(directory.clone(), ignores.clone());
        }
        self.tree.walked.insert(directory.clone());
        for entry in entries {
            self.entry(directory, &entry, depth, &ignores, pending);
        }
    }

    fn entry(
        &mut self,
        directory: &FolderPath,
        entry: &Entry,
        depth: usize,
        ignores: &Ignores,
        pending: &mut Vec<(FolderPath, usize, Ignores)>,
    ) {
        if self.is_full {
            return;
        }
        let Ok(path) = directory.child(&entry.name) else {
            let error = SourceError::Name { shown: entry.name.escape_debug().to_string() };
            return self.unreadable(directory, &error);
        };
        if self.tree.listing.len() >= self.limits.entries {
            return self.full(&path, format!("the folder has more than {} files and directories", self.limits.entries));
        }
        self.tree.listing.insert(path.clone(), entry.kind);
        let is_directory = entry.kind == EntryKind::Directory;
        if ignores.ignores(&path, is_directory) {
            return;
        }
        match entry.kind {
            EntryKind::Directory if !entry.name.starts_with('.') => pending.push((path, depth + 1, ignores.clone())),
            EntryKind::File if FILE_NAMES.contains(&&*entry.name) => self.kustomization(path),
            // kustomize and Flux would follow it, so that it cannot just be overlooked.
            EntryKind::Symlink if FILE_NAMES.contains(&&*entry.name) || entry.name == ignores::FILE_NAME => {
                self.unreadable(&path, &SourceError::Symlink);
            }
            EntryKind::File if is_yaml(&entry.name) => self.file(path),
            _ => {}
        }
    }

    fn ignores(&mut self, directory: &FolderPath, above: &Ignores) -> Ignores {
        let Ok(path) = directory.child(ignores::FILE_NAME) else { return above.clone() };
        let Some(bytes) = self.read(&path) else { return above.clone() };
        let remedy = "write one pattern a line, as in .gitignore";
        let read = match std::str::from_utf8(&bytes) {
            Ok(text) => above.with(directory, text),
            Err(_) => Err("it is not UTF-8".to_owned()),
        };
        read.unwrap_or_else(|line| {
            self.find(Finding::new(&path, Reason::Unreadable, format!("{line:?} is no pattern"), remedy));
            above.clone()
        })
    }

    fn read(&mut self, path: &FolderPath) -> Option<Arc<[u8]>> {
        if self.is_full {
            return None;
        }
        match self.source.read(path, self.limits.file_bytes) {
            Ok(bytes) => {
                self.bytes += bytes.len() as u64;
                if self.bytes > self.limits.total_bytes {
                    self.full(
                        path,
                        format!("the folder holds more than {} bytes of manifests", self.limits.total_bytes),
                    );
                    return None;
                }
                Some(bytes.into())
            }
            Err(error) => {
                self.unreadable(path, &error);
                None
            }
        }
    }

    fn file(&mut self, path: FolderPath) {
        if let Some(bytes) = self.read(&path) {
            let record = FileRecord::read(path.clone(), bytes, &mut self.interner);
            self.tree.files.insert(path, Arc::new(record));
        }
    }

    fn kustomization(&mut self, path: FolderPath) {
        if let Some(bytes) = self.read(&path) {
            let directory = path.parent();
            let record = Arc::new(KustomizationRecord::new(path, bytes));
            self.tree.kustomizations.entry(directory).or_default().push(record);
        }
    }

    /// Looks at what the entries of kustomizations name and the walk did not read: files of other names, dot-directories
    /// and ignored trees.
    fn follow_entries(&mut self) {
        let mut pending: Vec<FolderPath> = self.tree.kustomizations.keys().cloned().collect();
        while let Some(directory) = pending.pop() {
            let records = self.tree.kustomizations.get(&directory).cloned().unwrap_or_default();
            let parsed = records.iter().filter_map(|record| record.parsed.as_ref().ok());
            let entries = parsed.flat_map(|parsed| parsed.resources.iter().chain(&parsed.bases));
            for path in entries.filter_map(|entry| resolve(&directory, entry).ok()) {
                match self.kind(&path) {
                    Some(EntryKind::File) if !self.is_read(&path) => self.file(path),
                    Some(EntryKind::Directory) => self.enter(&path, &mut pending),
                    _ => {}
                }
            }
        }
    }

    fn is_read(&self, path: &FolderPath) -> bool {
        self.tree.files.contains_key(path) || FILE_NAMES.contains(&path.name())
    }

    /// What is at a path that an entry names.
    fn kind(&mut self, path: &FolderPath) -> Option<EntryKind> {
        if path.is_root() {
            return Some(EntryKind::Directory);
        }
        if let Some(kind) = self.tree.listing.get(path) {
            return Some(*kind);
        }
        if self.tree.walked.contains(&path.parent()) || self.is_full {
            return None;
        }
        match self.source.kind(path) {
            Ok(kind) => kind.inspect(|kind| {
                self.tree.listing.insert(path.clone(), *kind);
            }),
            Err(error) => {
                self.unreadable(path, &error);
                None
            }
        }
    }

    /// Finds the kustomization of a directory that the walk did not enter.
    fn enter(&mut self, directory: &FolderPath, pending: &mut Vec<FolderPath>) {
        if self.tree.walked.contains(directory) || self.tree.kustomizations.contains_key(directory) {
            return;
        }
        for name in FILE_NAMES {
            let Ok(path) = directory.child(name) else { continue };
            match self.kind(&path) {
                Some(EntryKind::File) => self.kustomization(path),
                Some(EntryKind::Symlink) => self.unreadable(&path, &SourceError::Symlink),
                _ => {}
            }
        }
        if self.tree.kustomizations.contains_key(directory) {
            pending.push(directory.clone());
        }
    }
}

pub(super) fn is_yaml(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "yaml" | "yml"))
}
