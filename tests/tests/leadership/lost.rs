//! A leader that was away for longer than its lease.

use anyhow::{Result, ensure};
use nsclass_tests::{Replica, World, eventually};

use crate::{QUICK, Turn, class};

/// Enough that the leader is stopped in the middle of them.
const NAMESPACES: usize = 120;

#[tokio::test]
async fn fault04_a_leader_stopped_beyond_its_lease_writes_nothing_when_it_goes_on_and_exits() -> Result<()> {
    let turn = Turn::wait().await?;
    let (leader, standby) = Replica::pair(turn.cp, ["stopped-a", "stopped-b"], QUICK).await?;
    let world = World::new(turn.cp, "stopped");
    world.class("std", class("1")).await?;
    let names: Vec<String> = (0..NAMESPACES).map(|i| format!("n{i}")).collect();
    for name in &names {
        world.namespace(name).of_class("std").create().await?;
    }
    for name in &names {
        world.ready(name, "std").await?;
    }
    let applied = "nsclass_requests_total{outcome=\"done\",step=\"apply\"}";
    let before = leader.metric(applied).await.unwrap_or_default();
    world.class("std", class("2")).await?;
    eventually("the leader is in the middle of the edit", async || {
        let done = leader.metric(applied).await? - before;
        ensure!(done >= 10.0, "{done} of {NAMESPACES}");
        Ok(())
    })
    .await?;
    leader.program().pause()?;
    standby.until_it_leads().await?;
    // What the stopped one had sent before is answered, and counted as sent before.
    let mark = turn.cp.audit().mark().await?;
    leader.program().resume()?;
    leader.until_it_gives_up().await?;
    for name in &names {
        world.ready(name, "std").await?;
    }
    let requests = turn.cp.audit().since(mark).await?;
    let writes = leader.writes(&requests);
    ensure!(writes.is_empty(), "it wrote after it went on:\n{writes}");
    standby.program().terminate().await?;
    Ok(())
}
