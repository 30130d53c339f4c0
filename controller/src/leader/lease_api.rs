//! The Lease at the API server: every write stands on a version, and is one request.

use std::{fmt, sync::Arc, time::Duration};

use futures::{Stream, StreamExt};
use jiff::Timestamp;
use k8s_openapi::{
    api::coordination::v1::{Lease, LeaseSpec},
    apimachinery::pkg::apis::meta::v1::MicroTime,
};
use kube::{
    Api, Client, ResourceExt,
    api::{ObjectMeta, Patch, PatchParams, PostParams},
    runtime::watcher::{self, Event},
};
use nsclass_shared::{
    lease::{Record, Write},
    names,
    runtime::{WATCH_SECONDS, watch_own},
};
use serde_json::json;
use thiserror::Error;

use crate::requests::is_definitely_absent;

/// Tells the time for people; nothing is decided by it.
pub type WallClock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// One Lease.
#[derive(Clone)]
pub struct LeaseApi {
    api: Api<Lease>,
    namespace: String,
    name: String,
    wall: WallClock,
}

/// Why a request about the Lease was no success.
#[derive(Error, Debug)]
pub enum LeaseError {
    /// It is not as it was seen.
    #[error("somebody else wrote it")]
    Conflict,
    /// Its namespace is missing.
    #[error("operatorNamespace: namespace {0} does not exist, so there is no place for the lease; create it")]
    NoNamespace(String),
    /// The API server refuses.
    #[error("{0}; grant get, list, watch, create and patch of leases in the operator's namespace")]
    Forbidden(String),
    /// There was no answer in time; it may have been done.
    #[error("no answer in time")]
    NoAnswer,
    /// Another error.
    #[error("{0}")]
    Other(String),
}

/// What the watch tells.
#[derive(Debug)]
pub enum Told {
    /// The Lease is this.
    Is(Record),
    /// It was this, and is gone.
    Was(Record),
    /// There is none.
    Nothing,
    /// Nothing of interest.
    Progress,
}

impl LeaseError {
    /// Whether it will be so until a person does something.
    pub fn is_definite(&self) -> bool {
        matches!(self, Self::NoNamespace(_) | Self::Forbidden(_))
    }
}

impl fmt::Display for LeaseApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

impl LeaseApi {
    /// The Lease `name` in `namespace`. The client must not retry by itself, and needs no gate: this is what decides who may write.
    pub fn new(client: Client, namespace: &str, name: &str) -> Self {
        Self {
            api: Api::namespaced(client, namespace),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            wall: Arc::new(Timestamp::now),
        }
    }

    /// With another wall clock.
    #[must_use]
    pub fn with_wall_clock(self, wall: WallClock) -> Self {
        Self { wall, ..self }
    }

    /// The Lease; none where it is proved to be absent.
    pub(super) async fn read(&self) -> Result<Option<Record>, LeaseError> {
        match self.api.get(&self.name).await {
            Ok(lease) => Ok(Some(record(&lease))),
            Err(kube::Error::Api(status)) if is_definitely_absent(&status, &self.name) => Ok(None),
            Err(error) => Err(self.refused(&error)),
        }
    }

    /// Writes it where it is still as it was seen; returns what it is now.
    pub(super) async fn write(&self, write: &Write) -> Result<Record, LeaseError> {
        let now = (self.wall)();
        let spec = LeaseSpec {
            holder_identity: write.holder.clone(),
            lease_duration_seconds: i32::try_from(write.duration.as_secs()).ok(),
            acquire_time: Some(MicroTime(write.acquired.unwrap_or(now))),
            renew_time: Some(MicroTime(now)),
            lease_transitions: Some(write.transitions),
            ..LeaseSpec::default()
        };
        let written = match &write.over {
            None => {
                let metadata = ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() };
                let lease = Lease { metadata, spec: Some(spec) };
                let params = PostParams { field_manager: Some(names::FIELD_MANAGER.into()), ..PostParams::default() };
                self.api.create(&params, &lease).await
            }
            // A patch, so that what others wrote into it stays; the resourceVersion makes it conflict where it is another one.
            Some(version) => {
                let mut patch = json!({ "metadata": { "resourceVersion": version }, "spec": spec });
                if write.holder.is_none() {
                    patch["spec"]["holderIdentity"] = serde_json::Value::Null;
                }
                let params = PatchParams { field_manager: Some(names::FIELD_MANAGER.into()), ..PatchParams::default() };
                self.api.patch(&self.name, &params, &Patch::Merge(&patch)).await
            }
        };
        match written {
            Ok(lease) => Ok(record(&lease)),
            Err(kube::Error::Api(status)) if status.code == 409 || is_definitely_absent(&status, &self.name) => {
                Err(LeaseError::Conflict)
            }
            Err(error) => Err(self.refused(&error)),
        }
    }

    /// What happens to it. Broken watches are taken up again with pauses; nothing depends on being told in time but how soon a released
    /// lease is taken.
    pub(super) fn watch(&self) -> impl Stream<Item = Result<Told, LeaseError>> + Send + use<> {
        let config = watcher::Config::default().fields(&format!("metadata.name={}", self.name)).timeout(WATCH_SECONDS);
        let mut listed = false;
        let lease = self.clone();
        watch_own(self.api.clone(), config).map(move |event| match event {
            Ok(Event::Apply(lease)) => Ok(Told::Is(record(&lease))),
            Ok(Event::Delete(lease)) => Ok(Told::Was(record(&lease))),
            Ok(Event::InitApply(lease)) => {
                listed = true;
                Ok(Told::Is(record(&lease)))
            }
            Ok(Event::Init) => {
                listed = false;
                Ok(Told::Progress)
            }
            Ok(Event::InitDone) => Ok(if listed { Told::Progress } else { Told::Nothing }),
            Err(watcher::Error::InitialListFailed(error) | watcher::Error::WatchStartFailed(error)) => {
                Err(lease.refused(&error))
            }
            Err(error) => Err(LeaseError::Other(error.to_string())),
        })
    }

    fn refused(&self, error: &kube::Error) -> LeaseError {
        match error {
            kube::Error::Api(status) if is_definitely_absent(status, &self.namespace) => {
                LeaseError::NoNamespace(self.namespace.clone())
            }
            kube::Error::Api(status) if status.code == 403 => LeaseError::Forbidden(status.message.clone()),
            other => LeaseError::Other(other.to_string()),
        }
    }
}

fn record(lease: &Lease) -> Record {
    let spec = lease.spec.clone().unwrap_or_default();
    let seconds = spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
    Record {
        version: lease.resource_version().unwrap_or_default(),
        holder: spec.holder_identity.filter(|holder| !holder.is_empty()),
        duration: seconds.map(Duration::from_secs),
        transitions: spec.lease_transitions.unwrap_or_default(),
        acquired: spec.acquire_time.map(|time| time.0),
        released: lease.annotations().contains_key(names::RELEASED_ANNOTATION),
    }
}
