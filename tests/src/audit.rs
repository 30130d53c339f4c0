//! Who asked the API server for what, how often: counted in its own audit log, not in our code.
//!
//! ```no_run
//! # async fn example(cp: &nsclass_tests::ControlPlane) -> anyhow::Result<()> {
//! let start = cp.audit().mark().await?;
//! // … the operator does its work …
//! let work = cp.audit().since(start).await?;
//! let writes = work.writes().by_agent("nsclass-controller").in_namespace("pay");
//! anyhow::ensure!(writes.is_empty(), "at rest, and yet:\n{writes}");
//! # Ok(())
//! # }
//! ```

mod event;
pub mod grants;
mod log;
mod requests;

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};
use tokio::time::{Instant, sleep};

use crate::eventually::GENEROUS;
pub(crate) use log::AuditLog;
pub use requests::{Request, Requests, Subject};

/// Name of the objects that a barrier asks for; they never exist.
const BARRIER: &str = "nsclass-tests-barrier-";

/// A moment in the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(usize);

/// The audit log of one control plane, for the current runtime.
#[derive(Clone)]
pub struct Audit {
    log: Arc<Mutex<AuditLog>>,
    client: Client,
}

impl Audit {
    pub(crate) fn new(log: Arc<Mutex<AuditLog>>, client: Client) -> Self {
        Self { log, client }
    }

    /// This moment: every request that was answered before is before it.
    ///
    /// # Errors
    /// When the API server does not answer, or its log cannot be read.
    pub async fn mark(&self) -> Result<Mark> {
        self.barrier().await?;
        Ok(Mark(self.log().requests().len()))
    }

    /// Every request since `mark` that has been answered by now.
    ///
    /// # Errors
    /// As [`Audit::mark`].
    pub async fn since(&self, mark: Mark) -> Result<Requests> {
        self.barrier().await?;
        Ok(Requests::new(self.log().requests()[mark.0..].to_vec()))
    }

    /// Every request since the control plane was started.
    ///
    /// # Errors
    /// As [`Audit::mark`].
    pub async fn all(&self) -> Result<Requests> {
        self.since(Mark(0)).await
    }

    /// Waits until the log has caught up.
    ///
    /// The server writes a line when it has received a request and one when it is done with it, and what a killed or impatient
    /// client asked for is still being done when nobody waits for it any more. So a request of our own is sent; when it is in the
    /// log, the reception of everything before it is too, and what is not done yet is waited for.
    async fn barrier(&self) -> Result<()> {
        let name = format!("{BARRIER}{:016x}", RandomState::new().build_hasher().finish());
        let objects: Api<ConfigMap> = Api::namespaced(self.client.clone(), "default");
        objects.get_opt(&name).await.context("the audit log's barrier: the API server does not answer")?;
        self.read_until("the barrier's own request", |log| log.take_barrier(&name)).await?;
        let mut behind = self.log().pending();
        self.read_until("requests received before the barrier", |log| {
            behind.retain(|id| log.is_pending(id));
            behind.is_empty()
        })
        .await
    }

    async fn read_until(&self, what: &str, mut caught_up: impl FnMut(&mut AuditLog) -> bool) -> Result<()> {
        let end = Instant::now() + GENEROUS;
        loop {
            {
                let mut log = self.log();
                log.read()?;
                if caught_up(&mut log) {
                    return Ok(());
                }
            }
            if Instant::now() >= end {
                bail!("the audit log has not caught up within {GENEROUS:?}: {what} are missing");
            }
            sleep(Duration::from_millis(5)).await;
        }
    }

    fn log(&self) -> MutexGuard<'_, AuditLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit").field("log", &self.log).finish_non_exhaustive()
    }
}
