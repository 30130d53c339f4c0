//! The search, given what a machine has.

use std::env;
use std::fs::{File, TryLockError, create_dir_all};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::module::Module;
use super::{MODULES, Set, build, cache_dir};
use crate::progress;

/// Where programs may come from on one machine.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    /// `KUBEBUILDER_ASSETS`.
    pub(super) assets: Option<PathBuf>,
    pub(super) cache: PathBuf,
    pub(super) go: PathBuf,
}

impl Machine {
    /// As the environment of this process says.
    pub(super) fn this() -> Result<Self> {
        let assets = env::var_os("KUBEBUILDER_ASSETS").filter(|dir| !dir.is_empty());
        // Children run in directories of their own.
        let assets = assets.map(std::path::absolute).transpose()?;
        Ok(Self { assets, cache: cache_dir()?.join("control-plane"), go: "go".into() })
    }

    pub(super) fn find(&self, set: &Set) -> Result<PathBuf> {
        if let Some(dir) = &self.assets {
            let missing = set.missing_in(dir);
            if missing.is_empty() {
                return Ok(dir.clone());
            }
            if set.in_assets {
                bail!(
                    "KUBEBUILDER_ASSETS={} lacks {}: put it there, or unset the variable to use the cache or a build with Go",
                    dir.display(),
                    missing.join(" and "),
                );
            }
        }
        let module = Module::read(&Path::new(MODULES).join(set.module))?;
        let versions = set.tools.iter().map(|tool| module.version_of(tool.module)).collect::<Result<Vec<_>>>()?;
        let mut key = versions.clone();
        key.dedup();
        let key = format!("{}-{}-{}-{}", set.module, key.join("-"), env::consts::OS, env::consts::ARCH);
        let dir = self.cache.join(key);
        if set.missing_in(&dir).is_empty() {
            return Ok(dir);
        }
        create_dir_all(&self.cache).with_context(|| format!("{} cannot be made", self.cache.display()))?;
        let _lock = lock(&self.cache.join(format!("{}.lock", set.module)))?;
        // Somebody else may have built it while we waited.
        if !set.missing_in(&dir).is_empty() {
            build::build(set, &self.go, &module, &versions, &dir)?;
        }
        Ok(dir)
    }
}

/// Held until the file is closed, also when this process is killed.
pub(super) fn lock(path: &Path) -> Result<File> {
    let file = File::create(path).with_context(|| format!("{} cannot be opened", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            progress::say(&format!("another process builds what is missing; waiting for it ({})", path.display()));
            file.lock()
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
    .with_context(|| format!("{} cannot be locked", path.display()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::thread;

    use tempfile::TempDir;

    use super::*;
    use crate::assets::{CONTROL_PLANE, KUSTOMIZE};

    /// A machine with an empty cache and, instead of Go, `script`, which finds the output directory in `$out`.
    fn machine(dir: &TempDir, script: &str) -> Result<Machine> {
        let go = dir.path().join("go");
        let parse = "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done";
        fs::write(&go, format!("#!/bin/sh\n[ \"$1\" = version ] && exit\n{parse}\n{script}\n"))?;
        fs::set_permissions(&go, fs::Permissions::from_mode(0o755))?;
        Ok(Machine { assets: None, cache: dir.path().join("cache"), go })
    }

    fn message(found: Result<PathBuf>) -> String {
        found.map_or_else(|error| format!("{error:#}"), |dir| format!("found {}", dir.display()))
    }

    #[test]
    fn a_half_directory_of_assets_is_an_error_that_names_what_it_lacks() -> Result<()> {
        let dir = tempfile::tempdir()?;
        for program in ["etcd", "kube-apiserver"] {
            fs::write(dir.path().join(program), "")?;
        }
        let mut machine = machine(&dir, "exit 1")?;
        machine.assets = Some(dir.path().to_owned());
        let message = message(machine.find(&CONTROL_PLANE));
        assert!(message.contains("lacks kube-controller-manager: "), "{message}");
        fs::write(dir.path().join("kube-controller-manager"), "")?;
        assert_eq!(machine.find(&CONTROL_PLANE)?, dir.path());
        Ok(())
    }

    #[test]
    fn a_machine_with_nothing_is_told_the_three_ways_out() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let machine = Machine { go: dir.path().join("no-go"), ..machine(&dir, "")? };
        let message = message(machine.find(&CONTROL_PLANE));
        for way in ["install Go", "KUBEBUILDER_ASSETS", &machine.cache.display().to_string()] {
            assert!(message.contains(way), "{way:?} is not in: {message}");
        }
        Ok(())
    }

    #[test]
    fn those_who_look_at_the_same_time_build_once() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let machine = machine(&dir, "sleep 0.3; echo built >>\"${0%go}builds\"; echo x >\"${out}kustomize\"")?;
        let found: Vec<_> = thread::scope(|scope| {
            let seekers: Vec<_> = (0..4).map(|_| scope.spawn(|| machine.find(&KUSTOMIZE))).collect();
            seekers.into_iter().map(|seeker| seeker.join().unwrap()).collect::<Result<_>>()
        })?;
        assert!(found.iter().all(|dir| dir.join("kustomize").is_file()), "{found:?}");
        assert_eq!(fs::read_to_string(dir.path().join("builds"))?, "built\n");
        Ok(())
    }

    #[test]
    fn a_failed_build_shows_what_go_said_and_leaves_nothing_that_looks_built() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let failing = machine(&dir, "echo x >\"${out}kustomize\"; echo no space left >&2; exit 1")?;
        let message = message(failing.find(&KUSTOMIZE));
        assert!(message.contains("no space left"), "{message}");
        let whole = machine(&dir, "echo whole >\"${out}kustomize\"")?;
        assert_eq!(fs::read_to_string(whole.find(&KUSTOMIZE)?.join("kustomize"))?, "whole\n");
        Ok(())
    }
}
