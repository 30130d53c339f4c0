use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

/// What an audit webhook is sent: an `EventList` of `audit.k8s.io/v1`. Bodies are read for their metadata only.
#[derive(Deserialize, Debug, Default)]
pub struct AuditEvents {
    /// The events.
    #[serde(default)]
    pub items: Vec<AuditEvent>,
}

/// The part of an audit event that tells who did what.
#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditEvent {
    stage: String,
    verb: String,
    #[serde(rename = "requestURI")]
    request_uri: String,
    user: User,
    impersonated_user: Option<User>,
    object_ref: Option<ObjectRef>,
    response_status: Option<Status>,
    /// Whatever was sent: an object, or the operations of a patch.
    request_object: Option<Box<RawValue>>,
    response_object: Option<Box<RawValue>>,
    request_received_timestamp: Option<Timestamp>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct User {
    username: String,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct ObjectRef {
    uid: String,
    subresource: String,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Status {
    code: u16,
}

/// A request's or response's object: its metadata, or where it is a `Status`, the UID in its details.
#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Body {
    kind: String,
    metadata: Metadata,
    details: Option<Details>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    uid: String,
    resource_version: String,
    managed_fields: Vec<Managed>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Managed {
    time: Option<Timestamp>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Details {
    uid: String,
}

/// How sure a claim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// The request ended with this version; whether it made it is not told.
    Possible,
    /// A field was set in the second of the request or later: by it, or by another in that second.
    Likely,
    /// The request made this version.
    Proved,
}

/// A user who did, or may have done, something to an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The object.
    pub uid: Arc<str>,
    /// The version that it led to; `None` for a deletion.
    pub version: Option<Arc<str>>,
    /// Who, as the API server names them; for an impersonated request the one who was impersonated.
    pub user: Arc<str>,
    /// How sure it is.
    pub strength: Strength,
}

impl AuditEvent {
    /// What it claims; nothing where the request failed, was a dry run, only read, or does not say which version it led to.
    pub fn claim(&self) -> Option<Claim> {
        let is_done = self.stage == "ResponseComplete";
        let code = self.response_status.as_ref().map_or(0, |status| status.code);
        if !is_done || !(200..300).contains(&code) || self.request_uri.contains("dryRun=") {
            return None;
        }
        let user = self.impersonated_user.as_ref().unwrap_or(&self.user);
        if user.username.is_empty() {
            return None;
        }
        let user: Arc<str> = user.username.as_str().into();
        let response = self.response_object.as_deref().and_then(body);
        let response = response.as_ref();
        match self.verb.as_str() {
            "delete" => {
                let details = response.and_then(|body| body.details.as_ref()).map(|details| &details.uid);
                let own = response.filter(|body| body.kind != "Status").map(|body| &body.metadata.uid);
                let named = self.object_ref.as_ref().map(|object| &object.uid);
                let uid = [details, own, named].into_iter().flatten().find(|uid| !uid.is_empty())?;
                Some(Claim { uid: uid.as_str().into(), version: None, user, strength: Strength::Possible })
            }
            "create" | "update" | "patch" => {
                let body = response?;
                let Metadata { uid, resource_version, .. } = &body.metadata;
                if uid.is_empty() || resource_version.is_empty() {
                    return None;
                }
                let strength = self.strength(body, code);
                Some(Claim {
                    uid: uid.as_str().into(),
                    version: Some(resource_version.as_str().into()),
                    user,
                    strength,
                })
            }
            _ => None,
        }
    }

    fn strength(&self, response: &Body, code: u16) -> Strength {
        let is_whole = self.object_ref.as_ref().is_none_or(|object| object.subresource.is_empty());
        let is_created = code == 201 && is_whole;
        let request = self.request_object.as_deref().filter(|_| self.verb == "update").and_then(body);
        let old = request.map(|request| request.metadata.resource_version).unwrap_or_default();
        let replaced = !old.is_empty() && old != response.metadata.resource_version;
        // `time` has whole seconds, in the clock of the server that received the request.
        let received = self.request_received_timestamp.map(Timestamp::as_second);
        let times = response.metadata.managed_fields.iter().filter_map(|managed| managed.time);
        let touched =
            times.map(Timestamp::as_second).max().zip(received).is_some_and(|(last, received)| last >= received);
        if is_created || replaced {
            Strength::Proved
        } else if touched {
            Strength::Likely
        } else {
            Strength::Possible
        }
    }
}

/// The part of an object that matters; nothing where it is no object.
fn body(raw: &RawValue) -> Option<Body> {
    serde_json::from_str(raw.get()).ok()
}
