//! A child process that dies with this one, its output in files.

mod janitor;
mod nursery;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, sleep};

use crate::eventually::eventually;
pub use janitor::ScratchDir;
pub(crate) use nursery::setpriv;

/// How many lines of a log a failure shows.
const TAIL_LINES: usize = 25;

/// What to start, before it is started.
pub(crate) struct Launch {
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// Set, or (`None`) taken away; the others are this process's.
    pub(crate) envs: Vec<(OsString, Option<OsString>)>,
    pub(crate) dir: Option<PathBuf>,
    /// Both are appended to, so that a restarted component keeps one log; they may be the same file.
    pub(crate) stdout: PathBuf,
    pub(crate) stderr: PathBuf,
}

/// A running child. Killed and reaped on drop, by the kernel or the janitor when this process cannot do it any more.
#[derive(Debug)]
pub struct Process {
    name: String,
    pid: u32,
    child: Mutex<Child>,
    /// Whether the janitor has been told to forget it.
    reaped: AtomicBool,
    stderr: PathBuf,
}

impl Process {
    pub(crate) fn start(launch: Launch) -> Result<Self> {
        let Launch { name, program, args, envs, dir, stdout, stderr } = launch;
        let mut command = match setpriv() {
            Some(setpriv) => {
                let mut command = Command::new(setpriv);
                command.args(["--pdeathsig", "KILL", "--"]).arg(&program);
                command
            }
            None => Command::new(&program),
        };
        for (name, value) in envs {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.args(args).stdin(Stdio::null()).stdout(append(&stdout)?).stderr(append(&stderr)?);
        if let Some(dir) = dir {
            command.current_dir(dir);
        }
        // In a group of its own, a child does not get the terminal's Ctrl-C: this process decides in which order things end.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child =
            nursery::spawn(command).with_context(|| format!("{name} ({}) cannot be started", program.display()))?;
        let pid = child.id();
        janitor::tell(&format!("pid {pid}"))?;
        Ok(Self { name, pid, child: Mutex::new(child), reaped: AtomicBool::new(false), stderr })
    }

    /// What it is called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its process id; it may have ended already.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The last lines of what it wrote to standard error.
    pub fn tail(&self) -> String {
        tail(&self.stderr)
    }

    /// How it ended, if it has.
    ///
    /// # Errors
    /// When the kernel does not tell.
    pub fn exit_status(&self) -> io::Result<Option<ExitStatus>> {
        self.look(&mut self.child())
    }

    /// Fails, with the tail of its log, when it has ended.
    ///
    /// # Errors
    /// When it has ended.
    pub fn ensure_running(&self) -> Result<()> {
        match self.exit_status()? {
            None => Ok(()),
            Some(status) => bail!("{} ended ({status}); the end of its log:\n{}", self.name, self.tail()),
        }
    }

    /// Waits until it has ended by itself.
    ///
    /// # Errors
    /// When it is still running after `deadline`; it is left running then.
    pub async fn wait(&self, deadline: Duration) -> Result<ExitStatus> {
        let end = Instant::now() + deadline;
        loop {
            if let Some(status) = self.exit_status()? {
                return Ok(status);
            }
            if Instant::now() >= end {
                bail!("{} has not ended within {deadline:?}; the end of its log:\n{}", self.name, self.tail());
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Asks it to end (SIGTERM) and waits for that.
    ///
    /// # Errors
    /// When it does not end within `deadline`.
    pub async fn terminate(&self, deadline: Duration) -> Result<ExitStatus> {
        self.signal(Signal::TERM)?;
        self.wait(deadline).await
    }

    /// Kills it (SIGKILL), as the kernel would when memory runs out, and reaps it.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn kill(&self) -> io::Result<ExitStatus> {
        let mut child = self.child();
        child.kill()?;
        let status = child.wait()?;
        self.forget()?;
        Ok(status)
    }

    /// Stops it where it stands (SIGSTOP): connections stay open and nothing answers.
    ///
    /// # Errors
    /// When it has ended.
    pub fn pause(&self) -> Result<()> {
        self.signal(Signal::STOP)
    }

    /// Lets it go on after [`Process::pause`].
    ///
    /// # Errors
    /// When it has ended.
    pub fn resume(&self) -> Result<()> {
        self.signal(Signal::CONT)
    }

    /// Waits for `probe` like [`eventually`], but not for longer than this process runs.
    ///
    /// # Errors
    /// At once when it ends, and at the deadline; with the end of its log.
    pub async fn eventually<T>(&self, what: impl Display, probe: impl AsyncFnMut() -> Result<T>) -> Result<T> {
        let ended = async {
            loop {
                self.ensure_running()?;
                sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::select! {
            found = eventually(what, probe) => {
                found.with_context(|| format!("{} runs; the end of its log:\n{}", self.name, self.tail()))
            }
            ended = ended => ended,
        }
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        // Under one lock: the number of a child that is reaped in between may belong to somebody else.
        let mut child = self.child();
        if let Some(status) = self.look(&mut child)? {
            bail!("{} has ended ({status}) and gets no {signal:?}; the end of its log:\n{}", self.name, self.tail());
        }
        Ok(kill_process(Pid::from_child(&child), signal)?)
    }

    fn look(&self, child: &mut Child) -> io::Result<Option<ExitStatus>> {
        let status = child.try_wait()?;
        if status.is_some() {
            self.forget()?;
        }
        Ok(status)
    }

    /// Once only: the number may soon be that of another child.
    fn forget(&self) -> io::Result<()> {
        if self.reaped.swap(true, Ordering::Relaxed) { Ok(()) } else { janitor::tell(&format!("reaped {}", self.pid)) }
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The janitor still has it on its list if this fails; there is nobody to tell in a drop.
        let _ = self.kill();
    }
}

fn append(path: &Path) -> Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| format!("{} cannot be opened for a child's output", path.display()))
}

/// The last lines of a file, or why it cannot be read.
pub(crate) fn tail(path: &Path) -> String {
    let text = match std::fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => return format!("({} cannot be read: {error})", path.display()),
    };
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}
