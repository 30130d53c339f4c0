//! Where the bytes of a folder come from: a directory, a map, or (by the caller) a Git tree.

mod dir;
mod map;

pub use dir::DirSource;
pub(crate) use dir::{explain, open_directory};
pub use map::MapSource;

use crate::path::FolderPath;

/// What a directory holds under one name. Symlinks are told, never followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, wherever it points.
    Symlink,
    /// A socket, a device, a submodule: nothing that can be read as a file.
    Other,
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name, exactly as stored.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
}

/// Why a path could not be read. Each is a refusal of the folder, naming the path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// Nothing is there, or what was listed is gone.
    #[error("it vanished while the folder was read; try again once nothing else writes to the folder")]
    Gone,
    /// The process may not read it.
    #[error("permission denied; let this process read it, or move it out of the folder")]
    Denied,
    /// A symlink, or a path through one.
    #[error("it is a symlink, which is never followed; put the file itself here")]
    Symlink,
    /// It is bigger than what the caller is ready to hold.
    #[error("it is larger than {limit} bytes; split it, or move it out of the folder")]
    TooLarge {
        /// The limit that was passed to [`Source::read`].
        limit: u64,
    },
    /// A name that is no UTF-8, or that cannot be part of a path.
    #[error("the name {shown} cannot be part of a path here; rename it")]
    Name {
        /// The name with its odd bytes replaced.
        shown: String,
    },
    /// Anything else that the system said.
    #[error("it cannot be read: {0}; repair the disk or the checkout")]
    Io(String),
}

/// A tree of files. Implementations list and read; they decide nothing.
pub trait Source {
    /// The entries of a directory, in any order.
    ///
    /// # Errors
    /// [`SourceError`] where the directory cannot be listed.
    fn list(&self, directory: &FolderPath) -> Result<Vec<Entry>, SourceError>;

    /// The bytes of a file, `limit` at most.
    ///
    /// # Errors
    /// [`SourceError`] where the file cannot be read whole within the limit.
    fn read(&self, file: &FolderPath, limit: u64) -> Result<Vec<u8>, SourceError>;

    /// What is at `path`, or `None` where nothing is. Neither the path nor a directory above it may be a symlink.
    ///
    /// # Errors
    /// [`SourceError`] where that cannot be told.
    fn kind(&self, path: &FolderPath) -> Result<Option<EntryKind>, SourceError>;
}
