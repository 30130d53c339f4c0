//! Nothing outlives the process that started it, however that ends.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use nsclass_tests::{Program, eventually};
use tempfile::TempDir;

use crate::ps;

/// The program `control-plane`, which never drops its control plane, with a temporary directory of its own.
struct Runner {
    program: Program,
    temp: TempDir,
}

impl Runner {
    async fn start(args: &[&str], path: Option<&Path>) -> Result<Self> {
        let temp = tempfile::tempdir()?;
        let mut setup = Program::named("control-plane").args(args).env("TMPDIR", temp.path());
        if let Some(path) = path {
            setup = setup.env("PATH", path);
        }
        Ok(Self { program: setup.start().await?, temp })
    }

    /// All its children, once the three programs of the control plane are among them.
    async fn family(&self) -> Result<Vec<u32>> {
        eventually("the control plane is ready", async || {
            let output = self.program.stdout()?;
            let pids = output.lines().find_map(|line| line.strip_prefix("# processes ")).context("not ready")?;
            let pids: Vec<u32> = pids.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
            let children = ps::children(self.program.pid())?;
            // If it panicked on purpose they may be gone by now.
            Ok(if children.is_empty() { pids } else { children })
        })
        .await
    }

    async fn ensure_nothing_is_left(self, family: &[u32]) -> Result<()> {
        eventually("nothing is left", async || {
            let processes = ps::still_running(family)?;
            let files: Vec<PathBuf> =
                self.temp.path().read_dir()?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
            ensure!(processes.is_empty() && files.is_empty(), "processes {processes:?}, files {files:?}");
            Ok(())
        })
        .await
    }
}

#[tokio::test]
async fn nothing_is_left_after_a_normal_end() -> Result<()> {
    let runner = Runner::start(&[], None).await?;
    let family = runner.family().await?;
    // etcd, kube-apiserver, kube-controller-manager and the janitor.
    ensure!(family.len() == 4, "{family:?}");
    let status = runner.program.terminate().await?;
    ensure!(status.success(), "{status}");
    runner.ensure_nothing_is_left(&family).await
}

#[tokio::test]
async fn nothing_is_left_after_a_panic() -> Result<()> {
    let runner = Runner::start(&["--panic"], None).await?;
    let family = runner.family().await?;
    let status = runner.program.wait(nsclass_tests::GENEROUS).await?;
    ensure!(status.code() == Some(101), "{status}");
    runner.ensure_nothing_is_left(&family).await
}

#[tokio::test]
async fn nothing_is_left_after_a_kill() -> Result<()> {
    let runner = Runner::start(&[], None).await?;
    let family = runner.family().await?;
    ensure!(family.len() == 4, "{family:?}");
    runner.program.kill()?;
    runner.ensure_nothing_is_left(&family).await
}

#[tokio::test]
async fn nothing_is_left_after_a_kill_in_the_middle_of_the_start() -> Result<()> {
    let runner = Runner::start(&[], None).await?;
    let family = eventually("the janitor and etcd are there", async || {
        runner.program.ensure_running()?;
        let children = ps::children(runner.program.pid())?;
        ensure!(children.len() >= 2, "{children:?}");
        Ok(children)
    })
    .await?;
    runner.program.kill()?;
    runner.ensure_nothing_is_left(&family).await
}

/// As on macOS, or with busybox: the kernel does not help, the janitor is alone.
#[tokio::test]
async fn nothing_is_left_after_a_kill_where_there_is_no_setpriv() -> Result<()> {
    let path = tempfile::tempdir()?;
    for tool in ["rm", "sleep"] {
        let found = Command::new("/bin/sh").args(["-c", "command -v \"$0\"", tool]).output()?;
        symlink(String::from_utf8(found.stdout)?.trim(), path.path().join(tool))?;
    }
    // Built or found with the usual path: the runner has no Go on its own.
    tokio::task::spawn_blocking(|| nsclass_tests::assets::find(&nsclass_tests::assets::CONTROL_PLANE)).await??;
    let runner = Runner::start(&[], Some(path.path())).await?;
    let family = runner.family().await?;
    ensure!(family.len() == 4, "{family:?}");
    runner.program.kill()?;
    runner.ensure_nothing_is_left(&family).await
}
