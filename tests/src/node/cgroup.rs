//! The control group that pods run in. The one thing of a node that is not in a namespace: it is made before and removed after.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Its name, below the root of each hierarchy. One node at a time: whoever finds it in use waits for nobody and says so.
pub(super) const NAME: &str = "nsclass-node";
const MOUNT: &str = "/sys/fs/cgroup";

/// The group, in every hierarchy that the machine has; removed on drop.
#[derive(Debug)]
pub(super) struct Cgroup {
    dirs: Vec<PathBuf>,
}

impl Cgroup {
    pub(super) fn make() -> Result<Self> {
        let mut made = Self { dirs: Vec::new() };
        for root in hierarchies()? {
            let dir = root.join(NAME);
            remove(&dir).with_context(|| {
                format!("{} is in use: another node seems to run on this machine; wait for its end", dir.display())
            })?;
            fs::create_dir(&dir).with_context(|| format!("{} cannot be made", dir.display()))?;
            made.dirs.push(dir.clone());
            // A new group of this controller has neither, and no process can be put into it.
            for setting in ["cpuset.cpus", "cpuset.mems"].iter().filter(|setting| root.join(setting).exists()) {
                fs::write(dir.join(setting), fs::read_to_string(root.join(setting))?)?;
            }
        }
        Ok(made)
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for dir in &self.dirs {
            // Processes that were killed a moment ago may still be in it; the next run would remove what is left.
            for _ in 0..50 {
                if remove(dir).is_ok() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
    }
}

/// Version 2 has one hierarchy, version 1 one for each controller.
fn hierarchies() -> Result<Vec<PathBuf>> {
    let mount = Path::new(MOUNT);
    if mount.join("cgroup.controllers").exists() {
        return Ok(vec![mount.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(mount).with_context(|| format!("{MOUNT} cannot be read"))? {
        let entry = entry?;
        // A link is another name of one of them.
        if entry.file_type()?.is_dir() && entry.path().join("cgroup.procs").exists() {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Removes a group with all that is below; nothing there is as good.
fn remove(dir: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove(&entry.path())?;
        }
    }
    // Its files go with it.
    fs::remove_dir(dir)
}
