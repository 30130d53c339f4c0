//! A licence for so many namespaces.

use anyhow::{Context, Result, ensure};
use nsclass_tests::eventually;

use crate::stage::Stage;

#[tokio::test]
async fn s60_a_licence_for_two_lets_the_oldest_two_in_and_the_next_when_a_place_is_free() -> Result<()> {
    let stage = Stage::open("s60-limit").await?;
    stage.put("licence", Some(&stage.good(Some(2))?)).await?;
    // Made before anybody looks, and equally old ones go by their names.
    for name in ["a", "b", "c"] {
        stage.team(name).await?;
    }
    let operator = stage.run("Hybrid").await?;
    for name in ["a", "b"] {
        stage.ready(name, "std").await?;
    }
    let message = stage.waits("c").await?;
    ensure!(message.contains("2 with a class are as many as it is for"), "{message}");
    eventually("it is counted", async || {
        let held = operator.metric("nsclass_licence_held_namespaces{why=\"over_limit\"}").await?;
        ensure!((held - 1.0).abs() < 0.5, "{held}");
        Ok(())
    })
    .await?;
    stage.has_nothing("c").await?;
    // A smaller one takes nothing from anybody.
    stage.put("licence", Some(&stage.good(Some(1))?)).await?;
    eventually("the smaller one is in force", async || {
        let shown = operator.shown().await?;
        ensure!(shown["shown"]["message"].as_str().context("no message")?.contains("for 1 namespace"), "{shown}");
        Ok(())
    })
    .await?;
    stage.ready("a", "std").await?;
    stage.ready("b", "std").await?;
    stage.put("licence", Some(&stage.good(Some(2))?)).await?;
    stage.leave("a").await?;
    stage.unbound("a").await?;
    stage.ready("c", "std").await?;
    operator.stop().await
}
