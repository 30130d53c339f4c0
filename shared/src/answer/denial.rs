//! Webhooks and admission policies. They choose code, reason and details themselves: a webhook may well answer 404 `NotFound` with the name
//! of the object, so they are recognised first, by the words that the server puts before theirs.

use super::{Answer, Reading, text};
use crate::reason::Reason;

pub(super) fn rule(reading: Reading<'_>) -> Option<Answer> {
    let message = reading.status.message.as_str();
    if let Some(denial) = webhook(message) {
        return Some(Answer::failed(Reason::AdmissionDenied, &denial));
    }
    // A policy picks one of three codes; a mutating one is always 403.
    if !matches!(reading.code(), 403 | 413 | 422) {
        return None;
    }
    let words = text::after_subject(reading.status, "is forbidden").unwrap_or(message);
    let is_policy = (words.starts_with("ValidatingAdmissionPolicy '") || words.starts_with("policy '"))
        && words.contains("' denied request: ");
    is_policy.then(|| Answer::failed(Reason::AdmissionDenied, words))
}

/// `admission webhook "NAME" denied the request…`
fn webhook(message: &str) -> Option<String> {
    let (name, rest) = text::quoted(message.strip_prefix("admission webhook ")?)?;
    let words = rest.strip_prefix(" denied the request")?;
    Some(format!("admission webhook {name:?} denied it{words}"))
}
