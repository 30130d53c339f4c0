//! Two controllers on one cluster.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::events::v1::Event;
use kube::api::ListParams;
use kube::{Api, ResourceExt};
use nsclass_tests::eventually;

use crate::stage::{LABEL, Stage, class, debug};

#[tokio::test]
async fn s35_the_second_instance_keeps_its_hands_off_until_the_first_gives_the_namespace_up() -> Result<()> {
    let world = Stage::open("s35").await?;
    let first = world.operator("first", &["both"]).await?;
    world.class("std", class(&["a"], "1")).await?;
    world.namespace("pay").of_class("std").label(LABEL, world.value("both")).create().await?;
    world.kept_by("pay", "first").await?;
    let map = world.maps("pay").get("a").await?;

    let second = world.operator("second", &["both", "second"]).await?;
    let series = format!("nsclass_scope_other_instance{{instance=\"{}\"}}", world.name("first"));
    eventually("the second says who keeps it", async || {
        ensure!(second.metric(&series).await? >= 1.0, "not counted");
        Ok(())
    })
    .await?;
    ensure!(second.log()?.contains("another operator instance keeps this namespace"), "it is not in the log");
    let condition = format!("OtherInstance.{}", world.name("second"));
    let said = async |status: &str| {
        let class = world.classes().get(&world.name("std")).await?;
        let conditions = class.data["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let found = conditions.iter().find(|it| it["type"] == *condition).context("no condition")?;
        let message = found["message"].as_str().unwrap_or_default().to_owned();
        ensure!(found["status"] == *status, "{found}");
        Ok::<_, anyhow::Error>(message)
    };
    let message = eventually("the class says who keeps it", async || said("True").await).await?;
    let named = [world.name("pay"), world.name("first")];
    ensure!(named.iter().all(|name| message.contains(name)), "{message}");
    let events: Api<Event> = Api::namespaced(world.client(), "default");
    eventually("the namespace has an event", async || {
        let found = events.list(&ListParams::default()).await?;
        let about = |event: &&Event| {
            event.reason.as_deref() == Some("OtherInstance")
                && event.regarding.as_ref().is_some_and(|it| it.name == Some(world.name("pay")))
        };
        let note = found.iter().find(about).and_then(|event| event.note.clone()).context("no event")?;
        ensure!(note.contains(&world.name("first")), "{note}");
        Ok(())
    })
    .await?;
    let edited = class(&["a"], "2");
    world.class("std", edited).await?;
    eventually("the first goes on keeping it", async || {
        let data = world.maps("pay").get("a").await?.data.unwrap_or_default();
        ensure!(data["value"] == "2", "{data:?}");
        Ok(())
    })
    .await?;
    world.kept_by("pay", "first").await?;

    world.mark("pay", Some("second")).await?;
    world.kept_by("pay", "second").await?;
    eventually("nobody else keeps it any more", async || {
        ensure!(second.metric(&series).await.is_err(), "still counted");
        said("False").await?;
        Ok(())
    })
    .await?;
    ensure!(world.maps("pay").get("a").await?.uid() == map.uid(), "made anew on the way");
    world.mark("pay", Some("both")).await?;
    world.kept_by("pay", "second").await?;
    first.program().ensure_running()?;
    second.program().ensure_running()
}

#[tokio::test]
async fn s51_the_digest_is_equal_on_replicas_that_agree_and_differs_with_the_rule() -> Result<()> {
    let world = Stage::open("s51").await?;
    let one = world.operator("one", &["in"]).await?;
    let two = world.operator("two", &["in"]).await?;
    let other = world.operator("three", &["out"]).await?;
    for (namespace, value) in [("a", "in"), ("b", "out"), ("c", "in")] {
        world.namespace(namespace).label(LABEL, world.value(value)).create().await?;
    }
    world.mark("a", Some("out")).await?;
    world.mark("b", Some("in")).await?;
    eventually("both saw the last change, and agree", async || {
        let name = world.name("b");
        let (one, two) =
            (debug(&one, &format!("?namespace={name}")).await?, debug(&two, &format!("?namespace={name}")).await?);
        ensure!(one["namespaces"][0]["verdict"] == "InScope", "{one}");
        ensure!(one["digest"] == two["digest"], "{} and {}", one["digest"], two["digest"]);
        Ok(())
    })
    .await?;
    let series = "nsclass_scope_digest";
    eventually("the metric says the same", async || {
        let (one, two, other) = (one.metric(series).await?, two.metric(series).await?, other.metric(series).await?);
        ensure!((one - two).abs() < 0.5 && (one - other).abs() > 0.5, "{one}, {two}, {other}");
        Ok(())
    })
    .await
}
