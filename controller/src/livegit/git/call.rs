//! One run of a program: with a deadline, in a process group that ends with it, its output bounded.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    process::Stdio,
    time::Duration,
};

use nsclass_shared::livegit::failure::Failure;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
    time::timeout,
};

use super::GitError;

/// Most bytes of complaints that are read.
const MOST_STDERR: u64 = 64 * 1024;

/// What to run.
#[derive(Debug)]
pub(in crate::livegit) struct Call<'c> {
    pub(in crate::livegit) program: &'c Path,
    pub(in crate::livegit) args: Vec<OsString>,
    pub(in crate::livegit) variables: Vec<(OsString, OsString)>,
    /// Written to its standard input.
    pub(in crate::livegit) input: Vec<u8>,
    /// It is killed after that.
    pub(in crate::livegit) deadline: Duration,
    /// Most bytes of its standard output; more fail the call.
    pub(in crate::livegit) most: u64,
}

/// How it ended.
#[derive(Debug)]
pub(in crate::livegit) struct Ended {
    pub(in crate::livegit) success: bool,
    pub(in crate::livegit) code: Option<i32>,
    pub(in crate::livegit) stdout: Vec<u8>,
    /// Not redacted.
    pub(in crate::livegit) stderr: String,
}

/// The process group of a child: everything that it started goes when this value does.
#[derive(Debug)]
pub(super) struct Group(Option<Pid>);

impl Group {
    pub(super) fn of(child: &Child) -> Self {
        child.id().map_or(Self(None), Self::of_id)
    }

    pub(super) fn of_id(id: u32) -> Self {
        Self(i32::try_from(id).ok().and_then(Pid::from_raw))
    }

    pub(super) fn kill(&self) {
        if let Some(group) = self.0 {
            // There may be nobody left, which is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A command with nothing of our own environment.
pub(super) fn command(program: &Path, args: &[OsString], variables: &[(OsString, OsString)]) -> Command {
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
    command.process_group(0).kill_on_drop(true).current_dir("/");
    command
}

pub(super) fn missing(program: &Path, error: &std::io::Error) -> GitError {
    match error.kind() {
        std::io::ErrorKind::NotFound => GitError::new(Failure::ProgramMissing, program.display().to_string()),
        _ => GitError::io(error),
    }
}

impl Call<'_> {
    /// Runs it to its end, or kills it.
    ///
    /// # Errors
    /// It cannot be started, takes too long, or says too much. That it failed is no error here.
    pub(in crate::livegit) async fn run(self) -> Result<Ended, GitError> {
        let mut command = command(self.program, &self.args, &self.variables);
        let input = if self.input.is_empty() { Stdio::null() } else { Stdio::piped() };
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| missing(self.program, &error))?;
        let group = Group::of(&child);
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // That the program did not read to the end shows in how it ended.
                let _ = stdin.write_all(&self.input).await;
                let _ = stdin.shutdown().await;
            }
        };
        let ended = async {
            let status = child.wait().await;
            // What it started and left behind would keep our ends of the pipes open.
            group.kill();
            status
        };
        let all = async { tokio::join!(write, read(stdout, self.most), read(stderr, MOST_STDERR), ended) };
        let ((), stdout, stderr, status) = timeout(self.deadline, all).await.map_err(|_| {
            let what = self.args.iter().find(|arg| !arg.as_encoded_bytes().starts_with(b"-"));
            let what = what.map_or(OsStr::new(""), OsString::as_os_str).display().to_string();
            GitError::new(Failure::TimedOut, format!("git {what} was ended after {} s", self.deadline.as_secs()))
        })?;
        let status = status.map_err(|error| GitError::io(&error))?;
        let stdout = stdout.map_err(|error| GitError::io(&error))?;
        let stderr = stderr.map_err(|error| GitError::io(&error))?;
        if stdout.len() as u64 > self.most {
            return Err(GitError::new(Failure::TooLarge, format!("git answered with more than {} bytes", self.most)));
        }
        Ok(Ended {
            success: status.success(),
            code: status.code(),
            stdout,
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        })
    }
}

/// One byte more than `most` where there is more; the rest is read and forgotten, so that the program can end.
async fn read(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        (&mut pipe).take(most + 1).read_to_end(&mut bytes).await?;
        tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await?;
    }
    Ok(bytes)
}
