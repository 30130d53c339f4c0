//! A directory of generated files against what is on disk.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::HEADER;

/// A file as it should be.
pub(crate) struct GeneratedFile {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Every generated file of one directory.
pub(crate) struct Tree<'a> {
    pub(crate) root: &'a Path,
    pub(crate) dir: &'static str,
    pub(crate) files: Vec<GeneratedFile>,
}

/// What is not as it should be; paths are from the root of the repository.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Missing(PathBuf),
    Differs(PathBuf),
    /// Generated once, and not any more.
    Stale(PathBuf),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "{}: new", path.display()),
            Self::Differs(path) => write!(f, "{}: changed", path.display()),
            Self::Stale(path) => write!(f, "{}: not generated any more", path.display()),
        }
    }
}

impl Tree<'_> {
    /// What `write` would do.
    pub(crate) fn changes(&self) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        for file in &self.files {
            let path = Path::new(self.dir).join(&file.name);
            match read(&self.root.join(&path))? {
                Some(there) if there == file.text => {}
                Some(_) => changes.push(Change::Differs(path)),
                None => changes.push(Change::Missing(path)),
            }
        }
        changes.extend(self.stale()?.into_iter().map(Change::Stale));
        Ok(changes)
    }

    /// Makes the directory what it should be, touching nothing that is right already.
    pub(crate) fn write(&self, changes: &[Change]) -> Result<()> {
        fs::create_dir_all(self.root.join(self.dir)).with_context(|| format!("{} cannot be made", self.dir))?;
        for change in changes {
            match change {
                Change::Missing(path) | Change::Differs(path) => {
                    let file = self.files.iter().find(|file| path.ends_with(&file.name));
                    let text = file.map_or("", |file| &file.text);
                    fs::write(self.root.join(path), text)
                        .with_context(|| format!("{} cannot be written", path.display()))?;
                }
                Change::Stale(path) => fs::remove_file(self.root.join(path))
                    .with_context(|| format!("{} cannot be removed", path.display()))?,
            }
        }
        Ok(())
    }

    /// Files with our header that no generator names. Others are somebody's own.
    fn stale(&self) -> Result<Vec<PathBuf>> {
        let dir = self.root.join(self.dir);
        if !dir.is_dir() {
            return Ok(Vec::new());
        }
        let mut stale = Vec::new();
        for entry in fs::read_dir(&dir).with_context(|| format!("{} cannot be listed", self.dir))? {
            let entry = entry?;
            let name = entry.file_name();
            let ours = self.files.iter().any(|file| name == *file.name);
            if !ours && entry.file_type()?.is_file() && is_generated(&entry.path())? {
                stale.push(Path::new(self.dir).join(name));
            }
        }
        stale.sort();
        Ok(stale)
    }
}

fn is_generated(path: &Path) -> Result<bool> {
    Ok(read(path)?.is_some_and(|text| text.lines().next().is_some_and(|line| line.contains(HEADER))))
}

fn read(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(root: &Path) -> Tree<'_> {
        let file = |name: &str| GeneratedFile { name: name.to_owned(), text: format!("# {HEADER}\n{name}\n") };
        Tree { root, dir: "out", files: vec![file("a.yaml"), file("b.yaml")] }
    }

    #[test]
    fn what_differs_is_named_and_after_a_write_nothing_differs() {
        let root = tempfile::tempdir().unwrap();
        let tree = tree(root.path());
        let missing = |name: &str| Change::Missing(PathBuf::from(format!("out/{name}")));
        assert_eq!(tree.changes().unwrap(), [missing("a.yaml"), missing("b.yaml")]);

        tree.write(&tree.changes().unwrap()).unwrap();
        assert_eq!(tree.changes().unwrap(), []);

        fs::write(root.path().join("out/b.yaml"), "edited by hand").unwrap();
        assert_eq!(tree.changes().unwrap(), [Change::Differs("out/b.yaml".into())]);
        tree.write(&tree.changes().unwrap()).unwrap();
        assert_eq!(tree.changes().unwrap(), []);
    }

    #[test]
    fn a_file_that_is_not_generated_any_more_goes_and_one_that_never_was_stays() {
        let root = tempfile::tempdir().unwrap();
        let tree = tree(root.path());
        tree.write(&tree.changes().unwrap()).unwrap();
        fs::write(root.path().join("out/old.yaml"), format!("# {HEADER}\n")).unwrap();
        fs::write(root.path().join("out/README.md"), "Why these are here.\n").unwrap();
        assert_eq!(tree.changes().unwrap(), [Change::Stale("out/old.yaml".into())]);
        tree.write(&tree.changes().unwrap()).unwrap();
        assert_eq!(tree.changes().unwrap(), []);
        assert!(root.path().join("out/README.md").is_file());
    }
}
