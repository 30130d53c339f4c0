//! 404: something is not there. Only one of its forms is about the object (class.md C03).

use super::{Action, Answer, Reading};
use crate::reason::Reason;

/// What the server's router says where no API has that path, and the status that an API group gives for a resource that it has not.
const ROUTER: &str = "404 page not found";
const GROUP: &str = "the server could not find the requested resource";

pub(super) fn rule(reading: Reading<'_>) -> Option<Answer> {
    if reading.code() != 404 {
        return None;
    }
    let Reading { status, asked } = reading;
    let (name, kind) = reading.named();
    if status.reason != "NotFound" || name.is_empty() {
        // Any other 404 comes from something in between, and says nothing.
        let kind_gone = status.message == ROUTER || (status.reason == "NotFound" && status.message == GROUP);
        return kind_gone.then_some(Answer::KindGone);
    }
    if kind == "namespaces" && asked.resource != "namespaces" && asked.object.namespace.as_deref() == Some(name) {
        return Some(Answer::NamespaceGone);
    }
    match asked.action {
        // An apply finds nothing only of what it refers to. A RoleBinding whose role is missing is answered with the resource of the
        // binding and the name of the role, which may be that of the binding too.
        Action::Create | Action::Update => {
            let message = format!("something that it refers to is not there: {}", status.message);
            Some(Answer::failed(Reason::ApplyFailed, &message))
        }
        // The plural, not the kind: this must be the answer of the resource that was asked.
        Action::Read | Action::Delete | Action::Record => {
            (reading.names_the_object() && kind == asked.resource).then_some(Answer::NotFound)
        }
    }
}
