//! What a node takes that is not built here: programs of Debian packages.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::progress;

/// A program and the Debian package that holds it.
const PROGRAMS: [(&str, &str); 9] = [
    ("unshare", "util-linux"),
    ("mount", "mount"),
    ("ip", "iproute2"),
    ("iptables", "iptables"),
    ("tar", "tar"),
    ("containerd", "containerd"),
    ("ctr", "containerd"),
    ("runc", "runc"),
    ("buildah", "buildah"),
];
const PLUGINS: &str = "containernetworking-plugins";
/// Where Debian puts the plugins of pod networks, and where others do.
const PLUGIN_DIRS: [&str; 2] = ["/usr/lib/cni", "/opt/cni/bin"];
/// Where programs of an administrator are, should `PATH` not say so.
const SYSTEM_DIRS: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// Makes everything be there: installs what is missing with apt-get, or says what is.
///
/// # Errors
/// Without root, without the right to make namespaces, and when something is missing and cannot be installed.
pub fn ensure_all() -> Result<()> {
    ensure!(
        rustix::process::geteuid().is_root(),
        "a node takes root: run it with sudo, or in a virtual machine of your own"
    );
    let missing = missing();
    if !missing.is_empty() {
        let packages = missing.join(" ");
        progress::say(&format!("installing {packages}"));
        install(&missing)
            .with_context(|| format!("a node takes the Debian packages {packages}; install them, or what they hold"))?;
    }
    let trial = Command::new(path("unshare")?).args(["--net", "--mount", "--pid", "--fork", "true"]).output()?;
    ensure!(
        trial.status.success(),
        "this machine does not let root make namespaces of its own (unshare --net --mount --pid): {}",
        String::from_utf8_lossy(&trial.stderr).trim()
    );
    Ok(())
}

/// Where a program is.
pub(super) fn path(program: &str) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let dirs = env::split_paths(&path).chain(SYSTEM_DIRS.map(PathBuf::from));
    dirs.map(|dir| dir.join(program)).find(|file| file.is_file()).with_context(|| format!("{program} is missing"))
}

/// The directory of the plugins that connect pods.
pub(super) fn cni_plugins() -> Result<PathBuf> {
    let is_whole = |dir: &PathBuf| ["bridge", "host-local", "loopback"].iter().all(|plugin| dir.join(plugin).is_file());
    PLUGIN_DIRS.map(PathBuf::from).into_iter().find(is_whole).context("the plugins of pod networks are missing")
}

fn missing() -> Vec<&'static str> {
    let mut packages: Vec<_> =
        PROGRAMS.into_iter().filter(|(program, _)| path(program).is_err()).map(|(_, package)| package).collect();
    packages.extend(cni_plugins().is_err().then_some(PLUGINS));
    packages.sort_unstable();
    packages.dedup();
    packages
}

/// Removes nothing for it: a machine with another container engine keeps that.
fn install(packages: &[&str]) -> Result<()> {
    let apt_get = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(["--quiet", "--yes", "--no-install-recommends", "--no-remove"]).args(args);
        // Daemons in those packages are not to be started.
        command.envs([("DEBIAN_FRONTEND", "noninteractive"), ("RUNLEVEL", "1")]);
        let output = command.output().context("apt-get cannot be run")?;
        ensure!(output.status.success(), "apt-get: {}", String::from_utf8_lossy(&output.stderr).trim());
        anyhow::Ok(())
    };
    let all = [&["install"], packages].concat();
    if apt_get(&all).is_err() {
        // A fresh machine has no list of packages yet.
        apt_get(&["update"])?;
        apt_get(&all)?;
    }
    let missing = missing();
    if !missing.is_empty() {
        bail!("they are installed, and yet something of {} is missing", missing.join(" "));
    }
    Ok(())
}
