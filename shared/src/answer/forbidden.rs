//! 403: a right, a quota, a namespace that goes, or a built-in admission plugin.

use super::{Answer, Reading, passing, text};
use crate::reason::Reason;

/// What resource quotas say, before their names.
const QUOTA: [&str; 3] = ["exceeded quota: ", "insufficient quota to ", "status unknown for quota: "];

pub(super) fn rule(reading: Reading<'_>) -> Option<Answer> {
    if reading.code() != 403 {
        return None;
    }
    let status = reading.status;
    let causes = status.details.as_ref().map_or(&[][..], |details| &details.causes);
    if causes.iter().any(|cause| cause.reason == "NamespaceTerminating") {
        return Some(Answer::NamespaceTerminating);
    }
    let Some(words) = text::after_subject(status, "is forbidden") else {
        return Some(Answer::failed(Reason::Forbidden, &status.message));
    };
    if words.starts_with("User \"") {
        return Some(Answer::failed(Reason::Forbidden, words));
    }
    if let Some((granter, rights)) = grant(words) {
        let message =
            format!("it grants rights that {granter:?} neither holds nor may grant (escalate, bind): {rights}");
        return Some(Answer::failed(Reason::Forbidden, &message));
    }
    if QUOTA.iter().any(|quota| words.starts_with(quota)) {
        return Some(Answer::failed(Reason::QuotaExceeded, words));
    }
    Some(match words {
        "create not allowed while custom resource definition is terminating" => Answer::KindGone,
        // The server has just started.
        "not yet ready to handle request" => passing::otherwise(reading),
        _ => Answer::failed(Reason::AdmissionDenied, words),
    })
}

/// `user "NAME" (groups=[…]) is attempting to grant RBAC permissions not currently held:` and a line for each.
fn grant(words: &str) -> Option<(String, String)> {
    let (granter, rest) = text::quoted(words.strip_prefix("user ")?)?;
    let (_, rights) = rest.split_once(" is attempting to grant RBAC permissions not currently held:\n")?;
    let rights: Vec<String> = rights.lines().map(ToOwned::to_owned).collect();
    Some((granter, text::few(&rights, 2, "; ")))
}
