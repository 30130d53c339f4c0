//! Errors of requests as outcomes: what the server said is judged by [`nsclass_shared::answer`]; no answer is a passing failure.

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
    Outcome::Refused(Refusal { reason, message: format!("no answer: {error}") })
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
