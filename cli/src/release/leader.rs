//! The mark on the Lease, and the wait until nobody leads.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt};
use nsclass_shared::lease::LONGEST_LEASE;
use nsclass_shared::names::{RELEASED_ANNOTATION, controller_lease};
use serde_json::json;
use tokio::time::sleep;

use super::{MANAGER, Output, Task};

/// Pause between two looks at the Lease.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// What a holder that names no duration is given.
const USUAL_LEASE: Duration = Duration::from_secs(15);

/// What became of the mark.
pub(super) enum Unmarked {
    /// It is gone.
    Done,
    /// There was none.
    HadNone,
    /// There was no Lease; now there is one without it.
    MadeAnew,
}

impl Task<'_> {
    /// Marks the instance as released.
    pub(super) async fn mark(&self) -> Result<()> {
        let (api, name) = (self.leases(), self.lease_name());
        let dry_run = self.command.dry_run;
        let mark = Timestamp::now().to_string();
        let found = api.get_opt(&name).await.with_context(|| self.lease_title())?;
        let written = match found {
            Some(lease) if is_marked(&lease) => return Ok(()),
            Some(_) => {
                let patch = json!({ "metadata": { "annotations": { RELEASED_ANNOTATION: mark } } });
                let params = PatchParams { dry_run, field_manager: Some(MANAGER.into()), ..PatchParams::default() };
                api.patch(&name, &params, &Patch::Merge(patch)).await
            }
            None => {
                // So that a controller that comes later finds the mark.
                let metadata = ObjectMeta {
                    name: Some(name),
                    annotations: Some([(RELEASED_ANNOTATION.to_owned(), mark)].into()),
                    ..ObjectMeta::default()
                };
                let params = PostParams { dry_run, field_manager: Some(MANAGER.into()) };
                api.create(&params, &Lease { metadata, spec: None }).await
            }
        };
        match written {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.code == 404 => bail!(
                "namespace {0} does not exist, so its controller cannot be told; pass --operator-namespace, or create {0} for the \
                 time of the release if it is gone",
                self.command.operator_namespace
            ),
            Err(error) => Err(error).with_context(|| self.lease_title()),
        }
    }

    /// Takes the mark away. Where the Lease is gone it makes one: a controller that saw the mark waits for a Lease without it.
    pub(super) async fn unmark(&self) -> Result<Unmarked> {
        let (api, name) = (self.leases(), self.lease_name());
        let found = api.get_opt(&name).await.with_context(|| self.lease_title())?;
        let Some(lease) = found else {
            let metadata = ObjectMeta { name: Some(name), ..ObjectMeta::default() };
            let params = PostParams { dry_run: self.command.dry_run, field_manager: Some(MANAGER.into()) };
            api.create(&params, &Lease { metadata, spec: None }).await.with_context(|| self.lease_title())?;
            return Ok(Unmarked::MadeAnew);
        };
        if !is_marked(&lease) {
            return Ok(Unmarked::HadNone);
        }
        let patch = Patch::Merge(json!({ "metadata": { "annotations": { RELEASED_ANNOTATION: null } } }));
        let dry_run = self.command.dry_run;
        let params = PatchParams { dry_run, field_manager: Some(MANAGER.into()), ..PatchParams::default() };
        api.patch(&name, &params, &patch).await.with_context(|| self.lease_title())?;
        Ok(Unmarked::Done)
    }

    /// Who leads now, for a dry run.
    pub(super) async fn holder(&self) -> Result<String> {
        let lease = self.leases().get_opt(&self.lease_name()).await.with_context(|| self.lease_title())?;
        Ok(match lease.as_ref().and_then(holder) {
            Some(holder) => format!("would be: waited until {holder} stops"),
            None => "nobody leads".to_owned(),
        })
    }

    /// Waits until the lease is given up, or has not been renewed for as long as it holds, by our own clock.
    pub(super) async fn until_free(&self, timeout: Duration, out: &mut Output) -> Result<String> {
        let begin = Instant::now();
        let mut seen: Option<(String, Instant)> = None;
        loop {
            let lease = self.leases().get_opt(&self.lease_name()).await.with_context(|| self.lease_title())?;
            let Some((lease, holder)) = lease.and_then(|lease| holder(&lease).map(|holder| (lease, holder))) else {
                return Ok("nobody leads".to_owned());
            };
            let version = lease.resource_version().unwrap_or_default();
            if seen.as_ref().is_none_or(|(seen, _)| *seen != version) {
                if seen.is_none() {
                    self.say(out, &format!("waiting for {holder} to stop"))?;
                }
                seen = Some((version, Instant::now()));
            }
            let still = seen.as_ref().map_or(Duration::ZERO, |(_, since)| since.elapsed());
            let lasts = duration(&lease);
            if still > lasts {
                return Ok(format!("{holder} is dead: it has not renewed its lease for {} s", lasts.as_secs()));
            }
            if begin.elapsed() > timeout {
                bail!(
                    "{holder} goes on leading after {} s; is it of a version that does not know of releases? Stop it (scale its \
                     Deployment to zero) and run this again",
                    timeout.as_secs()
                );
            }
            sleep(LOOK_EVERY).await;
        }
    }

    pub(super) fn lease_title(&self) -> String {
        format!("Lease {}/{}", self.command.operator_namespace, self.lease_name())
    }

    fn lease_name(&self) -> String {
        controller_lease(&self.command.instance)
    }

    fn leases(&self) -> Api<Lease> {
        Api::namespaced(self.client.clone(), &self.command.operator_namespace)
    }
}

fn is_marked(lease: &Lease) -> bool {
    lease.annotations().contains_key(RELEASED_ANNOTATION)
}

fn holder(lease: &Lease) -> Option<String> {
    lease.spec.as_ref()?.holder_identity.clone().filter(|holder| !holder.is_empty())
}

fn duration(lease: &Lease) -> Duration {
    let seconds = lease.spec.as_ref().and_then(|spec| spec.lease_duration_seconds);
    let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
    seconds.map_or(USUAL_LEASE, Duration::from_secs).min(LONGEST_LEASE)
}
