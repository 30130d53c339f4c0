//! Writes a plan to disk (the only I/O beside [`crate::source`]): each file whole, by a temporary file and a rename, and
//! never through a symlink.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fchmod, fsync, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

use crate::path::FolderPath;
use crate::plan::{FileChange, Plan};
use crate::source::{SourceError, explain, open_directory};

/// Why a plan could not be written. Files named before this one in the plan's order may have been.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The folder cannot be opened.
    #[error("the folder cannot be opened: {0}")]
    Folder(io::Error),
    /// The file is not what it was when the folder was scanned. Nothing was written.
    #[error("{path}: it changed since the folder was read; read the folder again")]
    Changed {
        /// The file.
        path: FolderPath,
    },
    /// The file, or a directory above it, cannot be used.
    #[error("{path}: {source}")]
    Path {
        /// The file.
        path: FolderPath,
        /// Why.
        source: SourceError,
    },
    /// The system refused a write.
    #[error("{path}: {source}")]
    Write {
        /// The file.
        path: FolderPath,
        /// What the system said.
        source: io::Error,
    },
}

/// Writes the files of a plan below `root`. Before the first of them is touched, all are compared with what the plan was
/// made from.
///
/// # Errors
/// [`WriteError`], naming the file.
pub fn write(root: &Path, plan: &Plan) -> Result<(), WriteError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = openat(CWD, root, flags, Mode::empty()).map_err(|error| WriteError::Folder(error.into()))?;
    for (path, change) in &plan.files {
        compare(&root, path, change)?;
    }
    for (path, change) in &plan.files {
        match &change.after {
            Some(bytes) => replace(&root, path, bytes)?,
            None => remove(&root, path)?,
        }
    }
    Ok(())
}

fn path_error(path: &FolderPath) -> impl Fn(Errno) -> WriteError + '_ {
    move |error| WriteError::Path { path: path.clone(), source: explain(error) }
}

/// Opens the directory of a file; `None` where it is not there.
fn parent(root: &OwnedFd, path: &FolderPath) -> Result<Option<OwnedFd>, WriteError> {
    let mut current = root.try_clone().map_err(WriteError::Folder)?;
    for part in path.parent().components() {
        current = match open_directory(&current, part) {
            Ok(next) => next,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(path_error(path)(error)),
        };
    }
    Ok(Some(current))
}

/// Refuses a file that is not what the plan was made from.
fn compare(root: &OwnedFd, path: &FolderPath, change: &FileChange) -> Result<(), WriteError> {
    let changed = || WriteError::Changed { path: path.clone() };
    let Some(parent) = parent(root, path)? else {
        return if change.before.is_none() { Ok(()) } else { Err(changed()) };
    };
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match openat(&parent, path.name(), flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) if change.before.is_none() => return Ok(()),
        Err(Errno::NOENT) => return Err(changed()),
        Err(error) => return Err(path_error(path)(error)),
    };
    let Some(before) = &change.before else { return Err(changed()) };
    let mut now = Vec::with_capacity(before.len());
    let limit = before.len() as u64 + 1;
    file.take(limit).read_to_end(&mut now).map_err(|source| WriteError::Write { path: path.clone(), source })?;
    if now == **before { Ok(()) } else { Err(changed()) }
}

fn replace(root: &OwnedFd, path: &FolderPath, bytes: &Arc<[u8]>) -> Result<(), WriteError> {
    let system = |error: Errno| WriteError::Write { path: path.clone(), source: error.into() };
    let mut directory = root.try_clone().map_err(WriteError::Folder)?;
    for part in path.parent().components() {
        directory = match open_directory(&directory, part) {
            Err(Errno::NOENT) => {
                mkdirat(&directory, part, Mode::from_raw_mode(0o777)).map_err(system)?;
                open_directory(&directory, part).map_err(path_error(path))?
            }
            other => other.map_err(path_error(path))?,
        };
    }
    let mode = match statat(&directory, path.name(), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
            Some(Mode::from_raw_mode(stat.st_mode))
        }
        Ok(_) => return Err(path_error(path)(Errno::LOOP)),
        Err(Errno::NOENT) => None,
        Err(error) => return Err(system(error)),
    };
    // One writer per folder: a fixed suffix is enough, and what a crash left behind is replaced.
    let temporary = format!(".{}.nsclass-tmp", path.name());
    match unlinkat(&directory, &*temporary, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(system(error)),
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(&directory, &*temporary, flags, Mode::from_raw_mode(0o666)).map_err(system)?);
    let written = (|| {
        file.write_all(bytes)?;
        if let Some(mode) = mode {
            fchmod(&file, mode)?;
        }
        fsync(&file)?;
        renameat(&directory, &*temporary, &directory, path.name())?;
        io::Result::Ok(())
    })();
    written.map_err(|source| {
        // The write failed; that the temporary file may stay too is the smaller news.
        let _ = unlinkat(&directory, &*temporary, AtFlags::empty());
        WriteError::Write { path: path.clone(), source }
    })
}

fn remove(root: &OwnedFd, path: &FolderPath) -> Result<(), WriteError> {
    let Some(directory) = parent(root, path)? else { return Ok(()) };
    unlinkat(&directory, path.name(), AtFlags::empty())
        .map_err(|error| WriteError::Write { path: path.clone(), source: error.into() })
}
