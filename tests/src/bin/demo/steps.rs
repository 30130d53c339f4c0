//! The play: what is done, in the order in which it is done.

mod agree;
mod edit;
mod end_class;
mod end_namespace;
mod faulty_class;
mod fill;
mod git;
mod late_kind;
mod leave;
pub mod licence;
mod operator;
mod scope;
mod switch;
mod takeover;
mod tenant;

use anyhow::Result;

use crate::demo::Demo;
use crate::stage::Stage;

/// Plays all of it.
///
/// # Errors
/// At the first claim that is false, and at what cannot be done.
pub async fn play(demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    operator::start(demo, stage).await?;
    classes(demo, stage).await?;
    demo.screen.end_step();
    Ok(())
}

/// Plays what is about Git.
///
/// # Errors
/// As [`play`].
pub async fn play_git(demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    operator::start(demo, stage).await?;
    git::play(demo).await?;
    demo.screen.end_step();
    Ok(())
}

async fn classes(demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    fill::play(demo).await?;
    late_kind::play(demo).await?;
    switch::play(demo).await?;
    edit::play(demo).await?;
    leave::play(demo).await?;
    end_namespace::play(demo).await?;
    end_class::play(demo).await?;
    if let Some(plane) = &stage.plane {
        tenant::play(demo, plane).await?;
        faulty_class::play(demo).await?;
    }
    scope::play(demo, stage).await?;
    agree::play(demo, stage).await?;
    takeover::play(demo, stage).await
}
