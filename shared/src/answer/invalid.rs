//! A manifest that the server cannot read (500 or 400), that breaks a rule of its kind (422), or that is too large (413).

use kube::core::response::reason;

use super::{Answer, Reading, complaint::Complaint, text};
use crate::reason::Reason;

/// Rules about what others hold at the moment: an address or port of a Service. Those pass.
const PASSING: [&str; 2] = ["failed to allocate ", "provided port is already allocated"];

pub(super) fn rule(reading: Reading<'_>) -> Option<Answer> {
    let status = reading.status;
    // The answer of something in between has no reason of the server's.
    if !reading.is_apply() || !(status.reason.is_empty() || reason::is_known(&status.reason)) {
        return None;
    }
    let invalid = |message: &str| Some(Answer::failed(Reason::InvalidManifest, message));
    match reading.code() {
        500 => invalid(&unreadable(&status.message)?),
        422 => {
            let complaints = Complaint::all(status);
            if complaints.is_empty() {
                return invalid(text::after_subject(status, "is invalid").unwrap_or(&status.message));
            }
            let passes = |complaint: &Complaint| PASSING.iter().any(|words| complaint.rule.starts_with(words));
            let phrases: Vec<String> = complaints.iter().map(Complaint::phrase).collect();
            let message = text::few(&phrases, 3, "; ");
            if complaints.iter().all(passes) {
                return Some(Answer::Passing { after: None, message: text::bounded(&message) });
            }
            invalid(&message)
        }
        400 | 405 | 413 | 415 => invalid(&status.message),
        _ => None,
    }
}

/// What the server says of a manifest that does not fit the schema: 500, and the field at fault after a head that names the object.
/// Which of several faults it names may differ from one try to the next, for it stops at a field that it does not know.
fn unreadable(message: &str) -> Option<String> {
    if let Some(rest) = message.strip_prefix("failed to create typed patch object (") {
        let faults = rest.split_once("): ")?.1;
        // The schema of a kind that is about to be served.
        if faults.starts_with("no corresponding type for ") {
            return None;
        }
        let faults = faults.strip_prefix("errors:").unwrap_or(faults);
        let mut faults: Vec<String> = faults.lines().map(fault).filter(|fault| !fault.is_empty()).collect();
        faults.sort();
        return Some(text::few(&faults, 3, "; "));
    }
    // A text that is a quantity or a time to the kind: the field is not named.
    let (_, rest) = message.strip_prefix("failed to convert new object (")?.split_once(" to proper version: ")?;
    Some(rest.strip_prefix("unable to convert unstructured object to ")?.split_once(": ")?.1.to_owned())
}

/// One line of schema faults. The server shows a scalar as the Go value that holds it.
fn fault(line: &str) -> String {
    line.trim().replace("&value.valueUnstructured{Value:", "").trim_end_matches('}').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c37_schema_faults_read_the_same_in_any_order() {
        let head = "failed to create typed patch object (blue/web; /v1, Kind=Service): ";
        let faults = [
            "\n  .spec.type: expected string, got &value.valueUnstructured{Value:1}",
            "\n  .spec.x: field not declared",
        ];
        let [one, other] = faults;
        let said = unreadable(&format!("{head}errors:{one}{other}"));
        assert_eq!(said.as_deref(), Some(".spec.type: expected string, got 1; .spec.x: field not declared"));
        assert_eq!(unreadable(&format!("{head}errors:{other}{one}")), said);
    }

    #[test]
    fn c37_what_the_server_cannot_do_now_is_not_called_invalid() {
        for passing in [
            "failed to create typed live object (blue/web; /v1, Kind=Service): .spec.x: field not declared in schema",
            "failed to convert new object (blue/web; /v1, Kind=Service) to proper version: conversion webhook is away",
            "etcdserver: request timed out",
            "",
        ] {
            assert_eq!(unreadable(passing), None, "{passing}");
        }
    }
}
