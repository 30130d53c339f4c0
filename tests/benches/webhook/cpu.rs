//! Processor time, cores, precedence and memory of a process, from the kernel.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, setpriority_process};
use rustix::thread::{CpuSet, gettid, sched_setaffinity};

/// Before what else runs on the machine.
const BEFORE_OTHERS: i32 = -10;
/// Before everything, what is measured included.
const FIRST: i32 = -20;

/// Keeps every thread of a process on one core.
pub(crate) fn pin(pid: u32, core: usize) -> Result<()> {
    each_thread(pid, |thread| Ok(sched_setaffinity(thread, &only(core))?))
}

/// Keeps the calling thread on one core.
pub(crate) fn pin_thread(core: usize) -> Result<()> {
    Ok(sched_setaffinity(None, &only(core))?)
}

/// Has every thread of a process, and what it starts from here on, go before what else runs on the machine. Where that is not allowed, it
/// goes with the others.
pub(crate) fn favour(pid: u32) -> Result<()> {
    each_thread(pid, |thread| {
        let _ = setpriority_process(thread, BEFORE_OTHERS);
        Ok(())
    })
}

/// Has the calling thread go before everything; whether that is allowed.
pub(crate) fn favour_thread() -> bool {
    setpriority_process(Some(gettid()), FIRST).is_ok()
}

fn only(core: usize) -> CpuSet {
    let mut cores = CpuSet::new();
    cores.set(core);
    cores
}

fn each_thread(pid: u32, mut act: impl FnMut(Option<Pid>) -> Result<()>) -> Result<()> {
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        act(Pid::from_raw(thread?.file_name().to_string_lossy().parse()?))?;
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
