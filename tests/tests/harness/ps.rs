//! What the kernel says of processes, by `ps`.

use std::process::Command;

use anyhow::{Result, ensure};

/// A line of `ps`.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    /// First letter of the state: `T` is stopped.
    pub(crate) state: char,
}

/// All processes that still run; those that only wait to be reaped by whoever inherited them do not.
pub(crate) fn running() -> Result<Vec<Entry>> {
    let output = Command::new("ps").args(["-A", "-o", "pid=,ppid=,stat="]).output()?;
    ensure!(output.status.success(), "ps: {output:?}");
    let entry = |line: &str| {
        let mut words = line.split_whitespace();
        let (pid, parent) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Entry { pid, parent, state: words.next()?.chars().next()? })
    };
    let entries: Vec<_> = String::from_utf8(output.stdout)?.lines().filter_map(entry).collect();
    ensure!(entries.iter().any(|entry| entry.pid == std::process::id()), "ps does not list this process: {entries:?}");
    Ok(entries.into_iter().filter(|entry| entry.state != 'Z').collect())
}

/// Those of `pids` that still run.
pub(crate) fn still_running(pids: &[u32]) -> Result<Vec<u32>> {
    Ok(running()?.into_iter().map(|entry| entry.pid).filter(|pid| pids.contains(pid)).collect())
}

/// The children of one process.
pub(crate) fn children(parent: u32) -> Result<Vec<u32>> {
    Ok(running()?.into_iter().filter(|entry| entry.parent == parent).map(|entry| entry.pid).collect())
}
