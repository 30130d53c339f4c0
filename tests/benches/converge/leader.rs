//! What the leader costs, read off the kernel.

use std::fs;

use anyhow::{Context, Result};

/// Memory of a process in kibibytes, from a line of its `status` file: `VmRSS` for now, `VmHWM` for the most it ever had.
pub(crate) fn memory_kib(pid: u32, line: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let value = status.lines().find_map(|l| l.strip_prefix(line)?.strip_prefix(':')).context("no such line")?;
    Ok(value.trim().trim_end_matches(" kB").parse()?)
}

/// Processor time of a process so far, in seconds.
pub(crate) fn cpu_seconds(pid: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let (_, fields) = stat.rsplit_once(')').context("no end of the name")?;
    let ticks = |n: usize| -> Result<f64> { Ok(fields.split_whitespace().nth(n).context("too short")?.parse()?) };
    // User and system time, in hundredths of a second on every Linux.
    Ok((ticks(11)? + ticks(12)?) / 100.0)
}
