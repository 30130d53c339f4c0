//! The play: what is done, in the order in which it is done.

mod classes;
pub mod image;
mod install;
mod metrics;
mod outage;
mod rights;
mod rolling;
mod rotation;
mod takeover;
mod tenant;
mod uninstall;
mod upgrade;

use anyhow::Result;

use crate::stage::Stage;

/// Plays all of it.
///
/// # Errors
/// At the first claim that is false, and at what cannot be done.
pub async fn play(stage: &Stage<'_>) -> Result<()> {
    install::play(stage).await?;
    classes::play(stage).await?;
    tenant::play(stage).await?;
    metrics::play(stage).await?;
    takeover::play(stage).await?;
    rolling::play(stage).await?;
    rotation::play(stage).await?;
    outage::play(stage).await?;
    upgrade::play(stage).await?;
    uninstall::play(stage).await?;
    rights::play(stage).await?;
    stage.screen.end_step();
    let (steps, claims, seconds) = stage.screen.count();
    stage.screen.say(&format!("{steps} steps, {claims} claims checked, none false, {seconds:.0} s."));
    Ok(())
}
