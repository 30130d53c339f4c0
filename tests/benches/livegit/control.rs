//! The same bytes in the same commits, by the git program alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use nsclass_tests::git_server::{Https, Origin, Right};

/// What each commit since `before` wrote, the oldest first.
pub(crate) fn groups(origin: &Origin, before: &str) -> Result<Vec<BTreeMap<String, String>>> {
    let range = format!("{before}..main");
    let commits = origin.git(["rev-list", "--reverse", &range])?;
    let read = |commit: &str| {
        let names = origin.git(["diff-tree", "-r", "--no-commit-id", "--name-only", commit])?;
        let files = names.lines().map(|name| Ok((name.to_owned(), origin.git(["show", &format!("{commit}:{name}")])?)));
        files.collect()
    };
    commits.lines().map(read).collect()
}

/// Seconds that it takes to write, add and commit each group on `before`, and to push all of them to another branch.
pub(crate) fn measure(server: &Https, before: &str, groups: &[BTreeMap<String, String>]) -> Result<f64> {
    server.admit("control", "control", Right::Write);
    let dir = tempfile::tempdir()?;
    fs::write(dir.path().join("ca.crt"), server.ca())?;
    fs::write(dir.path().join("credentials"), server.url().replace("https://", "https://control:control@"))?;
    let clone = dir.path().join("clone");
    let url = server.url();
    git(dir.path(), dir.path(), &["clone", "--quiet", &url, "clone"])?;
    git(dir.path(), &clone, &["checkout", "--quiet", "-b", "control", before])?;
    git(dir.path(), &clone, &["push", "--quiet", "--force", "origin", "control"])?;
    let begin = Instant::now();
    for group in groups {
        for (path, text) in group {
            fs::write(clone.join(path), text)?;
        }
        let paths: Vec<&str> = group.keys().map(String::as_str).collect();
        git(dir.path(), &clone, &[&["add", "--"], &paths[..]].concat())?;
        git(dir.path(), &clone, &["commit", "--quiet", "-m", "a group"])?;
    }
    git(dir.path(), &clone, &["push", "--quiet", "origin", "control"])?;
    Ok(begin.elapsed().as_secs_f64())
}

fn git(home: &Path, dir: &Path, args: &[&str]) -> Result<()> {
    let mut command = Command::new("git");
    let (ca, store) = (home.join("ca.crt"), home.join("credentials"));
    command.arg("-c").arg(format!("http.sslCAInfo={}", ca.display()));
    command.arg("-c").arg(format!("credential.helper=store --file={}", store.display()));
    command.args(["-c", "user.name=control", "-c", "user.email=control@localhost", "-c", "gc.auto=0"]).args(args);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.current_dir(dir).env_clear().env("PATH", path).env("HOME", home);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_TERMINAL_PROMPT", "0");
    let output = command.output().context("git cannot be run")?;
    ensure!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
