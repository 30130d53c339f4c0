//! Large classes.

use anyhow::{Context, Result, ensure};
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::raw::{post_all, review};
use crate::stage::{Stage, config_map, denied, says};

/// Items that hold so many `<` in all, which is written in six bytes each on the way to a webhook.
fn full(bytes: usize) -> Vec<Value> {
    const EACH: usize = 200_000;
    (0..bytes.div_ceil(EACH))
        .map(|i| {
            let mut map = config_map(&format!("m{i}"));
            map["data"] = json!({ "x": "<".repeat(EACH.min(bytes - i * EACH)) });
            map
        })
        .collect()
}

#[tokio::test]
async fn bad02_the_largest_update_that_the_server_sends_is_decided_and_a_larger_one_is_refused_by_its_size()
-> Result<()> {
    let stage = Stage::unasked("bad02").await?;
    // Nearly all that etcd takes of a `<`, which is stored in six bytes too.
    stage.create("std", &full(230_000)).await??;
    stage.ask().await?;
    let update = async |bytes: usize| {
        let patch = Patch::Merge(json!({ "spec": { "resources": full(bytes) } }));
        let params = PatchParams { dry_run: true, ..PatchParams::default() };
        stage.classes().patch(&stage.name("std"), &params, &patch).await
    };
    update(1_000_000).await.context("nearly the largest class that there may be")?;
    says(&denied(update(1_150_000).await)?.message, &["spec.resources", "at most 1048576"])?;
    let error = update(1_400_000).await.map(drop).err().context("it was allowed")?.to_string();
    says(&error, &["failed calling webhook", "9437184"])
}

#[tokio::test]
async fn bad09_too_many_items_and_too_many_bytes_are_refused_with_the_limit() -> Result<()> {
    let stage = Stage::open("bad09").await?;
    let many: Vec<Value> = (0..101).map(|i| config_map(&format!("m{i}"))).collect();
    let error = stage.create("many", &many).await?.map(drop).err().context("101 items were allowed")?;
    says(&error.to_string(), &["100"])?;
    says(&stage.refused("huge", &full(1_200_000)).await?.message, &["1048576", "split the class"])
}

#[tokio::test]
async fn a11_32_large_reviews_at_once_stay_within_the_memory_limit() -> Result<()> {
    /// What the chart gives the container, in megabytes.
    const LIMIT: usize = 128;
    let stage = Stage::unasked("a11").await?;
    let answers = post_all(stage.webhook.address(), review(&full(900_000)), 32).await?;
    let decided = answers.iter().filter(|status| **status == 200).count();
    // On a loaded machine some may wait too long for room; that is an error and no verdict.
    ensure!(decided >= 1 && answers.iter().all(|status| [200, 503, 504].contains(status)), "{answers:?}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", stage.webhook.program().pid()))?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    let peak: usize = peak.trim().trim_end_matches(" kB").parse()?;
    ensure!(peak < LIMIT * 1024, "{peak} kB at the peak");
    Ok(())
}
