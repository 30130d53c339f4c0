//! The programs of this workspace, run beside the control plane as a cluster would run them.

mod binaries;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::process::{Launch, Process, ScratchDir};
pub(crate) use binaries::WORKSPACE;

/// How long a program may take to end after SIGTERM: what Kubernetes gives a pod.
const GRACE: Duration = Duration::from_secs(30);

/// A running program of this workspace. Killed on drop.
#[derive(Debug)]
pub struct Program {
    process: Process,
    stdout: PathBuf,
    stderr: PathBuf,
    /// Last, so that it is removed after its user has ended.
    dir: ScratchDir,
}

impl Program {
    /// Names a binary of the workspace; it is built, if need be, when it is started.
    pub fn named(binary: impl Into<String>) -> Setup {
        Setup { binary: binary.into(), args: Vec::new(), envs: Vec::new() }
    }

    /// Where it runs, and where a test may put files for it; removed with it.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// What it has written to standard output so far.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn stdout(&self) -> Result<String> {
        read(&self.stdout)
    }

    /// What it has written to standard error so far.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn stderr(&self) -> Result<String> {
        read(&self.stderr)
    }

    /// Fails, with the end of its log, when it has ended.
    ///
    /// # Errors
    /// When it has ended.
    pub fn ensure_running(&self) -> Result<()> {
        self.process.ensure_running()
    }

    /// Waits for `probe` like [`eventually`](crate::eventually), but not for longer than the program runs.
    ///
    /// # Errors
    /// At once when it ends, and at the deadline; with the end of its log.
    pub async fn eventually<T>(&self, what: impl Display, probe: impl AsyncFnMut() -> Result<T>) -> Result<T> {
        self.process.eventually(what, probe).await
    }

    /// Waits until it ends by itself.
    ///
    /// # Errors
    /// When it is still running after `deadline`; with the end of its log.
    pub async fn wait(&self, deadline: Duration) -> Result<ExitStatus> {
        self.process.wait(deadline).await
    }

    /// Asks it to end (SIGTERM) and waits, as long as Kubernetes would.
    ///
    /// # Errors
    /// When it has ended before, or does not end in that time; with the end of its log.
    pub async fn terminate(&self) -> Result<ExitStatus> {
        self.process.terminate(GRACE).await
    }

    /// Kills it (SIGKILL): no code of its own runs.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn kill(&self) -> Result<ExitStatus> {
        Ok(self.process.kill()?)
    }

    /// Stops it where it stands (SIGSTOP): a process that the machine has no time for.
    ///
    /// # Errors
    /// When it has ended.
    pub fn pause(&self) -> Result<()> {
        self.process.pause()
    }

    /// Lets it go on after [`Program::pause`].
    ///
    /// # Errors
    /// When it has ended.
    pub fn resume(&self) -> Result<()> {
        self.process.resume()
    }
}

/// A program before it is started.
#[derive(Debug, Clone)]
#[must_use = "nothing runs before `start`"]
pub struct Setup {
    binary: String,
    args: Vec<OsString>,
    envs: Vec<(OsString, OsString)>,
}

impl Setup {
    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable; the others are this process's.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.envs.push((name.into(), value.into()));
        self
    }

    /// Builds the workspace's binaries, once per process, and starts this one.
    ///
    /// # Errors
    /// When the build fails, or makes no binary of this name.
    pub async fn start(self) -> Result<Program> {
        let Self { binary, args, envs } = self;
        let wanted = binary.clone();
        let program = tokio::task::spawn_blocking(move || binaries::path(&wanted)).await??;
        let dir = ScratchDir::new(&format!("{binary}-"))?;
        let (stdout, stderr) = (dir.path().join("stdout"), dir.path().join("stderr"));
        let process = Process::start(Launch {
            name: binary,
            program,
            args,
            envs: envs.into_iter().map(|(name, value)| (name, Some(value))).collect(),
            dir: Some(dir.path().to_owned()),
            stdout: stdout.clone(),
            stderr: stderr.clone(),
        })?;
        Ok(Program { process, stdout, stderr, dir })
    }
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
