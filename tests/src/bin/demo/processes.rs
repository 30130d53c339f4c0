//! The operator's processes, alike in what they tell about themselves.

use std::net::SocketAddr;

use anyhow::Result;
use nsclass_tests::http_get;

/// A process that the demo started and has not killed.
pub struct RunningProcess {
    pub name: &'static str,
    pub pid: u32,
    pub admin: SocketAddr,
}

impl RunningProcess {
    /// Its admin port: status and body of a GET.
    pub async fn get(&self, path: &str) -> Result<(u16, String)> {
        http_get(self.admin, path).await
    }
}
