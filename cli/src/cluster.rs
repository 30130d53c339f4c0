//! What every command begins with that asks a cluster.

use std::future::Future;

use anyhow::Result;

/// Runs work that speaks to an API server.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    // An error means that there is one already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}
