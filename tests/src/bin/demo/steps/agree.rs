//! What each process believes about the scope.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::scope;
use crate::contents::short_uid;
use crate::demo::Demo;
use crate::processes::RunningProcess;
use crate::stage::Stage;

/// One process, and its `/debug/scope`.
type Pictures = Vec<(RunningProcess, Value)>;

pub async fn play(demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    demo.screen.step(
        "All processes agree",
        "Each keeps its own picture of all namespaces, leader or not. The digest tells whether two pictures are the same.",
    );
    let count = stage.processes().len();
    demo.screen.command("curl 127.0.0.1:ADMIN_PORT/debug/scope   # of each process");
    let all_in = demo
        .claim(format!("{count} processes show one digest, and one of them leads"), async || same(stage).await)
        .await?;
    show(demo, &all_in);
    let namespace = demo.name("checkout");
    scope::label(demo, &namespace, Some("true")).await?;
    let one_out = demo
        .claim(format!("{count} processes show another digest, and one namespace more that is out"), async || {
            let pictures = same(stage).await?;
            ensure!(out(&pictures)? == out(&all_in)? + 1, "{} are out", out(&pictures)?);
            ensure!(digest(&pictures) != digest(&all_in), "the digest is the same");
            Ok(pictures)
        })
        .await?;
    show(demo, &one_out);
    scope::label(demo, &namespace, None).await?;
    demo.claim("they agree again when it is back", async || {
        let pictures = same(stage).await?;
        ensure!(out(&pictures)? == out(&all_in)?, "{} are out", out(&pictures)?);
        Ok(())
    })
    .await
}

/// What all processes believe; fails unless it is the same.
async fn same(stage: &Stage) -> Result<Pictures> {
    let mut pictures = Vec::new();
    for process in stage.processes() {
        let (status, body) = process.get("/debug/scope?limit=1").await?;
        ensure!(status == 200, "{} says {status}: {body}", process.name);
        let picture: Value = serde_json::from_str(&body)?;
        ensure!(picture["digest"].is_string() && picture["seeded"] == true, "{}: {picture}", process.name);
        pictures.push((process, picture));
    }
    let digests: Vec<&Value> = pictures.iter().map(|(_, picture)| &picture["digest"]).collect();
    ensure!(digests.windows(2).all(|two| two[0] == two[1]), "digests {digests:?}");
    let leaders = pictures.iter().filter(|(_, picture)| picture["leader"] == true).count();
    ensure!(leaders == 1, "{leaders} lead");
    Ok(pictures)
}

/// How many namespaces are out of the scope, where all agree.
fn out(pictures: &Pictures) -> Result<u64> {
    let count = pictures.first().and_then(|(_, picture)| picture["count"]["OutOfScope"].as_u64());
    count.context("no count of namespaces out of the scope")
}

/// The digest, where all agree.
fn digest(pictures: &Pictures) -> Option<&Value> {
    pictures.first().map(|(_, picture)| &picture["digest"])
}

fn show(demo: &Demo<'_>, pictures: &Pictures) {
    let rows = pictures.iter().map(|(process, picture)| {
        let count = |verdict: &str| picture["count"][verdict].to_string();
        let digest = short_uid(picture["digest"].as_str().unwrap_or_default());
        let leads = if picture["leader"] == true { "yes" } else { "" };
        vec![process.name.to_owned(), leads.to_owned(), count("InScope"), count("OutOfScope"), digest]
    });
    demo.screen.table(&["PROCESS", "LEADS", "IN SCOPE", "OUT", "DIGEST"], &rows.collect::<Vec<_>>());
}
