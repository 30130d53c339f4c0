//! Requests about one object, whatever its kind.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use kube::{
    Api, Client,
    api::DynamicObject,
    core::{ApiResource, Status},
};
use nsclass_shared::{
    identity::ObjectIdentity,
    names,
    plan::{Held, LiveObject, ObjectRef, Outcome, short_hash},
};
use thiserror::Error;

use crate::kinds::KindCache;

/// An object could not be looked at; nothing may be concluded from that.
#[derive(Error, Debug)]
#[error("{object}: {source}")]
pub struct ReadError {
    object: ObjectIdentity,
    source: kube::Error,
}

impl ReadError {
    /// The API server's answer, or what kept it away.
    pub fn source(&self) -> &kube::Error {
        &self.source
    }
}

/// Reads an object's metadata; none where it is proved to be absent, its kind included.
///
/// # Errors
/// Anything that is not definite.
pub async fn read(client: &Client, kinds: &KindCache, object: &ObjectRef) -> Result<Option<LiveObject>, ReadError> {
    let error = |source| ReadError { object: object.identity.clone(), source };
    let Some(resource) = kinds.resource_in_any_version(&object.gvk()).await.map_err(error)? else { return Ok(None) };
    match api(client, &object.identity, &resource).get_metadata(&object.identity.name).await {
        Ok(found) => Ok(Some(live_object(&found.metadata))),
        Err(kube::Error::Api(status)) if is_definitely_absent(&status, &object.identity.name) => Ok(None),
        Err(kube::Error::Api(status)) if status.code == 404 => {
            // The kind went since we asked, or somebody stands between us and the API server.
            kinds.forget_group(&object.identity.group);
            match kinds.resource_in_any_version(&object.gvk()).await.map_err(error)? {
                None => Ok(None),
                Some(_) => Err(error(kube::Error::Api(status))),
            }
        }
        Err(source) => Err(error(source)),
    }
}

/// The API of the object's kind, in its namespace if it has one.
pub fn api(client: &Client, identity: &ObjectIdentity, resource: &ApiResource) -> Api<DynamicObject> {
    match &identity.namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, resource),
        None => Api::all_with(client.clone(), resource),
    }
}

/// Whether the API server says that the very object asked for is not there. A plain 404 is what a removed CRD answers (class.md C03).
pub fn is_definitely_absent(status: &Status, name: &str) -> bool {
    status.code == 404 && status.reason == "NotFound" && status.details.as_ref().is_some_and(|d| d.name == name)
}

/// What is needed of an object's metadata.
pub fn live_object(metadata: &ObjectMeta) -> LiveObject {
    let mut seen = BTreeSet::new();
    let entries = metadata.managed_fields.as_deref().unwrap_or_default();
    let managers = entries.iter().filter_map(|e| e.manager.clone()).filter(|m| seen.insert(m.clone())).collect();
    let own = entries.iter().find(|entry| is_ours(entry)).and_then(|entry| entry.fields_v1.as_ref()).map(|f| &f.0);
    let owners = metadata.owner_references.iter().flatten().map(|o| format!("{}/{}", o.kind, o.name)).collect();
    LiveObject {
        uid: metadata.uid.clone().unwrap_or_default(),
        labels: metadata.labels.clone().unwrap_or_default(),
        annotations: metadata.annotations.clone().unwrap_or_default(),
        deleting_since: metadata.deletion_timestamp.as_ref().map(|t| t.0),
        finalizers: metadata.finalizers.clone().unwrap_or_default(),
        managers,
        owners,
        fields: own.map(short_hash),
        own: own.cloned().unwrap_or_default(),
        others: entries.iter().filter(|entry| !is_ours(entry)).filter_map(held).collect(),
    }
}

/// Whether an entry of managedFields is that of our applies.
fn is_ours(entry: &ManagedFieldsEntry) -> bool {
    entry.manager.as_deref() == Some(names::FIELD_MANAGER)
        && entry.operation.as_deref() == Some("Apply")
        && entry.subresource.as_deref().unwrap_or_default().is_empty()
}

fn held(entry: &ManagedFieldsEntry) -> Option<Held> {
    let fields = entry.fields_v1.as_ref()?.0.clone();
    Some(Held { manager: entry.manager.clone().unwrap_or_default(), fields })
}

/// The object as an apply left it.
pub fn applied(metadata: &ObjectMeta) -> Outcome {
    let live = live_object(metadata);
    let beside = live.beside();
    Outcome::Applied { uid: live.uid, fields: live.fields.unwrap_or_default(), beside }
}
