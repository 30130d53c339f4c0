//! Programs of Debian packages: on `PATH`, or out of the package itself, unpacked into the cache without installing it.

use std::env;
use std::fs::{create_dir_all, rename};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{cache_dir, machine::lock};
use crate::progress;

/// A package whose programs need nothing but the C library, so that they run from where they are unpacked.
#[derive(Debug)]
pub struct Package {
    name: &'static str,
    programs: &'static [&'static str],
    /// Where the programs are in it.
    directory: &'static str,
    /// Packages with libraries that it needs and a machine may lack.
    libraries: &'static [&'static str],
}

/// The Prometheus server and its tool.
pub static PROMETHEUS: Package =
    Package { name: "prometheus", programs: &["prometheus", "promtool"], directory: "usr/bin", libraries: &[] };

/// The SSH server.
pub static SSHD: Package =
    Package { name: "openssh-server", programs: &["sshd"], directory: "usr/sbin", libraries: &["libwrap0"] };

/// The encryption that `sops` uses here, and its keys.
pub static AGE: Package =
    Package { name: "age", programs: &["age", "age-keygen"], directory: "usr/bin", libraries: &[] };

impl Package {
    fn is_whole(&self, dir: &Path) -> bool {
        self.programs.iter().all(|program| dir.join(program).is_file())
    }
}

/// The directory that holds every program of `package`; blocks while it is fetched.
///
/// # Errors
/// When the programs are not on `PATH` and the package cannot be fetched from Debian's archive: with the ways out.
pub fn find_debian(package: &Package) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    if let Some(dir) = env::split_paths(&path).find(|dir| package.is_whole(dir)) {
        return Ok(dir);
    }
    let cache = cache_dir()?.join("debian");
    let unpacked = cache.join(package.name);
    let programs = unpacked.join(package.directory);
    if package.is_whole(&programs) {
        return Ok(programs);
    }
    create_dir_all(&cache).with_context(|| format!("{} cannot be made", cache.display()))?;
    let _lock = lock(&cache.join(format!("{}.lock", package.name)))?;
    if !package.is_whole(&programs) {
        fetch(package, &cache, &unpacked).with_context(|| {
            format!(
                "{} are missing: install the Debian package {}, or put both on PATH",
                package.programs.join(" and "),
                package.name
            )
        })?;
    }
    Ok(programs)
}

fn fetch(package: &Package, cache: &Path, to: &Path) -> Result<()> {
    progress::say(&format!("fetching the Debian package {}, once", package.name));
    let scratch = tempfile::tempdir_in(cache)?;
    let names = || std::iter::once(&package.name).chain(package.libraries);
    let download = || run(Command::new("apt-get").args(["download", "--quiet"]).args(names()).current_dir(&scratch));
    if let Err(error) = download() {
        // A fresh machine has no list of packages yet; fetching one takes root.
        run(Command::new("apt-get").args(["update", "--quiet"])).map_err(|_| error)?;
        download()?;
    }
    let archives: Vec<PathBuf> =
        scratch.path().read_dir()?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    ensure!(archives.len() == names().count(), "apt-get download left {archives:?}");
    let whole = scratch.path().join("whole");
    for archive in &archives {
        run(Command::new("dpkg-deb").arg("-x").args([archive, &whole]))?;
    }
    let is_there = package.is_whole(&whole.join(package.directory));
    ensure!(is_there, "the package lacks {}", package.programs.join(" or "));
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    rename(&whole, to)?;
    Ok(())
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{program} cannot be run"))?;
    ensure!(output.status.success(), "{program} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}
