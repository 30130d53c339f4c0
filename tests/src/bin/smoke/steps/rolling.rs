//! A rolling restart of the webhook under steady requests.

use anyhow::{Result, ensure};
use kube::ResourceExt;

use crate::components::WEBHOOK;
use crate::load::Load;
use crate::stage::Stage;

pub async fn play(stage: &Stage<'_>) -> Result<()> {
    stage.screen.step(
        "The webhook is restarted under steady requests",
        "Every request is one that a webhook has to decide, and none is asked twice.",
    );
    let names = async || anyhow::Ok(stage.pods(WEBHOOK).await?.iter().map(ResourceExt::name_any).collect::<Vec<_>>());
    let before = names().await?;
    let load = Load::start(stage.plane())?;
    stage.restart(WEBHOOK).await?;
    stage
        .claim("both webhook pods are new ones", async || {
            stage.ensure_pods(WEBHOOK, 2).await?;
            let now = names().await?;
            ensure!(!now.iter().any(|pod| before.contains(pod)), "{now:?}");
            Ok(())
        })
        .await?;
    stage.ended(WEBHOOK, &before).await?;
    let count = stage.screen.fact("no request was lost", async || load.stop().await).await?;
    stage.screen.say(&format!("{count} requests, each decided as it should be."));
    Ok(())
}
