//! The controller's last work, without the controller: it may be its end that made the demo fail.

use anyhow::{Context, Result};
use kube::ResourceExt;
use kube::api::{Patch, PatchParams};
use nsclass_shared::names::FINALIZER;
use serde_json::json;

use super::thing::Thing;

/// Deletes what only the controller would have deleted, then takes its finalizer from what waits for it. Each of `things` is from the
/// demo.
///
/// # Errors
/// When the API server refuses.
pub async fn let_go(things: &[Thing]) -> Result<()> {
    for thing in things {
        thing.delete().await?;
    }
    for thing in things {
        let Some(found) = thing.find().await? else { continue };
        if !found.finalizers().iter().any(|it| it == FINALIZER) {
            continue;
        }
        let others: Vec<&String> = found.finalizers().iter().filter(|it| *it != FINALIZER).collect();
        // With the resourceVersion, a finalizer that somebody added since is not lost.
        let patch = json!({ "metadata": { "resourceVersion": found.resource_version(), "finalizers": others } });
        let patched = thing.api.patch_metadata(&thing.name, &PatchParams::default(), &Patch::Merge(patch)).await;
        patched.with_context(|| format!("{}: the finalizer {FINALIZER} cannot be taken off", thing.argument()))?;
    }
    Ok(())
}
