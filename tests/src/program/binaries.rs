//! Where this workspace's binaries are: Cargo is asked, and builds them first if they are stale.
//!
//! `CARGO_BIN_EXE_…` is set only for binaries of the package under test, and a path guessed under `target` may be last week's.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow};
use serde::Deserialize;

use crate::process::{Launch, Process, ScratchDir};
use crate::progress;

/// The workspace's root, relative to this crate.
pub(crate) const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A line of `cargo build --message-format=json`, as far as it is used.
#[derive(Deserialize)]
struct Message {
    target: Option<Target>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// The path of a binary; blocks while it is built. The first caller builds them all.
pub(super) fn path(binary: &str) -> Result<PathBuf> {
    static BINARIES: OnceLock<Result<BTreeMap<String, PathBuf>, String>> = OnceLock::new();
    let binaries = BINARIES.get_or_init(|| build().map_err(|error| format!("{error:#}")));
    let binaries = binaries.as_ref().map_err(|error| anyhow!("{error}"))?;
    binaries.get(binary).cloned().with_context(|| {
        let there = binaries.keys().cloned().collect::<Vec<_>>().join(", ");
        format!("the workspace has no binary {binary:?}; it has: {there}")
    })
}

fn build() -> Result<BTreeMap<String, PathBuf>> {
    let scratch = ScratchDir::new("nsclass-cargo-build-")?;
    let (stdout, stderr) = (scratch.path().join("stdout"), scratch.path().join("stderr"));
    let mut args =
        ["build", "--workspace", "--bins", "--message-format=json-render-diagnostics"].map(OsString::from).to_vec();
    args.extend(like(&env::current_exe()?));
    let cargo = Process::start(Launch {
        name: "cargo build".to_owned(),
        program: env::var_os("CARGO").unwrap_or_else(|| "cargo".into()).into(),
        args,
        envs: env::vars_os()
            .map(|(name, _)| name)
            .filter(|name| is_of_this_crate(name))
            .map(|name| (name, None))
            .collect(),
        dir: Some(WORKSPACE.into()),
        stdout: stdout.clone(),
        stderr,
    })?;
    progress::wait(&cargo, "building the workspace's binaries")?;
    executables(&fs::read_to_string(stdout)?)
}

/// Whether Cargo set this variable for the crate that it runs now. Handed down, they change what build scripts see, and half of the
/// dependencies would be built again, here and in the next run outside.
fn is_of_this_crate(name: &OsStr) -> bool {
    const PREFIXES: [&str; 5] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
    name == "OUT_DIR" || name.to_str().is_some_and(|name| PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

/// The arguments that make Cargo build where and how `exe`, a test or binary of this workspace, was built. Empty, and so Cargo's
/// defaults, when `exe` is not in a target directory.
fn like(exe: &Path) -> Vec<OsString> {
    // Cargo tags the directory against backups; below it are [TRIPLE/]PROFILE/[deps/]EXE.
    let Some(target) = exe.ancestors().find(|dir| dir.join("CACHEDIR.TAG").is_file()) else { return Vec::new() };
    let below: Vec<_> = exe.strip_prefix(target).into_iter().flat_map(Path::iter).collect();
    let (triple, profile) = match *below {
        [profile, _] => (None, profile),
        [profile, deps, _] if deps == "deps" => (None, profile),
        [triple, profile, _] => (Some(triple), profile),
        [triple, profile, deps, _] if deps == "deps" => (Some(triple), profile),
        _ => return Vec::new(),
    };
    let profile = if profile == "debug" { "dev".into() } else { profile.to_owned() };
    let mut args = vec!["--target-dir".into(), target.into(), "--profile".into(), profile];
    args.extend(triple.into_iter().flat_map(|triple| ["--target".into(), triple.to_owned()]));
    args
}

fn executables(messages: &str) -> Result<BTreeMap<String, PathBuf>> {
    let mut executables = BTreeMap::new();
    for line in messages.lines() {
        let message: Message = serde_json::from_str(line).with_context(|| format!("cargo build said {line:?}"))?;
        if let (Some(target), Some(executable)) = (message.target, message.executable) {
            executables.insert(target.name, executable);
        }
    }
    Ok(executables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_are_built_where_and_how_the_test_was() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let target = dir.path();
        fs::write(target.join("CACHEDIR.TAG"), "")?;
        let args = |exe: &str| like(&target.join(exe)).join(OsString::from(" ").as_os_str()).into_string();
        let base = format!("--target-dir {} --profile", target.display());
        assert_eq!(args("debug/deps/harness-1"), Ok(format!("{base} dev")));
        assert_eq!(args("release/demo"), Ok(format!("{base} release")));
        assert_eq!(
            args("x86_64-unknown-linux-gnu/bench/deps/t"),
            Ok(format!("{base} bench --target x86_64-unknown-linux-gnu"))
        );
        assert_eq!(args("t"), Ok(String::new()));
        Ok(())
    }

    #[test]
    fn executables_are_taken_from_the_messages_that_name_one() -> Result<()> {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"kube"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"demo"},"executable":"/t/debug/demo"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executables(messages)?, BTreeMap::from([("demo".to_owned(), PathBuf::from("/t/debug/demo"))]));
        Ok(())
    }
}
