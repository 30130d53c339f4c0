//! A bare, shallow repository of our own, kept between commits. It is a copy: throwing it away loses nothing.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use nsclass_manifests::{limits::Limits, path::FolderPath, scan};
use nsclass_shared::livegit::{failure::Failure, redact::redact};
use tokio::time::timeout;

use super::{
    GitError, GitSource, Listing,
    call::{Call, Ended, Group, missing},
    environment::variables,
    keys::Keys,
};
use crate::livegit::change::Remote;

/// Most bytes of a listing: half a million long paths.
const MOST_LISTING: u64 = 128 << 20;

/// What the program may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Size of the copy on disk, in bytes.
    pub repository: u64,
    /// Longest transfer.
    pub transfer: Duration,
    /// Longest step without the network.
    pub local: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self { repository: 1 << 30, transfer: Duration::from_secs(120), local: Duration::from_secs(60) }
    }
}

/// The copy of one branch.
#[derive(Debug)]
pub struct Repository {
    pub(super) program: PathBuf,
    /// `repository.git` and, during calls, `keys`.
    dir: PathBuf,
    pub(super) budget: Budget,
    /// Held for as long as this value lives: two processes on one disk never share a copy.
    _lock: File,
}

impl Repository {
    /// Opens the copy `name` below `parent`, or makes it. Where another process has it, a second one beside it is taken.
    ///
    /// # Errors
    /// The directory cannot be made.
    pub fn open(program: PathBuf, parent: &Path, name: &str, budget: Budget) -> Result<Self, GitError> {
        let open = || -> io::Result<(PathBuf, File)> {
            for turn in 0_u32.. {
                let dir = parent.join(format!("{name}-{turn}"));
                fs::create_dir_all(&dir)?;
                let lock = File::create(dir.join("lock"))?;
                match lock.try_lock() {
                    Ok(()) => return Ok((dir, lock)),
                    Err(fs::TryLockError::WouldBlock) => {}
                    Err(fs::TryLockError::Error(error)) => return Err(error),
                }
            }
            Err(io::Error::other("every copy is in use"))
        };
        let (dir, lock) = open().map_err(|error| {
            let error = GitError::io(&error);
            GitError { said: format!("{}: {}", parent.display(), error.said), ..error }
        })?;
        Ok(Self { program, dir, budget, _lock: lock })
    }

    /// Where the objects are.
    pub(super) fn git_dir(&self) -> PathBuf {
        self.dir.join("repository.git")
    }

    /// Makes the copy fit for use: there, and without what a killed program left behind.
    ///
    /// # Errors
    /// It can neither be made nor cleaned.
    pub async fn prepare(&self) -> Result<(), GitError> {
        let git_dir = self.git_dir();
        if !git_dir.join("HEAD").exists() {
            self.wipe()?;
            let args = ["init", "--quiet", "--bare", "--template=", "--initial-branch=main"].map(OsString::from);
            return self.run(None, args.into(), Vec::new(), self.budget.local).await.map(drop);
        }
        sweep(&git_dir).map_err(|error| GitError::io(&error))
    }

    /// Throws the copy away.
    ///
    /// # Errors
    /// The system refuses.
    pub fn wipe(&self) -> Result<(), GitError> {
        match fs::remove_dir_all(self.git_dir()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(GitError::io(&error)),
            _ => Ok(()),
        }
    }

    /// Size of the copy on disk, in bytes.
    pub fn size(&self) -> u64 {
        size(&self.git_dir())
    }

    /// What the commit holds below `folder`.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn list(&self, commit: &str, folder: &FolderPath) -> Result<Listing, GitError> {
        let mut args: Vec<OsString> = ["ls-tree", "-r", "-z", "--full-tree", commit].map(OsString::from).into();
        if !folder.is_root() {
            args.extend(["--".into(), folder.as_str().into()]);
        }
        let ended = self.run(None, args, Vec::new(), self.budget.local).await?;
        Ok(Listing::read(&ended.stdout, folder))
    }

    /// Reads the folder with the engine, out of the object store.
    ///
    /// # Errors
    /// The program fails or takes too long. Faults of the folder are no errors but findings.
    pub async fn scan(&self, listing: Arc<Listing>, limits: Limits) -> Result<scan::Tree, GitError> {
        use std::os::unix::process::CommandExt;
        let keys = Keys::write(self.dir.join("keys"), None)?;
        let mut command = std::process::Command::new(&self.program);
        command.args(["cat-file", "--batch"]);
        command.env_clear().envs(variables(keys.dir(), &self.git_dir())).process_group(0).current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| missing(&self.program, &error))?;
        let group = Group::of_id(child.id());
        let source = GitSource::new(listing, child).map_err(|error| GitError::io(&error))?;
        let mut reading = tokio::task::spawn_blocking(move || {
            let tree = scan::scan(&source, &limits);
            source.finish().map(|()| tree)
        });
        let read = timeout(self.budget.local, &mut reading).await;
        // Either it has ended, or its reader must.
        group.kill();
        let Ok(read) = read else {
            drop(reading.await);
            return Err(GitError::new(Failure::TimedOut, "git cat-file was ended"));
        };
        let read = read.map_err(|error| GitError::new(Failure::GitFailed, error.to_string()))?;
        read.map_err(|said| GitError::new(Failure::CopyBroken, redact(&said, [])))
    }

    /// Runs the program, which must succeed.
    pub(super) async fn run(
        &self,
        remote: Option<&Remote>,
        args: Vec<OsString>,
        input: Vec<u8>,
        deadline: Duration,
    ) -> Result<Ended, GitError> {
        let ended = self.try_run(remote, args, input, deadline).await?;
        if ended.success { Ok(ended) } else { Err(complaint(&ended, remote)) }
    }

    /// Runs the program, however it ends.
    pub(super) async fn try_run(
        &self,
        remote: Option<&Remote>,
        args: Vec<OsString>,
        input: Vec<u8>,
        deadline: Duration,
    ) -> Result<Ended, GitError> {
        let keys = Keys::write(self.dir.join("keys"), remote)?;
        let mut variables = variables(keys.dir(), &self.git_dir());
        variables.extend(keys.ssh_command().map(|ssh| ("GIT_SSH_COMMAND".into(), ssh.clone())));
        let call = Call { program: &self.program, args, variables, input, deadline, most: MOST_LISTING };
        let watched = async {
            loop {
                tokio::time::sleep(Duration::from_millis(250)).await;
                let dir = self.git_dir();
                let used = tokio::task::spawn_blocking(move || size(&dir)).await.unwrap_or_default();
                if used > self.budget.repository {
                    return GitError::new(Failure::TooLarge, format!("more than {} MB were received", used >> 20));
                }
            }
        };
        tokio::select! {
            ended = call.run() => ended,
            // The call is dropped, and its process group ends with it.
            error = watched => Err(error),
        }
    }
}

/// What the program complained of.
pub(super) fn complaint(ended: &Ended, remote: Option<&Remote>) -> GitError {
    let failure = if ended.code == Some(127) { Failure::ProgramMissing } else { Failure::of(&ended.stderr) };
    let secrets = remote.into_iter().flat_map(|remote| remote.credentials.secrets());
    GitError::new(failure, redact(&ended.stderr, secrets))
}

/// Removes the locks and half-written packs of programs that were killed. Only the holder of the copy's lock calls it.
fn sweep(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() {
            sweep(&path)?;
        } else if name.ends_with(".lock") || name.starts_with("tmp_") || name.starts_with(".tmp-") {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// The bytes of all files below a directory; what vanishes meanwhile counts nothing.
fn size(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
