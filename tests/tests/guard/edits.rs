//! An edit or the deletion of a class that would empty its namespaces.

use anyhow::{Result, ensure};
use nsclass_shared::api::{GuardCause, get_condition};
use nsclass_tests::{Operator, World, eventually};

use crate::{class, confirm, fill, having, held, nothing_held, settles_at, status};

#[tokio::test]
async fn c47_an_edit_that_would_empty_many_namespaces_stops_after_a_few_until_it_is_confirmed() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c47-edit");
    world.class("std", class(&["keep", "drop"])).await?;
    let names = fill(&world, 8).await?;

    // Three of eight lose it; what the edit adds arrives everywhere.
    world.class("std", class(&["keep", "new"])).await?;
    let left = settles_at(&world, &names, "drop", 5).await?;
    settles_at(&world, &names, "new", 8).await?;
    let message = world.not_ready(&left[0], "GuardEngaged").await?;
    ensure!(message.contains("ConfigMap drop") && message.contains(&world.name("std")), "{message}");
    let change = held(&world, 5).await?;
    ensure!(change.cause == GuardCause::ClassEdited, "{change:?}");

    // Another edit is another change, and the old digest does not let it through.
    world.class("std", class(&["new"])).await?;
    let other = eventually("another digest", async || {
        let other = status(&world).await?.guard.held.first().cloned();
        let other = other.filter(|other| other.digest != change.digest && other.namespaces == 8);
        other.ok_or_else(|| anyhow::anyhow!("not yet"))
    })
    .await?;
    confirm(&world, &change.digest).await?;
    settles_at(&world, &names, "keep", 8).await?;

    // Undone, nothing is held; those that lost something have it again.
    world.class("std", class(&["keep", "drop", "new"])).await?;
    nothing_held(&world).await?;
    settles_at(&world, &names, "drop", 8).await?;

    // Done again it is another one; confirmed, everything goes.
    world.class("std", class(&["new"])).await?;
    let last = held(&world, 8).await?;
    ensure!(last.digest != change.digest && last.digest != other.digest, "{last:?}");
    confirm(&world, &last.digest).await?;
    eventually("all of it is gone", async || {
        ensure!(having(&world, &names, "drop").await?.is_empty() && having(&world, &names, "keep").await?.is_empty());
        Ok(())
    })
    .await?;
    nothing_held(&world).await?;
    for name in &names {
        world.ready(name, "std").await?;
    }
    Ok(())
}

#[tokio::test]
async fn c03_c47_the_deletion_of_a_class_in_use_asks_the_guard() -> Result<()> {
    let (cp, _operator) = Operator::shared().await?;
    let world = World::new(cp, "c47-deletion");
    world.class("std", class(&["a"])).await?;
    let names = fill(&world, 6).await?;
    world.delete_class("std").await?;
    let left = settles_at(&world, &names, "a", 3).await?;
    let change = held(&world, 3).await?;
    ensure!(change.cause == GuardCause::ClassDeleted, "{change:?}");
    let engaged = status(&world).await?;
    let engaged = get_condition(&engaged.conditions, "GuardEngaged").map(|c| c.message.clone()).unwrap_or_default();
    ensure!(engaged.contains("the deletion of the class") && engaged.contains("onDelete: Orphan"), "{engaged}");
    world.not_ready(&left[0], "GuardEngaged").await?;
    confirm(&world, &change.digest).await?;
    eventually("the class is gone, and all that it made", async || {
        ensure!(world.classes().get_opt(&world.name("std")).await?.is_none(), "the class is there");
        ensure!(having(&world, &names, "a").await?.is_empty(), "something of it is there");
        Ok(())
    })
    .await
}
