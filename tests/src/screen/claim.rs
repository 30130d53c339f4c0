//! Claims: what is said is looked up first.

use std::cell::RefCell;
use std::fmt::Display;
use std::time::Duration;

use anyhow::{Result, anyhow};

use super::Screen;
use crate::eventually_within;

impl Screen {
    /// Claims something: looks until `probe` succeeds, for at most `deadline`, ticks the claim off, and returns what was found. A
    /// probe that fails is "not yet", and says what it saw.
    ///
    /// # Errors
    /// When it has not become true in time: the claim is false.
    pub async fn claim_within<T>(
        &self,
        deadline: Duration,
        claim: impl Display,
        mut probe: impl AsyncFnMut() -> Result<T>,
    ) -> Result<T> {
        let claim = claim.to_string();
        let seen = RefCell::new(String::new());
        let look = async || {
            let found = probe().await;
            *seen.borrow_mut() = found.as_ref().err().map(|error| format!("{error:#}")).unwrap_or_default();
            found
        };
        let looking = eventually_within(deadline, &claim, look);
        let found = self.while_waiting(&claim, || seen.borrow().clone(), looking).await;
        let found = found.map_err(|_| false_claim(&claim, &seen.borrow()))?;
        self.tick(&claim);
        Ok(found)
    }

    /// Claims something that is so already: looks once.
    ///
    /// # Errors
    /// When it is not so.
    pub async fn fact<T>(&self, claim: impl Display, probe: impl AsyncFnOnce() -> Result<T>) -> Result<T> {
        let claim = claim.to_string();
        let found = probe().await.map_err(|seen| false_claim(&claim, &format!("{seen:#}")))?;
        self.tick(&claim);
        Ok(found)
    }
}

fn false_claim(claim: &str, seen: &str) -> anyhow::Error {
    let seen = if seen.is_empty() { "no answer from the API server" } else { seen };
    anyhow!("this claim is false: {claim}\n  what was seen: {seen}")
}
