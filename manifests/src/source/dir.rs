use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::{Entry, EntryKind, Source, SourceError};
use crate::path::FolderPath;

/// A folder on disk. Every access starts at the directory opened first and opens one component at a time without
/// following symlinks, so that a link swapped in while we read cannot lead outside.
#[derive(Debug)]
pub struct DirSource {
    root: OwnedFd,
}

impl DirSource {
    /// Opens the folder; `path` itself may be reached through symlinks, which are its owner's choice.
    ///
    /// # Errors
    /// What the system says, where there is no such directory or it may not be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let root = openat(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { root })
    }

    /// Opens a directory below the root.
    fn directory(&self, path: &FolderPath) -> Result<OwnedFd, SourceError> {
        let mut current = self.root.try_clone().map_err(|error| SourceError::Io(error.to_string()))?;
        for part in path.components() {
            current = open_directory(&current, part).map_err(explain)?;
        }
        Ok(current)
    }
}

/// Opens the directory `name` in `parent`, refusing a symlink.
pub(crate) fn open_directory(parent: &impl AsFd, name: &str) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(parent, name, flags, Mode::empty()).map_err(|error| {
        // With both flags the kernel says "not a directory" for a symlink; tell the two apart.
        let is_link = error == Errno::NOTDIR
            && statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
        if is_link { Errno::LOOP } else { error }
    })
}

/// The error of the system in our words.
pub(crate) fn explain(error: Errno) -> SourceError {
    match error {
        Errno::NOENT | Errno::NOTDIR => SourceError::Gone,
        Errno::ACCESS | Errno::PERM => SourceError::Denied,
        Errno::LOOP => SourceError::Symlink,
        error => SourceError::Io(io::Error::from(error).to_string()),
    }
}

impl Source for DirSource {
    fn list(&self, directory: &FolderPath) -> Result<Vec<Entry>, SourceError> {
        let fd = self.directory(directory)?;
        let mut entries = Vec::new();
        for entry in Dir::read_from(&fd).map_err(explain)? {
            let entry = entry.map_err(explain)?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let name = name
                .to_str()
                .map_err(|_| SourceError::Name { shown: name.to_string_lossy().escape_debug().to_string() })?;
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    let stat = statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW).map_err(explain)?;
                    FileType::from_raw_mode(stat.st_mode)
                }
                known => known,
            };
            entries.push(Entry { name: name.to_owned(), kind: entry_kind(kind) });
        }
        Ok(entries)
    }

    fn read(&self, file: &FolderPath, limit: u64) -> Result<Vec<u8>, SourceError> {
        let parent = self.directory(&file.parent())?;
        // NONBLOCK: a FIFO put where a file was listed must not hang the scan.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = openat(&parent, file.name(), flags, Mode::empty()).map_err(explain)?;
        let file = File::from(fd);
        let io = |error: io::Error| SourceError::Io(error.to_string());
        let metadata = file.metadata().map_err(io)?;
        if !metadata.is_file() {
            return Err(SourceError::Io("it is no regular file".to_owned()));
        }
        if metadata.len() > limit {
            return Err(SourceError::TooLarge { limit });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
        // One byte more than allowed: a file that grows while it is read is caught without holding it.
        file.take(limit + 1).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() as u64 > limit { Err(SourceError::TooLarge { limit }) } else { Ok(bytes) }
    }

    fn kind(&self, path: &FolderPath) -> Result<Option<EntryKind>, SourceError> {
        if path.is_root() {
            return Ok(Some(EntryKind::Directory));
        }
        let parent = match self.directory(&path.parent()) {
            Err(SourceError::Gone) => return Ok(None),
            other => other?,
        };
        match statat(&parent, path.name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(entry_kind(FileType::from_raw_mode(stat.st_mode)))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(explain(error)),
        }
    }
}

fn entry_kind(kind: FileType) -> EntryKind {
    match kind {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => EntryKind::Symlink,
        _ => EntryKind::Other,
    }
}
