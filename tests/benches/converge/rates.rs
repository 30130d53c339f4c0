//! First convergence and class edits, each beside the bare loop, in alternating order.

use anyhow::Result;
use nsclass_tests::audit::Mark;
use serde_json::{Value, json};

use crate::{
    Args,
    bare::Bare,
    class::OBJECTS,
    figure,
    fleet::Fleet,
    leader,
    window::{Window, of_namespaces, of_objects},
};

type Namespaces = Vec<(String, String)>;

pub(crate) async fn measure(fleet: &mut Fleet, args: &Args) -> Result<()> {
    fleet.stop().await?;
    let half = (args.namespaces / 2).max(1);
    let control = args.bare_namespaces.unwrap_or(half.min(2_500));
    let mut bare = Bare::new(&fleet.cp, args.bare_concurrency)?;
    if args.bare_concurrency.is_none() {
        let trial = fleet.namespaces("trial", control.min(1_000), false).await?;
        bare.calibrate(&fleet.cp, &trial).await?;
    }
    let generation = fleet.revise(1, Value::Null).await?;

    fleet.namespaces("a", half, true).await?;
    let first = fleet.namespaces("x", control, false).await?;
    let ours_1 = converge(fleet, half, generation).await?;
    let bare_1 = bare.apply(&fleet.cp, &first, 1).await?;
    fleet.stop().await?;
    fleet.namespaces("b", half, true).await?;
    let second = fleet.namespaces("y", control, false).await?;
    let bare_2 = bare.apply(&fleet.cp, &second, 1).await?;
    let ours_2 = converge(fleet, half, generation).await?;
    let (ours, control) = table("first convergence", &bare, [ours_1, ours_2], [bare_1, bare_2]);
    figure("rate", format!("{:.0}", ours.rate()), "objects/s");
    figure("rate_ratio", format!("{:.2}", ours.rate() / control.rate()), "ratio");
    figure("writes_per_object", format!("{:.3}", ours.per_object()), "requests");

    edits(fleet, &bare, &first, &second).await
}

async fn edits(fleet: &mut Fleet, bare: &Bare, first: &Namespaces, second: &Namespaces) -> Result<()> {
    let ours_1 = edit(fleet, 2).await?;
    let bare_1 = bare.apply(&fleet.cp, first, 2).await?;
    let bare_2 = bare.apply(&fleet.cp, second, 2).await?;
    let ours_2 = edit(fleet, 3).await?;
    let (ours, control) = table("class edit", bare, [ours_1, ours_2], [bare_1, bare_2]);
    figure("edit_rate", format!("{:.0}", ours.rate()), "objects/s");
    figure("edit_ratio", format!("{:.2}", ours.rate() / control.rate()), "ratio");
    figure("edit_writes_per_object", format!("{:.3}", ours.per_object()), "requests");

    let mark = fleet.cp.audit().mark().await?;
    let generation = fleet.revise(3, json!({ "optOutDelay": "90s" })).await?;
    fleet.settled(generation).await?;
    let requests = fleet.cp.audit().since(mark).await?;
    let (all, objects) = (of_namespaces(&requests).len(), of_objects(&requests).len());
    eprintln!("an edit that changes no object: {all} requests for bindings, {objects} for objects");
    figure("same_edit_object_requests", objects, "requests");
    Ok(())
}

/// Starts the controller on namespaces that wait for it.
async fn converge(fleet: &mut Fleet, namespaces: usize, generation: i64) -> Result<Window> {
    let mark = fleet.cp.audit().mark().await?;
    fleet.start().await?;
    let cpu = leader::cpu_seconds(fleet.pid()?)?;
    fleet.settled(generation).await?;
    ended(fleet, mark, cpu, namespaces).await
}

/// Edits the class under the running controller.
async fn edit(fleet: &mut Fleet, revision: u32) -> Result<Window> {
    let mark = fleet.cp.audit().mark().await?;
    let cpu = leader::cpu_seconds(fleet.pid()?)?;
    let generation = fleet.revise(revision, Value::Null).await?;
    fleet.settled(generation).await?;
    ended(fleet, mark, cpu, fleet.bound).await
}

async fn ended(fleet: &mut Fleet, mark: Mark, cpu: f64, namespaces: usize) -> Result<Window> {
    let cpu = leader::cpu_seconds(fleet.pid()?)? - cpu;
    fleet.note_memory()?;
    let requests = fleet.cp.audit().since(mark).await?;
    let edited = requests.verb("patch").named(&fleet.world.name("std"));
    let start = edited.filter(|r| !r.agent.starts_with("nsclass-controller")).iter().map(|r| r.received).min();
    let window = Window::since(start, &of_namespaces(&requests), namespaces * OBJECTS)?;
    eprintln!("  controller: {window}; {cpu:.1} s of processor time");
    Ok(window)
}

fn table(what: &str, bare: &Bare, ours: [Window; 2], control: [Window; 2]) -> (Window, Window) {
    eprintln!("{what}");
    for window in ours {
        eprintln!("  controller                {window}");
    }
    for window in control {
        eprintln!("  {bare}   {window}");
    }
    let [ours, control] = [ours, control].map(|[one, two]| one.and(two));
    (ours, control)
}
