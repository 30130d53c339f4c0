//! Ports on loopback that stay ours while a server is stopped and started again.
//!
//! A port the kernel hands out (bind to 0) is only free now: between its release and the server's own bind, any outgoing
//! connection may take it. So ports come from below the range of outgoing connections, and a locked file keeps them from other
//! harnesses.

use std::collections::hash_map::RandomState;
use std::fs::{File, create_dir_all};
use std::hash::{BuildHasher, Hasher};
use std::net::TcpListener;

use anyhow::{Context, Result, bail};

use crate::assets::cache_dir;

/// Below the ephemeral ports of Linux (32768 and up) and of macOS (49152 and up), above what services like to use.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// A port that no other harness takes while this value lives.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) number: u16,
    /// Locked; the lock goes with the process.
    _lease: File,
}

impl Port {
    pub(crate) fn reserve() -> Result<Self> {
        let leases = cache_dir()?.join("ports");
        create_dir_all(&leases).with_context(|| format!("{} cannot be made", leases.display()))?;
        // The standard library's one source of randomness: the keys of its hash maps.
        let start = RandomState::new().build_hasher().finish();
        for offset in 0..COUNT {
            let number = FIRST + u16::try_from(start.wrapping_add(u64::from(offset)) % u64::from(COUNT))?;
            let lease = File::create(leases.join(number.to_string()))?;
            if lease.try_lock().is_ok() && TcpListener::bind(("127.0.0.1", number)).is_ok() {
                return Ok(Self { number, _lease: lease });
            }
        }
        bail!("no port is free on 127.0.0.1 from {FIRST} to {}", FIRST + COUNT - 1)
    }
}
