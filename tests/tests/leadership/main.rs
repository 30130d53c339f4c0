//! Two controllers of one instance, one of which acts (scope.md S23, S40–S42; faults 3 to 7), on the real control plane.

mod candidates;
mod clocks;
mod hand_edits;
mod lost;
mod standby;
mod takeover;

use anyhow::Result;
use nsclass_tests::ControlPlane;
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard};

/// Times for tests of the lease that are not about how long it is. The deadline is generous enough for a busy machine.
const QUICK: &str = "leaderElection: { leaseDurationSeconds: 8, renewDeadlineSeconds: 6, retryPeriodSeconds: 1, requestTimeoutSeconds: 3 }";

/// One control plane for these tests, and one pair of controllers at a time on it: all of them are of the same instance.
struct Turn {
    cp: &'static ControlPlane,
    _turn: MutexGuard<'static, ()>,
}

impl Turn {
    async fn wait() -> Result<Self> {
        static TURN: Mutex<()> = Mutex::const_new(());
        let turn = TURN.lock().await;
        Ok(Self { cp: ControlPlane::shared().await?, _turn: turn })
    }
}

/// A class of one config map.
fn class(value: &str) -> Value {
    json!({ "resources": [{
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "about" }, "data": { "value": value },
    }] })
}
