//! Who this process is among the candidates.

use std::hash::{BuildHasher, RandomState};

/// The host's name, which in a pod is the pod's, and a number that no other process has.
pub fn identity() -> String {
    let host = rustix::system::uname();
    let host = host.nodename().to_str().unwrap_or("unknown-host");
    format!("{host}_{:016x}", RandomState::new().hash_one(std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s41_two_processes_of_one_host_are_two() {
        let (a, b) = (identity(), identity());
        assert_ne!(a, b);
        assert_eq!(a.rsplit_once('_').map(|(host, _)| host), b.rsplit_once('_').map(|(host, _)| host));
    }
}
