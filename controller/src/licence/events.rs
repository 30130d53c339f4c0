//! Events about the licence, where an operator's people look: on the pod of the leader, or on the instance's Lease where it runs in none.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use nsclass_shared::{licence::State, names};

use crate::context::Context;

/// The pod that this process is, as the downward API tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pod {
    /// `metadata.name`.
    pub name: String,
    /// `metadata.uid`; events show without it, too.
    pub uid: Option<String>,
}

impl Pod {
    /// From `NSCLASS_POD_NAME` and `NSCLASS_POD_UID`.
    pub fn of_process() -> Option<Self> {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        variable("NSCLASS_POD_NAME").map(|name| Self { name, uid: variable("NSCLASS_POD_UID") })
    }
}

/// Says what the licence is now, as a warning where none is valid. One that cannot be said is no reason to stop.
pub(super) async fn say(context: &Context, recorder: &Recorder, state: &State, message: &str) {
    let event = Event {
        type_: if state.is_valid() { EventType::Normal } else { EventType::Warning },
        reason: format!("Licence{}", state.word()),
        note: Some(note(message)),
        action: "CheckLicence".into(),
        secondary: None,
    };
    if let Err(error) = recorder.publish(&event, &about(context)).await {
        tracing::debug!(%error, "an event about the licence could not be published");
    }
}

/// The recorder, which folds what repeats.
pub(super) fn recorder(context: &Context) -> Recorder {
    let reporter = Reporter {
        controller: names::REPORTING_CONTROLLER.to_owned(),
        instance: Some(context.settings().config.instance.clone()),
    };
    Recorder::new(context.client.clone(), reporter)
}

fn about(context: &Context) -> ObjectReference {
    let config = &context.settings().config;
    let namespace = Some(config.operator_namespace.clone());
    match &context.pod {
        Some(Pod { name, uid }) => ObjectReference {
            api_version: Some("v1".into()),
            kind: Some("Pod".into()),
            name: Some(name.clone()),
            uid: uid.clone(),
            namespace,
            ..ObjectReference::default()
        },
        None => ObjectReference {
            api_version: Some("coordination.k8s.io/v1".into()),
            kind: Some("Lease".into()),
            name: Some(names::controller_lease(&config.instance)),
            namespace,
            ..ObjectReference::default()
        },
    }
}

/// The API server takes notes of at most 1,024 bytes.
fn note(text: &str) -> String {
    let mut note = text.to_owned();
    while note.len() > 1000 {
        note.pop();
    }
    note
}
