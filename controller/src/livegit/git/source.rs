//! A folder of a commit, read out of the object store as the engine asks for it: no checkout (folders.md F56).

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout},
    sync::{Arc, Mutex, PoisonError},
};

use nsclass_manifests::{
    path::FolderPath,
    source::{Entry, EntryKind, Source, SourceError},
};

use super::Listing;

/// A listing with a `git cat-file --batch` behind it.
#[derive(Debug)]
pub struct GitSource {
    listing: Arc<Listing>,
    directories: BTreeMap<FolderPath, BTreeMap<String, EntryKind>>,
    objects: Mutex<Objects>,
}

#[derive(Debug)]
struct Objects {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The first thing that went wrong with the program: then nothing that was read counts.
    failed: Option<String>,
}

impl GitSource {
    /// Reads through `child`, whose standard input and output are pipes.
    ///
    /// # Errors
    /// They are not.
    pub(super) fn new(listing: Arc<Listing>, mut child: Child) -> io::Result<Self> {
        let pipe = || io::Error::other("git cat-file has no pipes");
        let requests = child.stdin.take().ok_or_else(pipe)?;
        let answers = BufReader::new(child.stdout.take().ok_or_else(pipe)?);
        let objects = Mutex::new(Objects { child, requests, answers, failed: None });
        Ok(Self { directories: directories(&listing), listing, objects })
    }

    /// Ends the program. What was read counts only where this is fine.
    ///
    /// # Errors
    /// What went wrong.
    pub(super) fn finish(self) -> Result<(), String> {
        let Objects { mut child, requests, answers, failed } =
            self.objects.into_inner().unwrap_or_else(PoisonError::into_inner);
        drop((requests, answers));
        let status = child.wait();
        match (failed, status) {
            (Some(failed), _) => Err(failed),
            (None, Ok(status)) if status.success() => Ok(()),
            (None, status) => Err(format!("git cat-file ended with {status:?}")),
        }
    }
}

/// What each directory holds; the files imply the directories.
fn directories(listing: &Listing) -> BTreeMap<FolderPath, BTreeMap<String, EntryKind>> {
    let mut directories: BTreeMap<FolderPath, BTreeMap<String, EntryKind>> = BTreeMap::new();
    for (path, node) in &listing.files {
        let (mut child, mut kind) = (path.clone(), node.kind());
        while !child.is_root() {
            let parent = child.parent();
            let is_known =
                directories.entry(parent.clone()).or_default().insert(child.name().to_owned(), kind).is_some();
            if is_known && kind == EntryKind::Directory {
                break;
            }
            (child, kind) = (parent, EntryKind::Directory);
        }
    }
    directories
}

impl Objects {
    fn read(&mut self, object: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        writeln!(self.requests, "{object}")?;
        self.requests.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        let size = head.trim_end().split(' ').nth(2).and_then(|size| size.parse::<u64>().ok());
        let size = size.ok_or_else(|| io::Error::other(format!("git cat-file answered {head:?}")))?;
        let mut bytes = Vec::new();
        if size > limit {
            io::copy(&mut (&mut self.answers).take(size + 1), &mut io::sink())?;
            return Ok(None);
        }
        (&mut self.answers).take(size + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != size + 1 {
            return Err(io::Error::other("git cat-file broke off"));
        }
        bytes.pop();
        Ok(Some(bytes))
    }
}

impl Source for GitSource {
    fn list(&self, directory: &FolderPath) -> Result<Vec<Entry>, SourceError> {
        if let Some(shown) = self.listing.odd.first().filter(|_| directory.is_root()) {
            return Err(SourceError::Name { shown: shown.clone() });
        }
        match self.directories.get(directory) {
            Some(entries) => Ok(entries.iter().map(|(name, kind)| Entry { name: name.clone(), kind: *kind }).collect()),
            None if directory.is_root() => Ok(Vec::new()),
            None => Err(SourceError::Gone),
        }
    }

    fn read(&self, file: &FolderPath, limit: u64) -> Result<Vec<u8>, SourceError> {
        let node = self.listing.files.get(file).ok_or(SourceError::Gone)?;
        match node.kind() {
            EntryKind::File => {}
            EntryKind::Symlink => return Err(SourceError::Symlink),
            _ => return Err(SourceError::Io("it is no regular file".to_owned())),
        }
        let mut objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        match objects.read(&node.object, limit) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(SourceError::TooLarge { limit }),
            Err(error) => {
                let text = error.to_string();
                objects.failed.get_or_insert_with(|| text.clone());
                Err(SourceError::Io(text))
            }
        }
    }

    fn kind(&self, path: &FolderPath) -> Result<Option<EntryKind>, SourceError> {
        let mut above = path.parent();
        while !above.is_root() {
            if self.listing.files.get(&above).is_some_and(|node| node.kind() == EntryKind::Symlink) {
                return Err(SourceError::Symlink);
            }
            above = above.parent();
        }
        if let Some(node) = self.listing.files.get(path) {
            return Ok(Some(node.kind()));
        }
        Ok((path.is_root() || self.directories.contains_key(path)).then_some(EntryKind::Directory))
    }
}
