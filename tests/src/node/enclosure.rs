//! Namespaces that a program of ours runs in a second time, and that end with it.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use tokio::task::spawn_blocking;

use super::cgroup::Cgroup;
use super::{command, programs};
use crate::Interrupts;
use crate::process::{ScratchDir, setpriv};

/// Directories of the machine that programs of a node write to wherever they are told to write. Inside they are empty and forgotten.
const WRITTEN: [&str; 3] = ["/run", "/var/lib", "/var/log"];

/// Starts this program again with `args` in namespaces of its own, its temporary files in `dir`, and waits for its end. Interrupted, it
/// ends everything in there.
///
/// # Errors
/// When the namespaces cannot be made.
pub async fn run(dir: &ScratchDir, args: Vec<OsString>) -> Result<ExitCode> {
    let mut interrupts = Interrupts::new()?;
    let cgroup = Cgroup::make()?;
    let unshare = programs::path("unshare")?;
    // The kernel kills what is inside with its first process, and that with its parent, however it ends.
    let mut enclosed = match setpriv() {
        Some(setpriv) => {
            let mut command = Command::new(setpriv);
            command.args(["--pdeathsig", "KILL", "--"]).arg(unshare);
            command
        }
        None => Command::new(unshare),
    };
    enclosed.args(["--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child=KILL", "--"]);
    enclosed.arg(env::current_exe()?).args(args).env("TMPDIR", dir.path());
    let mut enclosed = tokio::process::Command::from(enclosed);
    let mut child = enclosed.kill_on_drop(true).spawn().context("unshare cannot be run")?;
    let ended = tokio::select! {
        ended = child.wait() => ended?.code(),
        () = interrupts.next() => {
            child.kill().await?;
            Some(130)
        }
    };
    spawn_blocking(move || drop(cgroup)).await?;
    Ok(ended.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Inside: keeps what programs write wherever they are told to write from the machine's own directories.
///
/// # Errors
/// When something cannot be mounted.
pub async fn furnish() -> Result<()> {
    let mount = programs::path("mount")?;
    let temporary = env::temp_dir();
    for dir in WRITTEN.into_iter().filter(|dir| !temporary.starts_with(dir) && Path::new(dir).is_dir()) {
        command(&mount, &["-t", "tmpfs", "none", dir]).await?;
    }
    Ok(())
}
