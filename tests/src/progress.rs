//! Long work says so.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::process::Process;

/// Work shorter than this says nothing.
const QUIET: Duration = Duration::from_secs(3);
/// How often the person who waits hears of it after that.
const EVERY: Duration = Duration::from_secs(15);

/// A line on standard error, past the capture of test output, which would hide it until the test has ended.
pub(crate) fn say(line: &str) {
    // A closed terminal is no reason to fail.
    let _ = writeln!(io::stderr(), "nsclass-tests: {line}");
}

/// Blocks until `process` has ended, and tells how long `what` has been going on.
pub(crate) fn wait(process: &Process, what: &str) -> Result<()> {
    let start = Instant::now();
    let mut due = QUIET;
    loop {
        if let Some(status) = process.exit_status()? {
            if status.success() {
                return Ok(());
            }
            bail!("{what}: {} failed ({status}); the end of its output:\n{}", process.name(), process.tail());
        }
        if start.elapsed() >= due {
            due = start.elapsed() + EVERY;
            say(&format!("{what} ... {} s", start.elapsed().as_secs()));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
