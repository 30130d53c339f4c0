//! First convergence and class edits, each beside the bare loop, in alternating order.

use std::time::Duration;

use anyhow::{Result, bail};
use nsclass_tests::audit::Mark;
use serde_json::{Value, json};

use crate::{
    Args,
    bare::Bare,
    class::OBJECTS,
    cost::Cost,
    figure,
    fleet::Fleet,
    window::{Window, of_namespaces, of_objects},
};

/// Into how many parts the namespaces are divided. A machine's speed changes within minutes, so the
/// controller and the bare loop take turns; the controller does not run, and watches nothing, while the bare loop does.
const PARTS: usize = 4;

/// How long the lists of drift watches take after a start.
const LISTS_ARRIVE: Duration = Duration::from_secs(10);

/// Namespaces of the bare loop, part by part.
type Control = Vec<Vec<(String, String)>>;

pub(crate) async fn measure(fleet: &mut Fleet, args: &Args) -> Result<()> {
    fleet.stop().await?;
    let part = (args.namespaces / PARTS).max(1);
    let control_part = args.bare_namespaces.unwrap_or(part.min(1_250));
    let mut bare = Bare::new(&fleet.cp, args.bare_concurrency)?;
    if args.bare_concurrency.is_none() {
        let trial = fleet.namespaces("trial", control_part.min(1_000), false).await?;
        bare.calibrate(&fleet.cp, &trial).await?;
    }
    let generation = fleet.revise(1, Value::Null).await?;

    let (mut control, mut windows) = (Control::new(), Windows::default());
    for i in 0..PARTS {
        let name = format!("ours-{i}");
        fleet.stop().await?;
        fleet.namespaces(&name, part, true).await?;
        control.push(fleet.namespaces(&format!("bare-{i}"), control_part, false).await?);
        // Now one of the two is first, now the other.
        if i % 2 == 1 {
            windows.control.push(bare.apply(&fleet.cp, &control[i], 1).await?);
        }
        windows.ours.push(converge(fleet, &name, part, generation).await?);
        if i % 2 == 0 {
            fleet.stop().await?;
            windows.control.push(bare.apply(&fleet.cp, &control[i], 1).await?);
        }
    }
    let (ours, bare_loop) = windows.together("first convergence", &bare);
    figure("rate", format!("{:.0}", ours.rate()), "objects/s");
    figure("rate_ratio", format!("{:.2}", ours.rate() / bare_loop.rate()), "ratio");
    figure("writes_per_object", format!("{:.3}", ours.per_object()), "requests");

    edits(fleet, &bare, &control).await
}

/// Two edits of the class, each between two parts of the control.
async fn edits(fleet: &mut Fleet, bare: &Bare, control: &Control) -> Result<()> {
    let mut windows = Windows::default();
    for (parts, revision) in control.chunks(2).zip(2..) {
        let [before, after] = parts else { bail!("an odd number of parts") };
        fleet.stop().await?;
        windows.control.push(bare.apply(&fleet.cp, before, 2).await?);
        windows.ours.push(edit(fleet, revision).await?);
        fleet.stop().await?;
        windows.control.push(bare.apply(&fleet.cp, after, 2).await?);
    }
    let (ours, bare_loop) = windows.together("class edit", bare);
    figure("edit_rate", format!("{:.0}", ours.rate()), "objects/s");
    figure("edit_ratio", format!("{:.2}", ours.rate() / bare_loop.rate()), "ratio");
    figure("edit_writes_per_object", format!("{:.3}", ours.per_object()), "requests");

    fleet.rest().await?;
    let mark = fleet.cp.audit().mark().await?;
    let generation = fleet.revise(3, json!({ "optOutDelay": "90s" })).await?;
    fleet.settled(generation).await?;
    let requests = fleet.cp.audit().since(mark).await?;
    let (all, objects) = (of_namespaces(&requests).len(), of_objects(&requests).len());
    eprintln!("an edit that changes no object: {all} requests for bindings, {objects} for objects");
    figure("same_edit_object_requests", objects, "requests");
    Ok(())
}

/// Gives the class to a part of the namespaces, all at once.
async fn converge(fleet: &mut Fleet, part: &str, namespaces: usize, generation: i64) -> Result<Window> {
    fleet.rest().await?;
    let mark = fleet.cp.audit().mark().await?;
    let before = fleet.cost()?;
    fleet.open(part, namespaces)?;
    fleet.settled(generation).await?;
    ended(fleet, mark, &before, namespaces).await
}

/// Edits the class under the running controller.
async fn edit(fleet: &mut Fleet, revision: u32) -> Result<Window> {
    fleet.rest().await?;
    // A list that a drift watch begins with, and that comes amid the edit, has old objects in it, which are looked at.
    tokio::time::sleep(LISTS_ARRIVE).await;
    let mark = fleet.cp.audit().mark().await?;
    let before = fleet.cost()?;
    let generation = fleet.revise(revision, Value::Null).await?;
    fleet.settled(generation).await?;
    ended(fleet, mark, &before, fleet.bound).await
}

async fn ended(fleet: &mut Fleet, mark: Mark, before: &Cost, namespaces: usize) -> Result<Window> {
    let cost = fleet.cost()?.since(before);
    fleet.note_memory()?;
    let requests = fleet.cp.audit().since(mark).await?;
    let edited = requests.verb("patch").named(&fleet.world.name("std"));
    let start = edited.filter(|r| !r.agent.starts_with("nsclass-controller")).iter().map(|r| r.received).min();
    let asked = of_namespaces(&requests);
    let unexpected = asked.filter(|r| r.is_read() || !r.is_accepted());
    let unexpected = unexpected.count_by(|r| format!("{} {} {}", r.verb, r.resource, r.code));
    if !unexpected.is_empty() {
        eprintln!("  controller: reads and refusals: {unexpected:?}");
    }
    let window = Window::since(start, &asked, namespaces * OBJECTS)?;
    eprintln!("  controller: {window}");
    eprintln!("  controller: {}", cost.for_each(window.objects));
    Ok(window)
}

/// What was measured, in turns.
#[derive(Default)]
struct Windows {
    ours: Vec<Window>,
    control: Vec<Window>,
}

impl Windows {
    /// Prints them; returns those of ours, and of the control, one after the other.
    fn together(self, what: &str, bare: &Bare) -> (Window, Window) {
        eprintln!("{what}");
        let of = |name: &str, windows: &[Window]| {
            for window in windows {
                eprintln!("  {name:<25} {window}");
            }
            windows.iter().copied().fold(Window::default(), Window::and)
        };
        (of("controller", &self.ours), of(&bare.to_string(), &self.control))
    }
}
