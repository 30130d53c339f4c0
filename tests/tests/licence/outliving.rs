//! The set outlives restarts, other leaders, a lost record and restored bindings; and a gate that is switched while running.

use anyhow::{Context, Result, ensure};
use jiff::SignedDuration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::{DeleteParams, PostParams};
use nsclass_shared::names::licence_record;
use nsclass_tests::eventually;

use crate::stage::{Stage, class};

#[tokio::test]
async fn s60_s62_the_set_outlives_a_restart_another_leader_and_a_restore_of_the_bindings() -> Result<()> {
    let stage = Stage::open("s60-outlives").await?;
    let operator = stage.run("Hybrid").await?;
    let first_start = stage.record().await?.first_start.context("no first start")?;
    stage.until_after(first_start).await?;
    stage.put("licence", Some(&stage.good(None)?)).await?;
    stage.team("licensed").await?;
    stage.ready("licensed", "std").await?;
    stage.withdraw("licence").await?;
    operator.until_it_is("Absent").await?;
    stage.team("late").await?;
    stage.waits("late").await?;
    operator.stop().await?;

    // Another leader, without anything that the first one knew.
    let operator = stage.run("Hybrid").await?;
    stage.class("std", class("2")).await?;
    stage.follows("licensed", "2").await?;
    stage.waits("late").await?;
    stage.has_nothing("late").await?;
    operator.stop().await?;

    // The bindings are lost and restored, and the record is lost for good.
    let saved = stage.binding("licensed").await?.context("no binding")?;
    let kept = saved.status.as_ref().and_then(|status| status.first_start.clone()).context("no first start in it")?;
    ensure!(kept.0.as_second() == first_start.as_second(), "{kept:?} instead of {first_start}");
    for name in ["licensed", "late"] {
        stage.bindings().delete(&stage.name(name), &DeleteParams::default()).await?;
    }
    stage.operator_maps().delete(&licence_record(&stage.operator()), &DeleteParams::default()).await?;
    let mut restored = saved.clone();
    restored.metadata = kube::api::ObjectMeta { name: saved.metadata.name, ..kube::api::ObjectMeta::default() };
    stage.bindings().create(&PostParams::default(), &restored).await?;
    // What another instance keeps of its own first start is nothing to us.
    let mut of_another = restored.clone();
    of_another.metadata.name = Some(stage.name("another"));
    of_another.spec.namespace_name = stage.name("another");
    of_another.spec.instance = "another".into();
    of_another.status.get_or_insert_default().first_start = Some(Time(first_start - SignedDuration::from_hours(1)));
    stage.bindings().create(&PostParams::default(), &of_another).await?;
    let operator = stage.run("Hybrid").await?;
    stage.class("std", class("3")).await?;
    stage.follows("licensed", "3").await?;
    stage.waits("late").await?;
    stage.has_nothing("late").await?;
    let again = stage.record().await?.first_start.context("no first start")?;
    ensure!(again.as_second() == first_start.as_second(), "{again} instead of {first_start}");
    operator.stop().await
}

#[tokio::test]
async fn s62_the_gate_is_switched_on_and_off_while_running_and_locks_nobody_out() -> Result<()> {
    let stage = Stage::open("s62-switch").await?;
    stage.team("old").await?;
    let operator = stage.run("None").await?;
    stage.ready("old", "std").await?;
    let record = stage.operator_maps().get_opt(&licence_record(&stage.operator())).await?;
    ensure!(record.is_none(), "no licence is wanted, and yet: {record:?}");
    operator.reconfigure(&stage.config("Hybrid").to_string())?;
    operator.until_it_is("Absent").await?;
    let first_start = stage.record().await?.first_start.context("no first start")?;
    stage.until_after(first_start).await?;
    stage.team("late").await?;
    stage.waits("late").await?;
    // Somebody ruins the record: what is known stays known, nothing opens, and nothing ends.
    let mut map = stage.operator_maps().get(&licence_record(&stage.operator())).await?;
    map.data.get_or_insert_default().insert("record".into(), "nonsense".into());
    stage.operator_maps().replace(&licence_record(&stage.operator()), &PostParams::default(), &map).await?;
    operator.stop().await?;
    let operator = stage.run("Hybrid").await?;
    eventually("the record cannot be read, and that is counted", async || {
        ensure!(operator.metric("nsclass_licence_record_failures_total").await? > 0.5, "not yet");
        Ok(())
    })
    .await?;
    stage.class("std", class("2")).await?;
    stage.follows("old", "2").await?;
    stage.has_nothing("late").await?;
    // Off again: everybody comes in.
    operator.reconfigure(&stage.config("None").to_string())?;
    stage.ready("late", "std").await?;
    operator.stop().await
}
