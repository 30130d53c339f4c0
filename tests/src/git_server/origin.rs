//! A bare repository, and questions about it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Person;
use crate::process::ScratchDir;

/// The name of the repository in every address.
pub(super) const NAME: &str = "apps.git";

/// A bare repository with the branch `main`. Gone with this value.
#[derive(Debug)]
pub struct Origin {
    dir: ScratchDir,
}

/// A commit, as `git log` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// Its name.
    pub id: String,
    /// Author: name and address.
    pub author: String,
    /// Committer's name.
    pub committer: String,
    /// First line of the message.
    pub subject: String,
    /// The rest of it.
    pub body: String,
}

impl Origin {
    /// An empty one.
    ///
    /// # Errors
    /// When there is no git.
    pub fn empty() -> Result<Self> {
        let dir = ScratchDir::new("nsclass-origin-")?;
        // sshd's user, or whoever serves it, may be somebody else.
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755))?;
        let origin = Self { dir };
        let path = origin.path();
        git(
            &origin.dir,
            ["init", "--quiet", "--bare", "--initial-branch=main"]
                .map(OsStr::new)
                .into_iter()
                .chain([path.as_os_str()]),
        )?;
        origin.git(["config", "uploadpack.allowAnySHA1InWant", "true"])?;
        Ok(origin)
    }

    /// One with these files on `main`, put there by a person called `admin`.
    ///
    /// # Errors
    /// When git fails.
    pub fn with(files: &[(&str, &str)]) -> Result<Self> {
        let origin = Self::empty()?;
        let admin = origin.person("admin")?;
        for (path, text) in files {
            admin.write(path, text)?;
        }
        admin.push("Begin")?;
        Ok(origin)
    }

    /// The repository's directory.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join(NAME)
    }

    /// The directory that the servers serve.
    pub(super) fn root(&self) -> &Path {
        self.dir.path()
    }

    /// A person with a clone of their own.
    ///
    /// # Errors
    /// When git fails.
    pub fn person(&self, name: &str) -> Result<Person> {
        Person::new(self, name)
    }

    /// The commits of `main`, the newest first.
    ///
    /// # Errors
    /// When git fails.
    pub fn log(&self) -> Result<Vec<Logged>> {
        let printed = self.git(["log", "-z", "--format=%H%x01%an <%ae>%x01%cn%x01%s%x01%b", "main"])?;
        let read = |entry: &str| {
            let mut parts = entry.split('\u{1}').map(str::to_owned);
            let mut next = || parts.next().context("a field is missing");
            Ok(Logged {
                id: next()?,
                author: next()?,
                committer: next()?,
                subject: next()?,
                body: next()?.trim().to_owned(),
            })
        };
        printed.split('\0').filter(|entry| !entry.trim().is_empty()).map(read).collect()
    }

    /// The tip of `main`.
    ///
    /// # Errors
    /// When there is none.
    pub fn tip(&self) -> Result<String> {
        Ok(self.git(["rev-parse", "refs/heads/main"])?.trim().to_owned())
    }

    /// Every file of `main`.
    ///
    /// # Errors
    /// When git fails.
    pub fn files(&self) -> Result<BTreeMap<String, String>> {
        self.files_of("main")
    }

    /// Every file of a branch.
    ///
    /// # Errors
    /// When git fails.
    pub fn files_of(&self, branch: &str) -> Result<BTreeMap<String, String>> {
        let names = self.git(["ls-tree", "-r", "-z", "--name-only", branch])?;
        let names = names.split('\0').filter(|name| !name.is_empty());
        names.map(|name| Ok((name.to_owned(), self.git(["show", &format!("{branch}:{name}")])?))).collect()
    }

    /// Makes the server refuse every push with these words, or with `None` take them again.
    ///
    /// # Errors
    /// When the hook cannot be written.
    pub fn refuse_pushes(&self, words: Option<&str>) -> Result<()> {
        let hook = self.path().join("hooks/pre-receive");
        match words {
            Some(words) => {
                fs::create_dir_all(self.path().join("hooks"))?;
                fs::write(&hook, format!("#!/bin/sh\necho '{words}' >&2\nexit 1\n"))?;
                fs::set_permissions(&hook, fs::Permissions::from_mode(0o755))?;
            }
            None => fs::remove_file(hook)?,
        }
        Ok(())
    }

    /// Runs git in the repository and returns what it printed.
    ///
    /// # Errors
    /// When it fails, with what it said.
    pub fn git<const N: usize>(&self, args: [&str; N]) -> Result<String> {
        let path = self.path();
        git(&self.dir, [OsStr::new("-C"), path.as_os_str()].into_iter().chain(args.map(OsStr::new)))
    }
}

/// Runs git with nobody's configuration.
pub(super) fn git<'a>(home: &ScratchDir, args: impl IntoIterator<Item = &'a OsStr>) -> Result<String> {
    let mut command = Command::new("git");
    command.args(args).env("HOME", home.path()).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_TERMINAL_PROMPT", "0");
    command.env_remove("GIT_DIR").env_remove("GIT_CONFIG_GLOBAL").env("LC_ALL", "C");
    let output = command.output().context("git cannot be run")?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
