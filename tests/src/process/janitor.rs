//! A small shell that outlives this process by a moment: it waits for the end of a pipe whose other end only we hold, then kills
//! the children that are left and removes the directories that are left.
//!
//! Statics are never dropped and SIGKILL runs no code of ours, so neither can be done from here.

use std::env;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use tempfile::TempDir;

/// One line per event: `pid N`, `reaped N`, `dir PATH`, `removed PATH`. What was reaped or removed is forgotten, because the
/// number or name may belong to somebody else by the time the pipe ends.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
pids=' '
while read -r what value; do
  case $what in
    pid) pids="$pids$value " ;;
    reaped) case $pids in *" $value "*) pids="${pids%%" $value "*} ${pids#*" $value "}" ;; esac ;;
    dir) set -- "$@" "$value" ;;
    removed) for dir do shift; [ "$dir" = "$value" ] || set -- "$@" "$dir"; done ;;
  esac
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
for dir do
  tries=0
  until rm -rf "$dir" 2>/dev/null || [ "$tries" -ge 50 ]; do tries=$((tries + 1)); sleep 0.1; done
done
"#;

static PIPE: Mutex<Option<ChildStdin>> = Mutex::new(None);

/// Tells the janitor one line; the first one starts it.
pub(super) fn tell(line: &str) -> io::Result<()> {
    let mut pipe = PIPE.lock().unwrap_or_else(PoisonError::into_inner);
    if pipe.is_none() {
        *pipe = hire()?;
    }
    match pipe.as_mut() {
        Some(pipe) => pipe.write_all(format!("{line}\n").as_bytes()),
        None => Err(io::Error::other("the janitor has no standard input")),
    }
}

/// In a process group of its own and deaf to the terminal's signals: it must see the end of this process, not share it. Its handle
/// is let go, because it ends only after us.
fn hire() -> io::Result<Option<ChildStdin>> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", SCRIPT, "janitor"]).current_dir("/").process_group(0);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(shell.spawn()?.stdin.take())
}

/// A temporary directory that is removed on drop, or by the janitor.
#[derive(Debug)]
pub struct ScratchDir {
    dir: TempDir,
}

impl ScratchDir {
    /// Makes it, in the directory for temporary files.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(prefix: &str) -> Result<Self> {
        // Children and the janitor run elsewhere, so TMPDIR must not be taken from where they are.
        let parent = std::path::absolute(env::temp_dir())?;
        let made = tempfile::Builder::new().prefix(prefix).tempdir_in(&parent);
        let dir = made.with_context(|| format!("no temporary directory can be made in {}", parent.display()))?;
        tell(&format!("dir {}", dir.path().display()))?;
        Ok(Self { dir })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // If this fails the janitor tries again; a drop has nobody to tell.
        if std::fs::remove_dir_all(self.dir.path()).is_ok() {
            let _ = tell(&format!("removed {}", self.dir.path().display()));
        }
    }
}
