//! The leader dies, and the standby goes on.

use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::demo::Demo;
use crate::pair::ensure_leads;
use crate::settings::LEASE_SECONDS;
use crate::stage::Stage;

pub async fn play(demo: &Demo<'_>, stage: &Stage) -> Result<()> {
    demo.screen.step(
        "The leader is killed",
        &format!(
            "The standby waits until the lease has run out: leaderElection.leaseDurationSeconds is {LEASE_SECONDS} here, and 15 unless \
             configured."
        ),
    );
    let pair = stage.pair.get().context("no controllers")?;
    demo.screen.command(&format!("kill -KILL {}", pair.leader().program().pid()));
    pair.kill_leader()?;
    let killed = Instant::now();
    demo.label("registry", Some("sandbox")).await?;
    let standby = pair.leader();
    demo.claim("the standby leads", async || ensure_leads(standby).await).await?;
    let led_after = killed.elapsed().as_secs_f64();
    demo.filled("registry", "sandbox").await?;
    let filled_after = killed.elapsed().as_secs_f64();
    demo.screen.say(&format!(
        "{led_after:.1} s after the kill it led, and after {filled_after:.1} s the namespace was filled that had been labelled while \
         nobody led."
    ));
    if let Some(admission) = stage.admission.get() {
        demo.fact("the webhooks did not notice: both are ready", async || {
            for webhook in &admission.webhooks {
                let (status, body) = webhook.get("/readyz").await?;
                ensure!(status == 200, "/readyz says {status}: {body}");
            }
            Ok(())
        })
        .await?;
    }
    Ok(())
}
