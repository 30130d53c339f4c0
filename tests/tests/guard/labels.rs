//! A script that unlabels everything.

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use nsclass_shared::api::GuardCause;
use nsclass_tests::{Operator, World, eventually};

use crate::{class, confirm, fill, having, held, nothing_held, settles_at};

#[tokio::test]
async fn c47_a_script_that_unlabels_everything_is_stopped_and_can_be_undone_or_confirmed() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c47-labels");
    world.class("std", class(&["a"])).await?;
    let names = fill(&world, 9).await?;
    try_join_all(names.iter().map(|name| world.leave(name))).await?;
    let left = settles_at(&world, &names, "a", 6).await?;
    let change = held(&world, 6).await?;
    ensure!(change.cause == GuardCause::LabelsLost && change.up_to.is_some(), "{change:?}");
    let message = world.not_ready(&left[0], "GuardEngaged").await?;
    ensure!(message.contains("ConfigMap a"), "{message}");

    // Two are labelled again: nothing happened to them. The others are confirmed, and go.
    for name in &left[..2] {
        world.join(name, "std").await?;
        world.ready(name, "std").await?;
    }
    let rest = held(&world, 4).await?;
    confirm(&world, &rest.digest).await?;
    for name in &left[2..] {
        world.unbound(name).await?;
    }
    nothing_held(&world).await?;
    ensure!(having(&world, &names, "a").await? == left[..2], "{:?}", having(&world, &names, "a").await?);

    // The confirmation was for those alone: labels lost later are another change.
    try_join_all(names.iter().map(|name| world.join(name, "std"))).await?;
    for name in &names {
        world.ready(name, "std").await?;
    }
    try_join_all(names.iter().map(|name| world.leave(name))).await?;
    let again = held(&world, 9).await?;
    ensure!(again.digest != rest.digest, "{again:?}");
    settles_at(&world, &names, "a", 9).await?;
    Ok(())
}

#[tokio::test]
async fn c47_a_switch_is_no_loss_however_many_make_it() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c47-switch");
    world.class("std", class(&["a"])).await?;
    world.class("other", class(&["b"])).await?;
    let names = fill(&world, 5).await?;
    try_join_all(names.iter().map(|name| world.join(name, "other"))).await?;
    eventually("all have the other class alone", async || {
        ensure!(having(&world, &names, "a").await?.is_empty() && having(&world, &names, "b").await?.len() == 5);
        Ok(())
    })
    .await
}
