//! One line of the log.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;

use super::requests::Request;

/// Where the server writes what its authorizer decided: `allow` or `forbid`.
const DECISION: &str = "authorization.k8s.io/decision";

/// A line of the log, as far as it is used (`audit.k8s.io/v1`).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Event {
    verb: String,
    user: User,
    impersonated_user: Option<User>,
    #[serde(default)]
    user_agent: String,
    #[serde(default)]
    object_ref: ObjectRef,
    #[serde(rename = "requestURI")]
    request_uri: String,
    #[serde(default)]
    response_status: ResponseStatus,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
    request_received_timestamp: Timestamp,
    stage_timestamp: Timestamp,
}

#[derive(Deserialize)]
struct User {
    #[serde(default)]
    username: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ObjectRef {
    api_group: String,
    resource: String,
    subresource: String,
    namespace: String,
    name: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResponseStatus {
    code: u16,
}

impl Event {
    pub(super) fn into_request(self) -> Request {
        let ObjectRef { api_group, resource, subresource, namespace, name } = self.object_ref;
        let resource = if api_group.is_empty() { resource } else { format!("{resource}.{api_group}") };
        Request {
            user: self.impersonated_user.unwrap_or(self.user).username,
            agent: self.user_agent,
            verb: self.verb,
            resource,
            subresource,
            namespace,
            name,
            uri: self.request_uri,
            code: self.response_status.code,
            is_forbidden: self.annotations.get(DECISION).is_some_and(|decision| decision == "forbid"),
            received: self.request_received_timestamp,
            answered: self.stage_timestamp,
        }
    }
}
