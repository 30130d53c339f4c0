//! Processor time, cores and memory of a process, from the kernel.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};

/// Keeps every thread of a process on one core.
pub(crate) fn pin(pid: u32, core: usize) -> Result<()> {
    let mut cores = CpuSet::new();
    cores.set(core);
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let id = thread?.file_name().to_string_lossy().parse()?;
        sched_setaffinity(Pid::from_raw(id), &cores)?;
    }
    Ok(())
}

/// The processor time that a process has taken so far.
pub(crate) fn time(pid: u32) -> Result<Duration> {
    let mut nanos = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        // The first number is the time on a processor, in nanoseconds.
        let stat = fs::read_to_string(thread?.path().join("schedstat"))?;
        nanos += stat.split_whitespace().next().context("an empty schedstat")?.parse::<u64>()?;
    }
    Ok(Duration::from_nanos(nanos))
}

/// Resident memory, in megabytes.
pub(crate) fn resident(pid: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}
