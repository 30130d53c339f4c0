//! A person's hand in the lease.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_shared::names::controller_lease;
use nsclass_tests::replica::{holder, leases};
use nsclass_tests::{Replica, World, eventually, holds_for};
use serde_json::{Value, json};

use crate::{QUICK, Turn, class};

async fn edit(turn: &Turn, spec: Value) -> Result<()> {
    let patch = Patch::Merge(json!({ "spec": spec }));
    leases(turn.cp).patch(&controller_lease("default"), &PatchParams::default(), &patch).await?;
    Ok(())
}

#[tokio::test]
async fn fault06_a_lease_that_is_deleted_or_edited_has_one_leader_again() -> Result<()> {
    let turn = Turn::wait().await?;
    let (leader, standby) = Replica::pair(turn.cp, ["hand-a", "hand-b"], QUICK).await?;
    let name = controller_lease("default");
    let first = holder(turn.cp, |_| true).await?;

    // Deleted: the leader writes it again before anybody else takes it.
    leases(turn.cp).delete(&name, &DeleteParams::default()).await?;
    holder(turn.cp, |holder| holder == first).await?;
    holds_for(Duration::from_secs(2), "the leader leads and the standby does not", async || {
        ensure!(leader.leads().await? && !standby.leads().await?, "not so");
        Ok(())
    })
    .await?;

    // What is not its holder is put right by the next renewal, and what others write into it stays.
    edit(&turn, json!({ "leaseDurationSeconds": 100_000, "renewTime": "2001-01-01T00:00:00.000000Z" })).await?;
    let note = Patch::Merge(json!({ "metadata": { "annotations": { "note": "kept" } } }));
    leases(turn.cp).patch(&name, &PatchParams::default(), &note).await?;
    eventually("the lease says what it should", async || {
        let lease = leases(turn.cp).get(&name).await?;
        let spec = lease.spec.context("no spec")?;
        ensure!(spec.lease_duration_seconds == Some(8) && spec.holder_identity.as_ref() == Some(&first), "{spec:?}");
        ensure!(lease.metadata.annotations.is_some_and(|it| it["note"] == "kept"), "the annotation is gone");
        Ok(())
    })
    .await?;

    // Given to somebody who does not exist: the leader stops at once, and the standby waits for the stranger's time, no longer.
    edit(&turn, json!({ "holderIdentity": "nobody" })).await?;
    leader.until_it_gives_up().await?;
    ensure!(leader.log()?.contains("held by nobody"), "it does not say by whom");
    standby.until_it_leads().await?;
    let second = holder(turn.cp, |holder| holder != "nobody" && holder != first).await?;

    // Emptied: whoever is first.
    let third = Replica::start(turn.cp, "hand-c", QUICK).await?;
    edit(&turn, json!({ "holderIdentity": null })).await?;
    holder(turn.cp, |_| true).await?;
    let (mut left, mut right) = (standby, third);
    if holder(turn.cp, |_| true).await? != second {
        left.until_it_gives_up().await?;
        left = Replica::start(turn.cp, "hand-d", QUICK).await?;
        std::mem::swap(&mut left, &mut right);
    }
    left.until_it_leads().await?;
    ensure!(!right.leads().await?, "both lead");

    // And the one who leads works.
    let world = World::new(turn.cp, "hand");
    world.class("std", class("1")).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    right.program().terminate().await?;
    left.program().terminate().await?;
    Ok(())
}
