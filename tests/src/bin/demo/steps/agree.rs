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
        .claim(format!("{count} processes show one digest, and one of them leads"), async || same(stage, 0).await)
        .await?;
    show(demo, &all_in);
    let namespace = demo.name("checkout");
    scope::label(demo, &namespace, Some("true")).await?;
    let one_out = demo
        .claim(format!("{count} processes show another digest, with one namespace out"), async || {
            let pictures = same(stage, 1).await?;
            ensure!(pictures[0].1["digest"] != all_in[0].1["digest"], "the digest is the same");
            Ok(pictures)
        })
        .await?;
    show(demo, &one_out);
    scope::label(demo, &namespace, None).await?;
    demo.claim("and the first one again, when it is back", async || {
        let pictures = same(stage, 0).await?;
        ensure!(pictures[0].1["digest"] == all_in[0].1["digest"], "the digest is another one");
        Ok(())
    })
    .await
}

/// What all processes believe; fails unless it is the same, with so many namespaces out of the scope.
async fn same(stage: &Stage, out: u64) -> Result<Pictures> {
    let mut pictures = Vec::new();
    for process in stage.processes() {
        let (status, body) = process.get("/debug/scope?limit=1").await?;
        ensure!(status == 200, "{} says {status}: {body}", process.name);
        let picture: Value = serde_json::from_str(&body)?;
        ensure!(picture["digest"].is_string() && picture["seeded"] == true, "{}: {picture}", process.name);
        ensure!(picture["count"]["OutOfScope"] == out, "{}: {}", process.name, picture["count"]);
        pictures.push((process, picture));
    }
    let digest = &pictures.first().context("no processes")?.1["digest"];
    let digests: Vec<&Value> = pictures.iter().map(|(_, picture)| &picture["digest"]).collect();
    ensure!(digests.iter().all(|other| *other == digest), "digests {digests:?}");
    let leaders = pictures.iter().filter(|(_, picture)| picture["leader"] == true).count();
    ensure!(leaders == 1, "{leaders} lead");
    Ok(pictures)
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
