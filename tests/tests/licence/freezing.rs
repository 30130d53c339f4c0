//! Hybrid: the set is frozen where it is, and freed.

use anyhow::{Context, Result, ensure};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::events::v1::Event;
use kube::Api;
use kube::api::{DeleteParams, ListParams};
use nsclass_controller::licence::Pod;
use nsclass_shared::api::ClassStatus;
use nsclass_shared::api::get_condition;
use nsclass_tests::{Identity, eventually, holds_for};

use crate::running::Running;
use crate::stage::{Stage, class};

#[tokio::test]
async fn s60_without_a_licence_those_of_the_first_start_go_on_and_later_ones_wait_until_one_comes() -> Result<()> {
    let stage = Stage::open("s60-absent").await?;
    stage.team("old").await?;
    let pod = Some(Pod { name: "controller-0".into(), uid: Some("0-0".into()) });
    let config = stage.config("Hybrid").to_string();
    let operator = Running::start(stage.cp, &config, &Identity::Admin, pod).await?;
    stage.ready("old", "std").await?;
    operator.until_it_is("Absent").await?;
    let first_start = stage.record().await?.first_start.context("no first start")?;
    stage.until_after(first_start).await?;
    stage.team("late").await?;
    // A flip waits, too.
    stage.namespace("flips").of_class("std").create().await?;
    stage.scope("flips", true).await?;
    for name in ["late", "flips"] {
        let message = stage.waits(name).await?;
        ensure!(message.contains("no Secret with the label nsclass.io/licence"), "{message}");
        ensure!(message.contains(&format!("only namespaces from before {first_start}")), "{message}");
        stage.has_nothing(name).await?;
    }

    // What waits says so: the class, metrics, a warning on the pod, and the command for people.
    eventually("the class says what waits", async || {
        let class = stage.classes().get(&stage.name("std")).await?;
        let status: ClassStatus = serde_json::from_value(class.data["status"].clone())?;
        let kind = format!("LicenceHolds.{}", stage.operator());
        let said = get_condition(&status.conditions, &kind).context("no condition")?;
        ensure!(said.status == "True" && said.message.contains(&stage.name("late")), "{said:?}");
        ensure!(said.message.contains("2 of instance"), "{said:?}");
        Ok(())
    })
    .await?;
    eventually("two are counted", async || {
        let held = operator.metric("nsclass_licence_held_namespaces{why=\"new\"}").await?;
        ensure!((held - 2.0).abs() < 0.5, "{held}");
        Ok(())
    })
    .await?;
    let events: Api<Event> = Api::namespaced(stage.client(), &stage.operator());
    eventually("there is a warning on the pod", async || {
        let all = events.list(&ListParams::default()).await?;
        let is_it = |event: &&Event| {
            event
                .regarding
                .as_ref()
                .is_some_and(|r| r.kind.as_deref() == Some("Pod") && r.name.as_deref() == Some("controller-0"))
        };
        let event = all.items.iter().find(is_it).context("none")?;
        ensure!(
            event.type_.as_deref() == Some("Warning") && event.reason.as_deref() == Some("LicenceAbsent"),
            "{event:?}"
        );
        Ok(())
    })
    .await?;
    let told = stage.nsclass(&["licence", "show"]).await?;
    for part in
        ["gate.mode Hybrid", "state:    Absent", "then:     nothing changes by itself", "remedy:   ", "waiting:  "]
    {
        ensure!(told.contains(part), "no {part:?} in\n{told}");
    }

    // What is known is gone on with: edits, and drift.
    stage.class("std", class("2")).await?;
    stage.follows("old", "2").await?;
    stage.maps("old").delete("about", &DeleteParams::default()).await?;
    stage.follows("old", "2").await?;
    stage.has_nothing("late").await?;

    // A licence comes.
    stage.put("licence", Some(&stage.good(None)?)).await?;
    operator.until_it_is("Valid").await?;
    for name in ["late", "flips"] {
        stage.ready(name, "std").await?;
        stage.follows(name, "2").await?;
    }
    eventually("the class says that nothing waits", async || {
        let class = stage.classes().get(&stage.name("std")).await?;
        let status: ClassStatus = serde_json::from_value(class.data["status"].clone())?;
        let kind = format!("LicenceHolds.{}", stage.operator());
        let said = get_condition(&status.conditions, &kind).context("no condition")?;
        ensure!(said.status == "False", "{said:?}");
        Ok(())
    })
    .await?;
    operator.stop().await
}

#[tokio::test]
async fn s60_expiry_is_acted_on_at_the_moment_and_an_hour_back_does_not_undo_it() -> Result<()> {
    let stage = Stage::open("s60-expiry").await?;
    let operator = stage.run("Hybrid").await?;
    let first_start = stage.record().await?.first_start.context("no first start")?;
    stage.until_after(first_start).await?;
    let expiry = Timestamp::from_second(Timestamp::now().as_second() + 20)?;
    stage.put("licence", Some(&stage.issue(first_start, expiry, None)?)).await?;
    operator.until_it_is("Valid").await?;
    stage.team("before").await?;
    stage.ready("before", "std").await?;
    // There before the expiry, and without a class yet: it is among those of that time.
    stage.namespace("bare").create().await?;

    // The clock of the operator gets there first, and nothing else happens.
    operator.clock.advance(SignedDuration::from_mins(10));
    operator.until_it_is("Expired").await?;
    stage.until_after(expiry).await?;
    stage.team("after").await?;
    let message = stage.waits("after").await?;
    ensure!(message.contains(&format!("has expired at {expiry}")), "{message}");
    stage.scope("bare", true).await?;
    stage.join("bare", "std").await?;
    stage.ready("bare", "std").await?;
    stage.class("std", class("2")).await?;
    stage.follows("before", "2").await?;

    // The clock goes an hour back, where the licence was valid.
    operator.clock.advance(SignedDuration::from_hours(-1));
    stage.team("later").await?;
    stage.waits("later").await?;
    holds_for(std::time::Duration::from_secs(2), "it stays expired", async || {
        let shown = operator.shown().await?;
        ensure!(shown["shown"]["state"] == "Expired", "{shown}");
        stage.has_nothing("later").await
    })
    .await?;
    // A licence that was valid before and comes again in another Secret changes nothing; a new one frees all.
    stage.put("renewed", Some(&stage.good(None)?)).await?;
    operator.until_it_is("Valid").await?;
    for name in ["after", "later"] {
        stage.ready(name, "std").await?;
    }
    operator.stop().await
}
