//! Paths inside a folder: relative, normal, and unable to point outside of it.

use std::fmt;
use std::sync::Arc;

/// Longest path that is looked at, in bytes; what a file system could hold beyond it is refused.
pub const MAX_PATH_BYTES: usize = 1024;

/// A file or directory of a folder, as `a/b.yaml`. The folder itself is the empty path.
///
/// No component is empty, `.` or `..`, so joining one to the folder's root never leaves it (symlinks are the source's concern).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FolderPath(Arc<str>);

/// Why a text is no path within a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It starts at the root of the file system.
    #[error("the path is absolute")]
    Absolute,
    /// Its `..` climb above the folder.
    #[error("the path leaves the folder")]
    Leaves,
    /// It holds a NUL byte, a control character or a backslash, or is longer than [`MAX_PATH_BYTES`].
    #[error("the path is too long, or holds a backslash or a control character")]
    Odd,
}

impl FolderPath {
    /// The folder itself.
    pub fn root() -> Self {
        Self(Arc::from(""))
    }

    /// A path written from the folder's root; `.` and `..` are resolved.
    ///
    /// # Errors
    /// [`PathError`] where the text does not stay within the folder.
    pub fn new(text: &str) -> Result<Self, PathError> {
        Self::root().join(text)
    }

    /// `text`, as written in a file of the directory `self`, with `.` and `..` resolved by text alone.
    ///
    /// # Errors
    /// [`PathError`] where the text does not stay within the folder.
    pub fn join(&self, text: &str) -> Result<Self, PathError> {
        if text.starts_with('/') {
            return Err(PathError::Absolute);
        }
        if text.chars().any(|c| c == '\\' || c.is_control()) {
            return Err(PathError::Odd);
        }
        let mut parts: Vec<&str> = self.components().collect();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop().ok_or(PathError::Leaves)?;
                }
                part => parts.push(part),
            }
        }
        let joined = parts.join("/");
        if joined.len() > MAX_PATH_BYTES { Err(PathError::Odd) } else { Ok(Self(joined.into())) }
    }

    /// The entry `name` of the directory `self`, where the name comes from a listing.
    ///
    /// # Errors
    /// [`PathError::Odd`] where the name is no single component that can be told in words.
    pub fn child(&self, name: &str) -> Result<Self, PathError> {
        match name {
            "" | "." | ".." => Err(PathError::Odd),
            name if name.contains('/') => Err(PathError::Odd),
            name => self.join(name),
        }
    }

    /// The path as text, `""` for the folder itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the folder itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The components, from the top.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }

    /// The last component, `""` for the folder itself.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The directory that holds this path; the folder holds itself.
    #[must_use]
    pub fn parent(&self) -> Self {
        self.0.rsplit_once('/').map_or_else(Self::root, |(parent, _)| Self(parent.into()))
    }

    /// Whether `self` is `directory` or lies below it.
    pub fn is_within(&self, directory: &Self) -> bool {
        directory.is_root()
            || self.0.strip_prefix(&*directory.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// How a file of the directory `from` would name `self`, if it lies in or below that directory.
    pub fn below(&self, from: &Self) -> Option<&str> {
        if from.is_root() {
            return Some(&self.0);
        }
        self.0.strip_prefix(&*from.0)?.strip_prefix('/')
    }
}

impl fmt::Display for FolderPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root() { "." } else { &self.0 })
    }
}

impl fmt::Debug for FolderPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::{FolderPath, PathError};

    #[test]
    fn dots_are_resolved_by_text_and_never_leave_the_folder() {
        let dir = FolderPath::new("apps/web").unwrap();
        assert_eq!(dir.join("../base/./x.yaml").unwrap().as_str(), "apps/base/x.yaml");
        assert_eq!(dir.join("../..").unwrap(), FolderPath::root());
        assert_eq!(dir.join("../../.."), Err(PathError::Leaves));
        assert_eq!(dir.join("a/../../../../b"), Err(PathError::Leaves));
        assert_eq!(dir.join("/etc/passwd"), Err(PathError::Absolute));
        assert_eq!(dir.join("a\\b"), Err(PathError::Odd));
        assert_eq!(dir.join("a\0b"), Err(PathError::Odd));
        assert_eq!(dir.child("a/b"), Err(PathError::Odd));
    }

    #[test]
    fn a_directory_contains_whole_components_only() {
        let dir = FolderPath::new("apps/web").unwrap();
        assert!(FolderPath::new("apps/web/x").unwrap().is_within(&dir));
        assert!(!FolderPath::new("apps/website").unwrap().is_within(&dir));
        assert_eq!(FolderPath::new("apps/web/a/x").unwrap().below(&dir), Some("a/x"));
        assert_eq!(FolderPath::new("apps/website/x").unwrap().below(&dir), None);
    }
}
