//! Errors of requests as outcomes: what the server said is judged by [`nsclass_shared::answer`]; no answer is a passing failure.

use std::time::Duration;

use kube::core::ApiResource;
use nsclass_shared::{
    answer::{Action, Answer, Asked},
    identity::ObjectIdentity,
    names,
    plan::{Outcome, Refusal},
    reason::Reason,
};

/// What a pass is told about a request that was no success.
pub fn outcome(error: &kube::Error, action: Action, object: &ObjectIdentity, resource: &ApiResource) -> Outcome {
    match error {
        kube::Error::Api(status) => {
            Answer::of(status, &Asked { action, object, resource: &resource.plural }).outcome(action)
        }
        other => no_answer(other, action),
    }
}

/// The request may have reached the server and may not.
pub fn no_answer(error: &kube::Error, action: Action) -> Outcome {
    let reason = if action == Action::Delete { Reason::DeleteFailed } else { Reason::ApplyFailed };
    let refusal = Refusal { reason, message: format!("no answer: {error}") };
    match retry_after(error) {
        Some(after) => Outcome::Busy { after, refusal },
        None => Outcome::Refused(refusal),
    }
}

/// How long the API server asks to be left alone, if it does (faults.md 10).
pub fn retry_after(error: &kube::Error) -> Option<Duration> {
    let kube::Error::Api(status) = error else { return None };
    let seconds = status.details.as_ref()?.retry_after_seconds;
    (seconds > 0).then(|| Duration::from_secs(seconds.into()))
}

/// The binding of a namespace, as an object.
pub fn binding_identity(name: &str) -> ObjectIdentity {
    let (group, kind) = (names::GROUP.into(), "NamespaceClassBinding".into());
    ObjectIdentity { group, kind, namespace: None, name: name.to_owned() }
}

/// A namespace, as an object.
pub fn namespace_identity(name: &str) -> ObjectIdentity {
    ObjectIdentity { group: String::new(), kind: "Namespace".into(), namespace: None, name: name.to_owned() }
}
