//! Which class a namespace has (class.md C01, C02, C04–C07).

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams};
use nsclass_shared::names::CLASS_LABEL;
use nsclass_tests::{eventually, holds_for};
use serde_json::json;

use crate::stage::{Stage, config_map, ensure_maps, follows, for_objects, items, maps, says};

#[tokio::test]
async fn c01_a_labelled_namespace_gets_what_its_class_says() -> Result<()> {
    let world = Stage::open("c01").await?;
    let about = config_map("about", &json!({ "team": "{{ .Namespace.Labels.team }}" }));
    world.class("std", items(&[about])).await?;
    world.namespace("pay").of_class("std").label("team", "blue").create().await?;
    let status = world.ready("pay", "std").await?.status.context("status")?;
    ensure!(status.inventory.len() == 1 && !status.inventory[0].uid.is_empty(), "{status:?}");
    let about = maps(&world, "pay").get("about").await?;
    ensure!(about.data.as_ref().is_some_and(|d| d["team"] == "blue"), "{about:?}");
    ensure!(about.labels()["nsclass.io/managed"] == "true", "{about:?}");
    Ok(())
}

#[tokio::test]
async fn c01_a_removed_label_is_told_with_the_time_and_then_everything_goes() -> Result<()> {
    let world = Stage::open("c01-out").await?;
    world.class("std", json!({ "resources": [config_map("a", &json!({}))], "optOutDelay": "3s" })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let mark = world.mark().await?;
    world.leave("pay").await?;
    let message = world.not_ready("pay", "OptingOut").await?;
    let gone = world.binding("pay").await?.and_then(|b| b.status?.objects_go).context("no time")?;
    says(&message, &[&format!("since {}", gone.since.0), &format!("go at {}", gone.at.0)])?;
    ensure!(gone.at.0.duration_since(gone.since.0).as_secs() == 3, "{gone:?}");
    world.unbound("pay").await?;
    ensure_maps(&world, "pay", &[]).await?;
    let deletes = world.asked(mark, "pay").await?.verb("delete").on("configmaps");
    let delete = deletes.iter().next().context("no delete")?;
    ensure!(deletes.len() == 1 && delete.received >= gone.at.0, "{delete:?} before {gone:?}");
    Ok(())
}

#[tokio::test]
async fn c01_the_label_back_in_time_means_that_nothing_happened() -> Result<()> {
    let world = Stage::open("c01-back").await?;
    world.class("std", items(&[config_map("a", &json!({}))])).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    let (mark, before) = (world.mark().await?, maps(&world, "pay").get("a").await?);
    world.leave("pay").await?;
    world.not_ready("pay", "OptingOut").await?;
    world.join("pay", "std").await?;
    let binding = world.ready("pay", "std").await?;
    ensure!(binding.status.context("status")?.objects_go.is_none(), "it still says when its objects go");
    let requests = for_objects(&world.asked(mark, "pay").await?);
    ensure!(requests.is_empty(), "nothing had to happen, and yet:\n{requests}");
    let after = maps(&world, "pay").get("a").await?;
    ensure!(after.resource_version() == before.resource_version(), "{after:?}");
    Ok(())
}

#[tokio::test]
async fn c01_an_empty_label_is_opting_out() -> Result<()> {
    let world = Stage::open("c01-empty").await?;
    world.class("std", json!({ "resources": [config_map("a", &json!({}))], "optOutDelay": "1s" })).await?;
    world.namespace("pay").of_class("std").create().await?;
    world.ready("pay", "std").await?;
    world.label("pay", CLASS_LABEL, Some("")).await?;
    world.unbound("pay").await?;
    ensure_maps(&world, "pay", &[]).await
}

#[tokio::test]
async fn c02_an_absent_class_changes_nothing_and_takes_effect_the_moment_it_is_there() -> Result<()> {
    let world = Stage::open("c02").await?;
    world.class("a", items(&[config_map("only-a", &json!({}))])).await?;
    world.namespace("pay").of_class("a").create().await?;
    world.ready("pay", "a").await?;
    world.join("pay", "b").await?;
    says(&world.not_ready("pay", "ClassNotFound").await?, &[&world.name("b"), "does not exist"])?;
    quiet(&world, "pay", &["only-a"]).await?;
    world.class("b", items(&[config_map("only-b", &json!({}))])).await?;
    world.ready("pay", "b").await?;
    ensure_maps(&world, "pay", &["only-b"]).await
}

#[tokio::test]
async fn c02_a_class_that_is_not_accepted_changes_nothing_until_it_is_corrected() -> Result<()> {
    let world = Stage::open("c02-bad").await?;
    let class = world.class("a", items(&[config_map("one", &json!({}))])).await?;
    world.namespace("pay").of_class("a").create().await?;
    follows(&world, "pay", &class).await?;
    let mut owned = config_map("two", &json!({}));
    owned["metadata"]["finalizers"] = json!(["example.com/x"]);
    world.class("a", items(&[owned])).await?;
    says(
        &world.not_ready("pay", "ClassInvalid").await?,
        &["spec.resources[0].metadata.finalizers", "remove the field"],
    )?;
    quiet(&world, "pay", &["one"]).await?;
    let class = world.class("a", items(&[config_map("two", &json!({}))])).await?;
    follows(&world, "pay", &class).await?;
    ensure_maps(&world, "pay", &["two"]).await
}

#[tokio::test]
async fn c02_a_class_that_is_being_deleted_changes_nothing_where_it_is_asked_for() -> Result<()> {
    let world = Stage::open("c02-going").await?;
    world.class("a", items(&[config_map("only-a", &json!({}))])).await?;
    world.class("b", items(&[config_map("only-b", &json!({}))])).await?;
    world.namespace("pay").of_class("a").create().await?;
    world.ready("pay", "a").await?;
    let finalizers = |finalizers: &[&str]| Patch::Merge(json!({ "metadata": { "finalizers": finalizers } }));
    let (classes, b) = (world.classes(), world.name("b"));
    classes.patch(&b, &PatchParams::default(), &finalizers(&["example.com/held"])).await?;
    classes.delete(&b, &DeleteParams::default()).await?;
    world.join("pay", "b").await?;
    says(&world.not_ready("pay", "ClassNotFound").await?, &[&b, "is being deleted"])?;
    quiet(&world, "pay", &["only-a"]).await?;
    classes.patch(&b, &PatchParams::default(), &finalizers(&[])).await?;
    eventually("the class is known to be gone", async || {
        says(&world.not_ready("pay", "ClassNotFound").await?, &[&b, "does not exist"])
    })
    .await?;
    ensure_maps(&world, "pay", &["only-a"]).await
}

/// Nothing that is there changes, and nothing is written, for a while.
async fn quiet(world: &Stage, namespace: &str, names: &[&str]) -> Result<()> {
    let mark = world.mark().await?;
    holds_for(Duration::from_secs(3), "the objects stay", async || ensure_maps(world, namespace, names).await).await?;
    let writes = world.asked(mark, namespace).await?.writes();
    ensure!(writes.is_empty(), "nothing changed, and yet:\n{writes}");
    Ok(())
}

#[tokio::test]
async fn c04_a_switch_keeps_what_both_have_and_what_others_own_in_it() -> Result<()> {
    let world = Stage::open("c04").await?;
    world.class("a", items(&[config_map("both", &json!({ "a": "1" })), config_map("only-a", &json!({}))])).await?;
    world.class("b", items(&[config_map("both", &json!({ "b": "2" })), config_map("only-b", &json!({}))])).await?;
    world.namespace("pay").of_class("a").create().await?;
    world.ready("pay", "a").await?;
    let foreign = Patch::Apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "data": { "theirs": "3" } }));
    let before = maps(&world, "pay").patch("both", &PatchParams::apply("somebody"), &foreign).await?;
    let mark = world.mark().await?;
    world.join("pay", "b").await?;
    world.ready("pay", "b").await?;
    let both = maps(&world, "pay").get("both").await?;
    ensure!(both.uid() == before.uid(), "the shared object was made anew");
    let data = both.data.clone().unwrap_or_default();
    ensure!(data.len() == 2 && data["b"] == "2" && data["theirs"] == "3", "{data:?}");
    ensure!(both.labels()["nsclass.io/class"] == world.name("b"), "{:?}", both.labels());
    ensure_maps(&world, "pay", &["both", "only-b"]).await?;
    let asked = for_objects(&world.asked(mark, "pay").await?);
    let applied = asked.verb("patch").iter().map(|r| r.answered).max().context("nothing applied")?;
    let deleted = asked.verb("delete").iter().map(|r| r.received).min().context("nothing deleted")?;
    ensure!(applied <= deleted, "deleted at {deleted}, before the apply that ended at {applied}:\n{asked}");
    eventually("the class a is free", async || {
        let class = world.classes().get(&world.name("a")).await?;
        ensure!(class.finalizers().is_empty(), "{:?}", class.finalizers());
        Ok(())
    })
    .await
}

#[tokio::test]
async fn c05_an_edit_reaches_every_namespace_and_unchanged_objects_get_no_request() -> Result<()> {
    let world = Stage::open("c05").await?;
    let class = |value: &str| items(&[config_map("same", &json!({})), config_map("edited", &json!({ "v": value }))]);
    world.class("std", class("1")).await?;
    for namespace in ["x", "y", "z"] {
        world.namespace(namespace).of_class("std").create().await?;
    }
    for namespace in ["x", "y", "z"] {
        world.ready(namespace, "std").await?;
    }
    let mark = world.mark().await?;
    let edited = world.class("std", class("2")).await?;
    for namespace in ["x", "y", "z"] {
        follows(&world, namespace, &edited).await?;
        let map = maps(&world, namespace).get("edited").await?;
        ensure!(map.data.as_ref().is_some_and(|d| d["v"] == "2"), "{map:?}");
        let requests = world.asked(mark, namespace).await?;
        ensure!(requests.named("same").is_empty(), "{requests}");
        ensure!(requests.on("namespaces").is_empty(), "{requests}");
    }
    Ok(())
}

#[tokio::test]
async fn c06_a_class_made_after_its_namespaces_is_noticed_whatever_the_length_of_its_name() -> Result<()> {
    let world = Stage::open("c06").await?;
    // World names it `c06-…-xxxxx`.
    let long = "n".repeat(63 - world.name("").len());
    ensure!(world.name(&long).len() == 63, "{}", world.name(&long));
    world.namespace("pay").of_class(&long).create().await?;
    world.not_ready("pay", "ClassNotFound").await?;
    world.class(&long, items(&[config_map("a", &json!({}))])).await?;
    world.ready("pay", &long).await?;
    let Err(error) = world.class(&format!("{long}n"), items(&[config_map("a", &json!({}))])).await else {
        bail!("a name of 64 characters is stored");
    };
    says(&format!("{error:#}"), &["metadata.name: at most 63 characters"])
}

#[tokio::test]
async fn bad07_only_the_exact_name_of_a_class_is_that_class() -> Result<()> {
    let world = Stage::open("bad07").await?;
    world.class("std", items(&[config_map("a", &json!({}))])).await?;
    let name = world.name("std");
    let look_alikes = [name.to_uppercase(), name.replace('-', "_"), name.replace('0', "o") + "0", format!("{name}.")];
    for (index, look_alike) in look_alikes[..3].iter().enumerate() {
        let short = format!("n{index}");
        world.namespace(&short).label(CLASS_LABEL, look_alike).create().await?;
        says(&world.not_ready(&short, "ClassNotFound").await?, &[look_alike])?;
        ensure_maps(&world, &short, &[]).await?;
    }
    for refused in [&look_alikes[3], &"x".repeat(64), &"\u{430}lpha".to_owned()] {
        let created = world.namespace("refused").label(CLASS_LABEL, refused.as_str()).create().await;
        ensure!(created.is_err(), "the label {refused:?} is stored");
    }
    world.namespace("empty").label(CLASS_LABEL, "").create().await?;
    world.namespace("right").of_class("std").create().await?;
    world.ready("right", "std").await?;
    ensure!(world.binding("empty").await?.is_none(), "an empty label binds");
    Ok(())
}
