//! The two controllers: one leads, the other stands by.

use std::cell::Cell;
use std::path::Path;

use anyhow::{Result, ensure};
use nsclass_tests::{Operator, eventually};

/// Both of them, until the demo kills the one that leads.
pub struct Pair {
    first: Operator,
    second: Operator,
    first_is_killed: Cell<bool>,
}

impl Pair {
    /// Starts one, waits until it leads, and starts the other.
    ///
    /// # Errors
    /// When it does not come so.
    pub async fn start(kubeconfig: &Path, config: &str) -> Result<Self> {
        let first = Operator::start_with(kubeconfig.to_owned(), config, &[]).await?;
        eventually("the first controller leads", async || ensure_leads(&first).await).await?;
        let second = Operator::start_with(kubeconfig.to_owned(), config, &[]).await?;
        Ok(Self { first, second, first_is_killed: Cell::new(false) })
    }

    /// The one that was made to lead: the second after the first was killed.
    pub fn leader(&self) -> &Operator {
        if self.first_is_killed.get() { &self.second } else { &self.first }
    }

    /// Those that the demo has not killed, the leader first.
    pub fn alive(&self) -> Vec<&Operator> {
        let first = (!self.first_is_killed.get()).then_some(&self.first);
        first.into_iter().chain([&self.second]).collect()
    }

    /// Kills the first (SIGKILL), which has led so far.
    pub fn kill_leader(&self) -> Result<()> {
        // Before the deed, or whoever watches would take it for an accident.
        self.first_is_killed.set(true);
        self.first.program().kill()?;
        Ok(())
    }

    /// Fails when one has ended that the demo did not kill.
    pub fn ensure_running(&self) -> Result<()> {
        self.alive().iter().try_for_each(|operator| operator.program().ensure_running())
    }

    /// Whether there is one that could still work.
    pub fn is_any_running(&self) -> bool {
        self.alive().iter().any(|operator| is_running(operator))
    }

    /// Asks those that run to end, the standby first, so that it does not take over.
    pub async fn terminate(&self) -> Result<()> {
        for operator in self.alive().into_iter().rev().filter(|operator| is_running(operator)) {
            let ended = operator.program().terminate().await;
            // One that has ended by itself meanwhile is as good.
            if is_running(operator) {
                ended?;
            }
        }
        Ok(())
    }
}

/// Whether a controller says of itself that it leads.
pub async fn ensure_leads(operator: &Operator) -> Result<()> {
    let (status, body) = operator.get("/readyz?verbose").await?;
    ensure!(status == 200 && body.lines().any(|line| line == "[i] leader"), "/readyz says {status}: {body}");
    Ok(())
}

fn is_running(operator: &Operator) -> bool {
    operator.program().ensure_running().is_ok()
}
