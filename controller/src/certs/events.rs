//! Events for what a person should see: a repair, and what only a person can mend.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Client,
    runtime::events::{Event, EventType, Recorder, Reporter},
};

use super::error::CertsError;

/// Publishes events. One that cannot be published is no reason to stop.
pub struct Events(Recorder);

impl Events {
    /// Through this client.
    pub fn new(client: Client) -> Self {
        let reporter = Reporter { controller: "nsclass-controller".into(), instance: None };
        Self(Recorder::new(client, reporter))
    }

    /// The configuration was put back as it must be.
    pub async fn repaired(&self, name: &str, was_edited: bool) {
        let what = if was_edited { "was edited" } else { "was deleted" };
        let note = format!("{what}, and put back: the operator owns it; change its template instead");
        let configuration = ObjectReference {
            api_version: Some("admissionregistration.k8s.io/v1".into()),
            kind: Some("ValidatingWebhookConfiguration".into()),
            name: Some(name.to_owned()),
            ..ObjectReference::default()
        };
        self.publish("WebhookConfigurationRepaired", "Repair", note, &configuration).await;
    }

    /// The authority cannot be used, and only a person can decide what becomes of it.
    pub async fn complain(&self, namespace: &str, error: &CertsError) {
        let (CertsError::Authority { secret, .. } | CertsError::NoAuthority { secret, .. }) = error else { return };
        let secret = ObjectReference {
            api_version: Some("v1".into()),
            kind: Some("Secret".into()),
            name: Some(secret.clone()),
            namespace: Some(namespace.to_owned()),
            ..ObjectReference::default()
        };
        self.publish("CertificateAuthorityUnreadable", "Rotate", error.to_string(), &secret).await;
    }

    async fn publish(&self, reason: &str, action: &str, note: String, regarding: &ObjectReference) {
        let event = Event {
            type_: EventType::Warning,
            reason: reason.into(),
            note: Some(note),
            action: action.into(),
            secondary: None,
        };
        if let Err(error) = self.0.publish(&event, regarding).await {
            tracing::debug!(%error, reason, "an event could not be published");
        }
    }
}
