//! Another scope while running.

use anyhow::{Result, ensure};
use nsclass_tests::eventually;

use crate::stage::{LABEL, Stage, class, verdict};

#[tokio::test]
async fn s10_another_selector_is_another_generation_and_a_bad_one_keeps_the_old() -> Result<()> {
    let world = Stage::open("s10").await?;
    let operator = world.operator("one", &["a"]).await?;
    world.class("std", class(&["m"], "1")).await?;
    for namespace in ["a", "b"] {
        world.namespace(namespace).of_class("std").label(LABEL, world.value(namespace)).create().await?;
    }
    world.kept_by("a", "one").await?;
    ensure!(world.binding("b").await?.is_none(), "b is bound out of scope");

    operator.reconfigure(&world.config("one", &["b"]))?;
    world.kept_by("b", "one").await?;
    world.given_up("a").await?;
    world.maps("a").get("m").await?;
    ensure!((operator.metric("nsclass_scope_generation").await? - 2.0).abs() < 0.1, "no second generation");
    ensure!(operator.metric("nsclass_scope_flips_total{direction=\"Left\"}").await? >= 1.0, "no flip");

    operator.reconfigure("scope: { namespaces: [a], namespaceSelector: {} }")?;
    eventually("the bad file is refused aloud", async || {
        ensure!(operator.metric("nsclass_configuration_refused").await? > 0.5, "not yet");
        let (_, ready) = operator.get("/readyz?verbose").await?;
        ensure!(ready.contains("refused"), "{ready}");
        Ok(())
    })
    .await?;
    ensure!(verdict(&operator, &world.name("b")).await? == "InScope", "the old scope is no longer in force");
    operator.reconfigure(&world.config("one", &["a", "b"]))?;
    world.kept_by("a", "one").await?;
    world.kept_by("b", "one").await?;
    operator.program().ensure_running()
}
