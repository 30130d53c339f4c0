//! The build with Go, for whoever holds the lock.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Set;
use super::module::Module;
use crate::process::{Launch, Process, ScratchDir};
use crate::progress;

/// Builds every program of `set` beside `target` and renames the directory when it is whole.
pub(super) fn build(set: &Set, go: &Path, module: &Module, versions: &[String], target: &Path) -> Result<()> {
    let programs = set.tools.iter().zip(versions).map(|(tool, version)| format!("{} {version}", tool.program));
    let programs = programs.collect::<Vec<_>>().join(", ");
    ensure_go(go, &programs, target)?;
    let partial = partial_of(target);
    // Left by a build that was killed; the lock is ours, so nobody writes there.
    remove(&partial)?;
    remove(target)?;
    fs::create_dir_all(&partial).with_context(|| format!("{} cannot be made", partial.display()))?;

    let scratch = ScratchDir::new("nsclass-go-build-")?;
    let log = scratch.path().join("log");
    let mut args: Vec<_> = ["build", "-ldflags"].map(Into::into).into();
    args.push((set.ldflags)(&versions[0]).into());
    args.push("-o".into());
    // A trailing slash makes Go take it as a directory.
    args.push(partial.join("").into());
    args.extend(set.tools.iter().map(|tool| tool.package.into()));
    let go = Process::start(Launch {
        name: "go build".to_owned(),
        program: go.to_owned(),
        args,
        envs: [("CGO_ENABLED", "0"), ("GOWORK", "off")].map(|(k, v)| (k.into(), Some(v.into()))).into(),
        dir: Some(module.dir.clone()),
        stdout: log.clone(),
        stderr: log,
    })?;
    progress::wait(&go, &format!("building {programs} with Go, {}", set.first_build))?;
    for tool in set.tools {
        // Go names a program after its package's directory, without a version.
        let built = partial.join(go_name(tool.package));
        let wanted = partial.join(tool.program);
        fs::rename(&built, &wanted).with_context(|| format!("go build has not made {}", built.display()))?;
    }
    fs::rename(&partial, target).with_context(|| format!("{} cannot be made", target.display()))
}

/// The three ways out, in one sentence.
fn ensure_go(go: &Path, programs: &str, target: &Path) -> Result<()> {
    match Command::new(go).arg("version").output() {
        Ok(output) if output.status.success() => Ok(()),
        _ => bail!(
            "this needs {programs}, which are not on this machine: install Go 1.26 or later, and they are built once, or point \
             KUBEBUILDER_ASSETS at a directory that holds them, or put them into {}",
            target.display()
        ),
    }
}

fn partial_of(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    target.with_file_name(name)
}

fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", dir.display()))
        }
        _ => Ok(()),
    }
}

fn go_name(package: &str) -> &str {
    let is_version = |name: &str| name.strip_prefix('v').is_some_and(|digits| digits.parse::<u32>().is_ok());
    package.rsplit('/').find(|name| !is_version(name)).unwrap_or(package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_under_the_name_that_go_gives_it() {
        assert_eq!(go_name("k8s.io/kubernetes/cmd/kube-apiserver"), "kube-apiserver");
        assert_eq!(go_name("go.etcd.io/etcd/server/v3"), "server");
        assert_eq!(go_name("sigs.k8s.io/kustomize/kustomize/v5"), "kustomize");
    }
}
