//! The play: what is done, in the order in which it is done.

mod edit;
mod end_class;
mod end_namespace;
mod fill;
mod late_kind;
mod leave;
mod operator;
mod switch;

use anyhow::Result;

use crate::demo::Demo;
use crate::stage::Stage;

/// Plays all of it.
///
/// # Errors
/// At the first claim that is false, and at what cannot be done.
pub async fn play(demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    operator::start(demo, stage).await?;
    fill::play(demo).await?;
    late_kind::play(demo).await?;
    switch::play(demo).await?;
    edit::play(demo).await?;
    leave::play(demo).await?;
    end_namespace::play(demo).await?;
    end_class::play(demo).await?;
    demo.screen.end_step();
    Ok(())
}
