//! Somebody with a clone, who edits and pushes.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::Origin;
use super::origin::git;
use crate::process::ScratchDir;

/// A person at their desk. The clone is gone with this value.
#[derive(Debug)]
pub struct Person {
    dir: ScratchDir,
}

impl Person {
    pub(super) fn new(origin: &Origin, name: &str) -> Result<Self> {
        let person = Self { dir: ScratchDir::new("nsclass-person-")? };
        let (from, to) = (origin.path(), person.clone_dir());
        git(&person.dir, ["clone", "--quiet"].map(OsStr::new).into_iter().chain([from.as_os_str(), to.as_os_str()]))?;
        person.git(["config", "user.name", name])?;
        person.git(["config", "user.email", &format!("{name}@people.example")])?;
        Ok(person)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.clone_dir().join(path);
        fs::create_dir_all(path.parent().context("a path has a parent")?)?;
        Ok(fs::write(path, text)?)
    }

    /// Reads a file as it is in the clone.
    ///
    /// # Errors
    /// When it is not there.
    pub fn read(&self, path: &str) -> Result<String> {
        Ok(fs::read_to_string(self.clone_dir().join(path))?)
    }

    /// Removes a file or a directory.
    ///
    /// # Errors
    /// When it is not there.
    pub fn remove(&self, path: &str) -> Result<()> {
        self.git(["rm", "-r", "--quiet", path]).map(drop)
    }

    /// Takes over what others pushed.
    ///
    /// # Errors
    /// When git fails.
    pub fn pull(&self) -> Result<()> {
        self.git(["pull", "--quiet", "--rebase"]).map(drop)
    }

    /// Commits everything and pushes it, on top of what others pushed meanwhile.
    ///
    /// # Errors
    /// When git fails.
    pub fn push(&self, message: &str) -> Result<()> {
        self.git(["add", "-A"])?;
        self.git(["commit", "--quiet", "-m", message])?;
        let mut pushed = self.git(["push", "--quiet", "origin", "HEAD:main"]);
        // Others push too: a person pulls and tries again.
        for _ in 0..50 {
            if pushed.is_ok() {
                break;
            }
            self.pull()?;
            pushed = self.git(["push", "--quiet", "origin", "HEAD:main"]);
        }
        pushed.map(drop)
    }

    /// Rewrites the branch: its tip becomes `commit` with what stands in the clone on top.
    ///
    /// # Errors
    /// When git fails.
    pub fn rewrite(&self, commit: &str) -> Result<()> {
        self.git(["fetch", "--quiet"])?;
        self.git(["reset", "--quiet", "--hard", commit])?;
        self.git(["push", "--quiet", "--force", "origin", "HEAD:main"]).map(drop)
    }

    /// Runs git in the clone.
    ///
    /// # Errors
    /// When it fails, with what it said.
    pub fn git<const N: usize>(&self, args: [&str; N]) -> Result<String> {
        let clone = self.clone_dir();
        git(&self.dir, [OsStr::new("-C"), clone.as_os_str()].into_iter().chain(args.map(OsStr::new)))
    }

    fn clone_dir(&self) -> PathBuf {
        self.dir.path().join("clone")
    }
}
