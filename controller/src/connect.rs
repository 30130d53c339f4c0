//! The clients of the controller. No other file makes a client: each of these asks before it writes, or writes nothing but the lease.

#![allow(clippy::disallowed_types, reason = "this is where clients are made")]

use anyhow::Context;
use kube::{Client, client::ClientBuilder};
use nsclass_shared::runtime::{KeepRetryAfter, UNUSABLE, cluster, ensure_supported};

use crate::leader::{Gate, LeaderGuard};

/// What the process asks the cluster with.
pub struct Clients {
    /// For everything: reads at any time, and writes only while the guard lets them through.
    pub gated: Client,
    /// For the lease alone: with connections of its own, which no burst of other requests keeps busy.
    pub lease: Client,
}

/// Connects.
///
/// # Errors
/// There is no cluster, it does not answer, or it is too old.
pub async fn connect(guard: &LeaderGuard) -> anyhow::Result<Clients> {
    let gated = ClientBuilder::try_from(cluster("nsclass-controller").await?).context(UNUSABLE)?;
    let gated = gated.with_layer(&KeepRetryAfter).with_layer(&Gate(guard.clone())).build();
    let lease = ClientBuilder::try_from(cluster("nsclass-leader-election").await?).context(UNUSABLE)?.build();
    ensure_supported(&gated).await?;
    Ok(Clients { gated, lease })
}
